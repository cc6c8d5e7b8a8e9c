//! The files of a run, such that it can be stopped at any moment.
//!
//! Roots are numbered. Each `part_size` of them make a part, a shard named
//! `label-000000.parquet` that is there when all of its roots are done. What is
//! done of a part that is not full yet is saved every half minute in pieces,
//! named by their part and their range of roots; readers of shards pass over
//! them. `label.json` tells the settings and the number of roots.

use super::LabelError;
use super::identity::Identity;
use crate::differences::differences;
use crate::files::{UNFINISHED, lock, write_atomic};
use crate::provenance;
use crate::shards::{FileWriter, Reader, Record, WriterSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const STATE: &str = "label.json";
const LOCK: &str = "label.lock";
const PREFIX: &str = "label-";
const PIECE: &str = "piece";

/// At most so much work is lost when the process is killed.
const SAVE_EVERY: Duration = Duration::from_secs(30);

#[derive(Serialize, Deserialize)]
struct State {
    config: Value,
    config_hash: String,
    /// All roots.
    roots: u64,
    version: String,
    git: String,
}

/// Which roots need no work any more.
#[derive(Clone, Default)]
pub struct Finished {
    part_size: u64,
    parts: BTreeSet<u64>,
    /// Where the pieces of a part end.
    ends: BTreeMap<u64, u64>,
}

impl Finished {
    pub fn contains(&self, root: u64) -> bool {
        let part = root / self.part_size;
        self.parts.contains(&part) || self.ends.get(&part).is_some_and(|end| root < *end)
    }

    /// How many of the first `roots` these are.
    pub fn count(&self, roots: u64) -> u64 {
        let in_part = |part: &u64| {
            let first = part * self.part_size;
            (first + self.part_size).min(roots).saturating_sub(first)
        };
        let in_pieces = self.ends.iter().map(|(part, end)| end - part * self.part_size);
        self.parts.iter().map(in_part).sum::<u64>() + in_pieces.sum::<u64>()
    }
}

pub struct Store {
    folder: PathBuf,
    identity: Identity,
    roots: Option<u64>,
    finished: Finished,
    /// Of each part that is not full, in the order of their roots.
    pieces: BTreeMap<u64, Vec<PathBuf>>,
    /// Roots that are done and not on disk yet.
    first: u64,
    end: u64,
    records: Vec<Record>,
    saved: Instant,
    /// Held for as long as the run lasts, and no longer, even if it is killed.
    _lock: File,
}

impl Store {
    /// Opens a folder, new or begun by a run of the same identity.
    pub fn open(folder: &Path, identity: Identity, part_size: u64) -> Result<Store, LabelError> {
        let write = |source| LabelError::Write { path: folder.to_path_buf(), source };
        fs::create_dir_all(folder).map_err(write)?;
        let lock = lock(&folder.join(LOCK)).map_err(write)?;
        let lock = lock.ok_or_else(|| LabelError::InUse(folder.to_path_buf()))?;
        let mut store = Store {
            folder: folder.to_path_buf(),
            identity,
            roots: None,
            finished: Finished { part_size, ..Finished::default() },
            pieces: BTreeMap::new(),
            first: 0,
            end: 0,
            records: Vec::new(),
            saved: Instant::now(),
            _lock: lock,
        };
        store.read_state()?;
        store.find_files()?;
        Ok(store)
    }

    /// The number of all roots, when a run has counted them before.
    pub fn roots(&self) -> Option<u64> {
        self.roots
    }

    pub fn finished(&self) -> &Finished {
        &self.finished
    }

    /// Settles what the folder is for.
    pub fn begin(&mut self, roots: u64) -> Result<(), LabelError> {
        let state = State {
            config: self.identity.config.clone(),
            config_hash: self.identity.hash.clone(),
            roots,
            version: provenance::VERSION.to_string(),
            git: provenance::GIT.to_string(),
        };
        let path = self.folder.join(STATE);
        serde_json::to_vec_pretty(&state)
            .map_err(io::Error::from)
            .and_then(|bytes| write_atomic(&path, &bytes))
            .map_err(|source| LabelError::Write { path, source })?;
        self.roots = Some(roots);
        Ok(())
    }

    /// The next root that was not finished, in order; none of its record when
    /// it was skipped.
    pub fn add(&mut self, root: u64, record: Option<Record>) -> Result<(), LabelError> {
        if self.first == self.end {
            self.first = root;
        }
        self.end = root + 1;
        self.records.extend(record.map(|record| Record {
            engine: Some(self.identity.teacher.clone()),
            config: Some(self.identity.hash.clone()),
            ..record
        }));
        let part = root / self.finished.part_size;
        if self.end == self.part_end(part) {
            return self.finish_part(part);
        }
        if self.saved.elapsed() >= SAVE_EVERY {
            self.save()?;
        }
        Ok(())
    }

    /// Puts everything on disk that is done.
    pub fn save(&mut self) -> Result<(), LabelError> {
        self.saved = Instant::now();
        if self.first == self.end {
            return Ok(());
        }
        let part = self.first / self.finished.part_size;
        let path = self.folder.join(piece_name(part, self.first, self.end));
        let mut file = FileWriter::create(&path, &self.writer(self.first, self.end))?;
        for record in &self.records {
            file.write(record)?;
        }
        file.finish()?;
        self.pieces.entry(part).or_default().push(path);
        self.finished.ends.insert(part, self.end);
        self.first = self.end;
        self.records.clear();
        Ok(())
    }

    /// Makes a shard of the pieces and what is in memory.
    fn finish_part(&mut self, part: u64) -> Result<(), LabelError> {
        let path = self.folder.join(part_name(part));
        let settings = self.writer(part * self.finished.part_size, self.end);
        let mut file = FileWriter::create(&path, &settings)?;
        let pieces = self.pieces.remove(&part).unwrap_or_default();
        for piece in &pieces {
            for record in Reader::open(piece)?.records()? {
                file.write(&record?)?;
            }
        }
        for record in self.records.drain(..) {
            file.write(&record)?;
        }
        file.finish()?;
        self.first = self.end;
        self.saved = Instant::now();
        self.finished.parts.insert(part);
        self.finished.ends.remove(&part);
        // Killed before this, the next run deletes them.
        pieces.iter().try_for_each(|piece| delete(piece))
    }

    fn part_end(&self, part: u64) -> u64 {
        let end = (part + 1).saturating_mul(self.finished.part_size);
        self.roots.map_or(end, |roots| end.min(roots))
    }

    fn writer(&self, first: u64, end: u64) -> WriterSettings {
        WriterSettings {
            config: Some(self.identity.config.to_string()),
            metadata: vec![
                ("label.first".to_string(), first.to_string()),
                ("label.end".to_string(), end.to_string()),
                ("teacher".to_string(), self.identity.teacher.clone()),
            ],
            ..WriterSettings::default()
        }
    }

    fn read_state(&mut self) -> Result<(), LabelError> {
        let path = self.folder.join(STATE);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(LabelError::Read { path, source }),
        };
        let state: State = serde_json::from_slice(&text)
            .map_err(|error| LabelError::State { path, cause: error.to_string() })?;
        if state.config_hash != self.identity.hash {
            let differences = differences(&state.config, &self.identity.config);
            let folder = self.folder.clone();
            return Err(LabelError::OtherSettings { folder, differences: differences.join("; ") });
        }
        self.roots = Some(state.roots);
        Ok(())
    }

    /// Finds what earlier runs finished; deletes what they left half done.
    fn find_files(&mut self) -> Result<(), LabelError> {
        let mut pieces = Vec::new();
        let read = |source| LabelError::Read { path: self.folder.clone(), source };
        for entry in fs::read_dir(&self.folder).map_err(read)? {
            let path = entry.map_err(read)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(rest) = name.strip_prefix(PREFIX) else { continue };
            if let Some(part) = rest.strip_suffix(".parquet").and_then(|part| part.parse().ok()) {
                self.finished.parts.insert(part);
            } else if let Some(range) = parse_piece(rest) {
                pieces.push((range, path));
            } else if rest.ends_with(&format!(".{UNFINISHED}")) {
                delete(&path)?;
            }
        }
        if self.roots.is_none() && !(self.finished.parts.is_empty() && pieces.is_empty()) {
            return Err(LabelError::NoState { folder: self.folder.clone(), state: STATE });
        }
        pieces.sort();
        for ((part, first, end), path) in pieces {
            let from = part * self.finished.part_size;
            let expected = self.finished.ends.get(&part).copied().unwrap_or(from);
            if self.finished.parts.contains(&part) || first != expected {
                delete(&path)?;
            } else {
                self.finished.ends.insert(part, end);
                self.pieces.entry(part).or_default().push(path);
            }
        }
        Ok(())
    }
}

fn part_name(part: u64) -> String {
    format!("{PREFIX}{part:06}.parquet")
}

fn piece_name(part: u64, first: u64, end: u64) -> String {
    format!("{PREFIX}{part:06}.{first:012}-{end:012}.{PIECE}")
}

/// Part, first root and end of what follows the prefix in a piece's name.
fn parse_piece(rest: &str) -> Option<(u64, u64, u64)> {
    let (part, range) = rest.strip_suffix(PIECE)?.strip_suffix('.')?.split_once('.')?;
    let (first, end) = range.split_once('-')?;
    Some((part.parse().ok()?, first.parse().ok()?, end.parse().ok()?))
}

fn delete(path: &Path) -> Result<(), LabelError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(LabelError::Write { path: path.to_path_buf(), source: error })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
