//! Batches in, trained weights out.
