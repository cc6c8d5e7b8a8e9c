//! Games that are finished and wait for the others of their shard, one a line.

use super::store::{StoreError, failed};
use crate::files::write_atomic;
use engine::selfplay::protocol::GameReport;
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

pub const NAME: &str = "games.spool";

/// The file.
pub struct Spool {
    path: PathBuf,
    file: File,
    /// Bytes of whole lines.
    length: u64,
    is_synced: bool,
}

impl Spool {
    /// A spool with these games in it; what was there before goes, all at once.
    pub fn create(folder: &Path, lines: &[impl AsRef<[u8]>]) -> Result<Spool, StoreError> {
        let path = folder.join(NAME);
        let bytes: Vec<u8> = lines.iter().flat_map(|line| line.as_ref()).copied().collect();
        write_atomic(&path, &bytes).map_err(failed(&path))?;
        let file = OpenOptions::new().append(true).open(&path).map_err(failed(&path))?;
        Ok(Spool { path, file, length: bytes.len() as u64, is_synced: true })
    }

    /// A line that the disk has no room for leaves nothing behind: another one
    /// after half of it would be no line either.
    pub fn append(&mut self, line: &[u8]) -> Result<(), StoreError> {
        if let Err(source) = self.file.write_all(line) {
            let _ = self.file.set_len(self.length);
            return Err(StoreError::Io { path: self.path.clone(), source });
        }
        self.length += line.len() as u64;
        self.is_synced = false;
        Ok(())
    }

    pub fn sync(&mut self) -> Result<(), StoreError> {
        if !self.is_synced {
            self.file.sync_data().map_err(failed(&self.path))?;
            self.is_synced = true;
        }
        Ok(())
    }

    /// Nothing waits any more.
    pub fn remove(self) -> Result<(), StoreError> {
        fs::remove_file(&self.path).map_err(failed(&self.path))
    }
}

/// A game as the spool has it.
pub fn line(folder: &Path, report: &GameReport) -> Result<Vec<u8>, StoreError> {
    let json = serde_json::to_vec(report).map_err(io::Error::from);
    let mut line = json.map_err(failed(&folder.join(NAME)))?;
    line.push(b'\n');
    Ok(line)
}

/// The whole lines of the spool.
pub fn read(folder: &Path) -> Result<Vec<GameReport>, StoreError> {
    let path = folder.join(NAME);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(StoreError::Io { path, source }),
    };
    let mut games = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        let line = line.map_err(failed(&path))?;
        // A line that was cut off by a power cut is no game; those after it are.
        let Ok(game) = serde_json::from_slice::<Value>(&line) else { continue };
        let game = serde_json::from_value(game).map_err(|error| StoreError::State {
            path: path.clone(),
            cause: format!("has games of another version ({error})"),
        })?;
        games.push(game);
    }
    Ok(games)
}
