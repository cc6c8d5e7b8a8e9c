//! Finds shards under files and folders.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Folder beside bad files that they are moved to.
pub const QUARANTINE: &str = "quarantine";

#[derive(Debug, Error)]
pub enum FindError {
    #[error("{}: there is no such file or folder; check the path", .0.display())]
    Missing(PathBuf),
    #[error(
        "{}: no shards (*.parquet) in this folder; make some with `trainer import-pgn`, \
         `trainer import-epd` or `trainer label`", .0.display()
    )]
    NoShards(PathBuf),
    #[error("{}: not a shard: its name does not end in .parquet", .0.display())]
    OtherFile(PathBuf),
    #[error("{}: cannot be read ({source}); check its permissions", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("no shards given; name files or folders")]
    Nothing,
}

/// The shards among `paths` and, for folders, anywhere below them. Each folder's
/// shards are sorted; unfinished and quarantined files are passed over, and a
/// file that is named twice comes once.
pub fn find_shards(paths: &[PathBuf]) -> Result<Vec<PathBuf>, FindError> {
    let mut shards = Vec::new();
    for path in paths {
        let before = shards.len();
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => {
                collect(path, &mut shards)?;
                if shards.len() == before {
                    return Err(FindError::NoShards(path.clone()));
                }
                shards[before..].sort();
            }
            Ok(_) if is_shard(path) => shards.push(path.clone()),
            Ok(_) => return Err(FindError::OtherFile(path.clone())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(FindError::Missing(path.clone()));
            }
            Err(source) => return Err(FindError::Unreadable { path: path.clone(), source }),
        }
    }
    if shards.is_empty() {
        return Err(FindError::Nothing);
    }
    let mut seen = std::collections::HashSet::new();
    shards.retain(|path| seen.insert(path.clone()));
    Ok(shards)
}

fn collect(folder: &Path, shards: &mut Vec<PathBuf>) -> Result<(), FindError> {
    let unreadable = |source| FindError::Unreadable { path: folder.to_path_buf(), source };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        // Follows links, so that a folder may be put together from others.
        match fs::metadata(&path) {
            Ok(data) if data.is_dir() => {
                if entry.file_name() != QUARANTINE {
                    collect(&path, shards)?;
                }
            }
            Ok(_) if is_shard(&path) => shards.push(path),
            Ok(_) => {}
            Err(source) => return Err(FindError::Unreadable { path, source }),
        }
    }
    Ok(())
}

/// A file under its temporary name ends in another way.
fn is_shard(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "parquet")
}
