//! Why labeling cannot start or go on.

use crate::import::SourceError;
use crate::shards::{FindError, ShardError};
use crate::uci::UciError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum LabelError {
    #[error("teacher")]
    Teacher(#[from] UciError),
    #[error("{teacher} has no option MultiPV: leave out --multipv")]
    NoMultiPv { teacher: String },
    #[error(
        "the teacher failed at {count} positions in a row, lastly at {fen} ({cause}); \
         what was labeled before is kept"
    )]
    Hopeless { count: usize, fen: String, cause: String },
    #[error("no positions to label: {0}")]
    NoPositions(String),
    #[error(
        "the files had {roots} positions when they were counted, now {found}; \
         name another --out to begin again"
    )]
    Changed { roots: u64, found: u64 },
    #[error("{}: cannot be read", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}: cannot be written", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{}: row {row}: {cause}", path.display())]
    Row { path: PathBuf, row: usize, cause: String },
    #[error("{}: in use by another run; wait for it or name another --out", .0.display())]
    InUse(PathBuf),
    #[error(
        "{}: begun with other settings ({differences}); go on with those, or name another --out",
        folder.display()
    )]
    OtherSettings { folder: PathBuf, differences: String },
    #[error(
        "{}: has shards of labels but no {state}, so nobody knows how they were made; \
         name another --out", folder.display()
    )]
    NoState { folder: PathBuf, state: &'static str },
    #[error(
        "{}: damaged ({cause}); delete the folder to begin again, or name another --out",
        path.display()
    )]
    State { path: PathBuf, cause: String },
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Shard(#[from] ShardError),
}
