//! Sweeps a shard for anything wrong, and puts bad shards aside.

use super::{QUARANTINE, Reader, ShardError, validate};
use crate::interrupt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a good shard holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    pub games: u64,
    pub positions: u64,
}

/// Reads the whole file, checks its sum and validates every record; the first fault ends it. An
/// interrupt ends it too, as if the rest were good.
pub fn verify(path: &Path) -> Result<Verified, ShardError> {
    let reader = Reader::open(path)?;
    reader.check_sum()?;
    let mut verified = Verified::default();
    for (row, record) in reader.records()?.enumerate() {
        let record = record?;
        validate(&record).map_err(|reason| {
            let path = path.to_path_buf();
            ShardError::Row { path, row, reason }
        })?;
        verified.games += 1;
        verified.positions += record.plies.len() as u64;
        if interrupt::requested() {
            break;
        }
    }
    Ok(verified)
}

/// Moves a file into the folder for bad ones beside it, where [`find_shards`]
/// does not look; its new path.
///
/// [`find_shards`]: super::find_shards
pub fn quarantine(path: &Path) -> io::Result<PathBuf> {
    let folder = path.with_file_name(QUARANTINE);
    fs::create_dir_all(&folder)?;
    let name = path.file_name().unwrap_or_default();
    // An earlier bad file of the same name is kept.
    let mut target = folder.join(name);
    let mut copy = 1;
    while target.exists() {
        copy += 1;
        let mut name = name.to_os_string();
        name.push(format!(".{copy}"));
        target = folder.join(name);
    }
    fs::rename(path, &target)?;
    Ok(target)
}
