//! Why a match cannot begin or go on.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ArenaError {
    #[error("{0}")]
    Settings(String),
    #[error("{player} cannot be started: {cause}")]
    Start { player: String, cause: String },
    #[error("{}: cannot be read", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{}: cannot be written; finished games are kept, and the same command goes on",
        path.display()
    )]
    Write { path: PathBuf, source: io::Error },
    #[error("{}: not of this match, and would be lost; name another --out", .0.display())]
    Foreign(PathBuf),
    #[error("{}: in use by another match; wait for it or name another --out", .0.display())]
    InUse(PathBuf),
    #[error(
        "{}: begun with other settings ({differences}); go on with those, or name another --out",
        folder.display()
    )]
    OtherSettings { folder: PathBuf, differences: String },
    #[error("{}, line {line}: {cause}; repair or delete it, or name another --out", path.display())]
    Journal { path: PathBuf, line: usize, cause: String },
    #[error("tablebases: {0}")]
    Tablebases(String),
}
