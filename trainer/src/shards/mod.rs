//! Games and labeled positions on disk: one Parquet schema for every source.

mod record;

pub use record::{Outcome, Ply, PolicyTarget, Record, Score, SearchKind};
