//! Games and labeled positions on disk: one Parquet schema for every source.
//!
//! In: [`Record`]s from import, labeling and self-play. Out: the same records,
//! from files that are whole, of a known version and checked row by row. What
//! the columns mean stands in `trainer/SHARDS.md`.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod checksum;
mod columns;
mod decode;
mod error;
mod find;
mod guard;
mod reader;
mod record;
mod replay;
mod sample;
mod schema;
mod summary;
mod validate;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use error::ShardError;
pub use find::{FindError, QUARANTINE, find_shards};
pub use reader::{Reader, Records};
pub use record::{Outcome, Ply, PolicyTarget, Record, Score, SearchKind};
pub use replay::{Replay, ReplayError, Step};
pub use sample::{Place, Sample, SampleTarget, Sampler};
pub use schema::{FORMAT, schema};
pub use summary::{Bar, Labels, LengthSummary, Lengths, Phase, Summary, Tally};
pub use validate::validate;
pub use verify::{Verified, quarantine, verify};
pub use writer::{FileWriter, Writer, WriterSettings};
