//! Finds shards under files and folders.

use std::collections::HashSet;
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
    let mut seen = HashSet::new();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_found_in_order_and_once() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        for name in ["b/z.parquet", "b/quarantine/bad.parquet", "a.parquet", "a.parquet.1.tmp"] {
            fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            fs::write(path(name), "").unwrap();
        }
        let found = find_shards(&[path("b/z.parquet"), root.path().to_path_buf()]).unwrap();
        assert_eq!(found, [path("b/z.parquet"), path("a.parquet")]);
    }

    #[test]
    fn refusals_name_the_path_and_a_remedy() {
        let root = tempfile::tempdir().unwrap();
        let refusal = |path: PathBuf| find_shards(&[path]).unwrap_err().to_string();
        assert!(
            refusal(root.path().join("no")).ends_with("no such file or folder; check the path")
        );
        assert!(refusal(root.path().to_path_buf()).contains("make some with"));
        fs::write(root.path().join("games.pgn"), "").unwrap();
        assert!(refusal(root.path().join("games.pgn")).contains("not a shard"));
        assert!(matches!(find_shards(&[]), Err(FindError::Nothing)));
    }
}
