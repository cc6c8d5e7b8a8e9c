//! What a path holds, and how to tell that it still holds the same.

use crate::provenance;
use crate::shards::{FindError, find_shards};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// How positions are read from a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    Pgn,
    Shards,
    List,
}

impl InputKind {
    /// By the name without the endings of packers; folders hold shards.
    pub fn of(path: &Path) -> InputKind {
        if path.is_dir() {
            return InputKind::Shards;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let plain = [".zst", ".gz"].iter().find_map(|ending| name.strip_suffix(ending));
        let plain = plain.unwrap_or(&name);
        match Path::new(plain).extension().and_then(|ending| ending.to_str()) {
            Some("pgn") => InputKind::Pgn,
            Some("parquet") => InputKind::Shards,
            _ => InputKind::List,
        }
    }
}

/// What a file is known by when a run goes on: not its folder, and not its
/// time, but its size and its two ends.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Fingerprint {
    name: String,
    bytes: u64,
    ends: String,
}

impl Fingerprint {
    pub fn take(path: &Path) -> io::Result<Fingerprint> {
        /// Read at either end: hashing all of a large file would take minutes.
        const END: u64 = 1 << 20;
        let mut file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let mut ends = Vec::new();
        file.by_ref().take(END).read_to_end(&mut ends)?;
        file.seek(SeekFrom::Start(bytes.saturating_sub(END)))?;
        file.take(END).read_to_end(&mut ends)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Fingerprint { name, bytes, ends: provenance::hash(&ends) })
    }
}

/// The files to be read: a folder stands for the shards in it.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, FindError> {
    let mut files = Vec::new();
    for path in paths {
        match InputKind::of(path) {
            InputKind::Shards => files.extend(find_shards(std::slice::from_ref(path))?),
            InputKind::Pgn | InputKind::List => files.push(path.clone()),
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_show_in_the_name() {
        for (name, kind) in [
            ("a.pgn", InputKind::Pgn),
            ("A.PGN.ZST", InputKind::Pgn),
            ("a.parquet", InputKind::Shards),
            ("a.csv.gz", InputKind::List),
            ("openings.epd", InputKind::List),
            ("fens", InputKind::List),
        ] {
            assert_eq!(InputKind::of(Path::new(name)), kind, "{name}");
        }
        assert_eq!(InputKind::of(&std::env::temp_dir()), InputKind::Shards);
    }

    #[test]
    fn a_change_at_either_end_shows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        let mut bytes = vec![b'x'; 3 << 20];
        let mut take = |at: usize| {
            bytes[at] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            Fingerprint::take(&path).unwrap()
        };
        let (first, second, third) = (take(0), take((3 << 20) - 1), take(0));
        assert!(first != second && second != third && first != third);
    }
}
