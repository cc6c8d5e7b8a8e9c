//! What can be wrong with a shard. Each message names the file and the remedy.

use super::schema::FORMAT;
use parquet::errors::ParquetError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ShardError {
    #[error("{path}: cannot be read ({source}); check the path and its permissions")]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{path}: the file is empty; delete it and make it again")]
    Empty { path: PathBuf },
    #[error("{path}: truncated: a Parquet file without its end; delete it and make it again")]
    Truncated { path: PathBuf },
    #[error("{path}: not a Parquet file; shards are made by the import and label commands")]
    NotParquet { path: PathBuf },
    #[error("{path}: damaged ({reason}); delete it and make it again")]
    Damaged { path: PathBuf, reason: String },
    #[error(
        "{path}: Parquet, but not a shard (no arbor.format in its metadata); \
         shards are made by the import and label commands"
    )]
    Foreign { path: PathBuf },
    #[error(
        "{path}: shard format {found}, but this trainer reads format {FORMAT}; \
         make the file again or use the trainer that wrote it"
    )]
    Version { path: PathBuf, found: String },
    #[error("{path}: {reason}; see SHARDS.md for the columns of a shard")]
    Columns { path: PathBuf, reason: String },
    /// Rows count from 0, as Parquet tools count them.
    #[error("{path}: row {row}: {reason}")]
    Row { path: PathBuf, row: usize, reason: String },
    #[error("{path}: the disk is full; finished files are kept, free some space and go on")]
    DiskFull { path: PathBuf },
    #[error("{path}: cannot be written ({source}); check the folder and its permissions")]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("{path}: cannot be written ({source})")]
    Encoding { path: PathBuf, source: ParquetError },
}

impl ShardError {
    /// The file in question.
    pub fn path(&self) -> &Path {
        match self {
            ShardError::Unreadable { path, .. }
            | ShardError::Empty { path }
            | ShardError::Truncated { path }
            | ShardError::NotParquet { path }
            | ShardError::Damaged { path, .. }
            | ShardError::Foreign { path }
            | ShardError::Version { path, .. }
            | ShardError::Columns { path, .. }
            | ShardError::Row { path, .. }
            | ShardError::DiskFull { path }
            | ShardError::Unwritable { path, .. }
            | ShardError::Encoding { path, .. } => path,
        }
    }

    /// An error of writing; a full disk has a message of its own.
    pub(super) fn write(path: &Path, source: io::Error) -> ShardError {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                ShardError::DiskFull { path }
            }
            _ => ShardError::Unwritable { path, source },
        }
    }

    /// The same, when Parquet has wrapped it.
    pub(super) fn encode(path: &Path, source: ParquetError) -> ShardError {
        match source {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(inner) => ShardError::write(path, *inner),
                Err(inner) => ShardError::Encoding {
                    path: path.to_path_buf(),
                    source: ParquetError::External(inner),
                },
            },
            source => ShardError::Encoding { path: path.to_path_buf(), source },
        }
    }
}
