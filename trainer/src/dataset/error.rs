//! Why there is no batch.

use crate::shards::{FindError, ShardError};
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum DatasetError {
    #[error("{name} {why}")]
    Setting { name: &'static str, why: String },
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error("{}: no positions left for {purpose}: {causes}", list(.paths))]
    Empty { paths: Vec<PathBuf>, purpose: &'static str, causes: String },
    #[error("threads cannot be started ({0}); lower `workers`")]
    Threads(String),
    /// After another error, or when a worker panicked.
    #[error("the dataset has stopped; open it again")]
    Stopped,
}

fn list(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(", ")
}
