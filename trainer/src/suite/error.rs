//! Why a suite cannot be read or run.

use crate::players::Fault;
use std::io;
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
    #[error("the player cannot be started")]
    Player(#[from] Fault),
}
