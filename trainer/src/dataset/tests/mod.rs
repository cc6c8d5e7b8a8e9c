//! Whole datasets over real shards.

mod contents;
mod errors;
mod games;
mod order;
