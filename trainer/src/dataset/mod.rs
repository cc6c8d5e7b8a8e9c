//! Shards in, batches for training out.
