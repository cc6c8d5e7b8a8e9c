//! Why a suite cannot be read or run.

use crate::players::Fault;
use crate::shards::{FindError, ReplayError, ShardError};
use std::io;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum SuiteError {
    #[error("{file}: cannot be read")]
    Read { file: String, source: io::Error },
    #[error("{file}:{line}: {cause}")]
    Line { file: String, line: u64, cause: String },
    #[error(
        "{file}: no problems in it; expected EPD lines with bm or am, \
         or Lichess puzzles as CSV with their header"
    )]
    Empty { file: String },
    #[error("{name}: {cause}")]
    Record { name: String, cause: ReplayError },
    #[error(
        "{}: no position in it has values for two moves; make some with \
         `trainer label --multipv 256`", path.display()
    )]
    Unrated { path: PathBuf },
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error("the player cannot be started")]
    Player(#[from] Fault),
}
