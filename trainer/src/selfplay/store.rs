//! Finished games on disk, such that neither side's death loses one.
//!
//! A game goes into a spool, one line of JSON, as soon as it is told. Games of
//! neighboring numbers belong to one shard, which is written when all of them
//! are there; then a spool of what is left takes the old one's place. Killed
//! between the two, the next run sees that the shard has these games already.
//! So the shards depend on the games alone, not on the order in which they end.

use super::spool::{self, Spool};
use super::telemetry::{self, Telemetry};
use crate::differences::differences;
use crate::files::{lock, remove_unfinished, write_atomic};
use crate::provenance;
use crate::shards::{FileWriter, Reader, Record, ShardError, WriterSettings};
use engine::selfplay::protocol::GameReport;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

const STATE: &str = "selfplay.json";
const LOCK: &str = "selfplay.lock";
const PREFIX: &str = "selfplay-";

/// How the names of a run's files begin; others may share its folder.
const OUR_FILES: [&str; 4] = [PREFIX, STATE, spool::NAME, telemetry::FILE];

/// Keys of a shard's metadata: the numbers of its games, and what they were like.
const IDS: &str = "selfplay.ids";
const TELEMETRY: &str = "selfplay.telemetry";

#[derive(Debug, Error)]
pub enum StoreError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error("{}: another run is using it", .0.display())]
    InUse(PathBuf),
    #[error("{}: {cause}; move it away, or choose another --out", path.display())]
    State { path: PathBuf, cause: String },
    #[error(
        "{} was begun with other settings ({differences}); choose another --out, or repeat them",
        folder.display()
    )]
    OtherSettings { folder: PathBuf, differences: String },
}

#[derive(Serialize, Deserialize)]
struct State {
    config: Value,
    version: String,
    git: String,
}

/// The games of a shard to be.
struct Group {
    /// How many there will be.
    size: usize,
    games: Vec<Waiting>,
    telemetry: Telemetry,
}

/// In the spool.
struct Waiting {
    id: u64,
    line: Vec<u8>,
    record: Record,
}

pub struct Store {
    folder: PathBuf,
    config: Value,
    done: BTreeSet<u64>,
    /// By the number of their first game.
    groups: BTreeMap<u64, Group>,
    /// Of the games in shards.
    telemetry: Telemetry,
    /// Lines of the spool that this run does not ask for.
    beyond: Vec<Vec<u8>>,
    spool: Spool,
    _lock: File,
}

/// How many games, and how many of them make a shard.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub games: u64,
    pub shard: usize,
}

impl Store {
    /// Opens a folder, new or begun with the same config. The games of the spool
    /// come back, to be [added](Self::add) again if they hold.
    pub fn open(
        folder: &Path,
        config: Value,
        size: Size,
    ) -> Result<(Store, Vec<GameReport>), StoreError> {
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let lock_path = folder.join(LOCK);
        let lock = lock(&lock_path).map_err(failed(&lock_path))?;
        let lock = lock.ok_or_else(|| StoreError::InUse(folder.to_path_buf()))?;
        settle_state(folder, &config)?;
        remove_unfinished(folder, &OUR_FILES).map_err(failed(folder))?;
        let (done, telemetry) = read_shards(folder)?;
        let mut spooled = spool::read(folder)?;
        spooled.retain(|report| !done.contains(&report.id));
        let lines: Result<Vec<Vec<u8>>, StoreError> =
            spooled.iter().map(|report| spool::line(folder, report)).collect();
        let lines = lines?;
        let spool = Spool::create(folder, &lines)?;
        // Games of a longer run stay for the next one that is as long.
        let is_beyond = |report: &GameReport| report.id >= size.games;
        let both = spooled.iter().zip(lines);
        let beyond = both.filter(|(report, _)| is_beyond(report)).map(|(_, line)| line).collect();
        spooled.retain(|report| !is_beyond(report));
        let store = Store {
            folder: folder.to_path_buf(),
            config,
            groups: groups(&done, size),
            done,
            telemetry,
            beyond,
            spool,
            _lock: lock,
        };
        Ok((store, spooled))
    }

    pub fn is_done(&self, id: u64) -> bool {
        self.done.contains(&id)
    }

    pub fn games(&self) -> u64 {
        self.done.len() as u64
    }

    /// What all games so far were like.
    pub fn telemetry(&self) -> Telemetry {
        let mut all = self.telemetry.clone();
        self.groups.values().for_each(|group| all.merge(&group.telemetry));
        all
    }

    /// Counts games of the spool, which stay there.
    pub fn restore(&mut self, games: Vec<(GameReport, Record)>) -> Result<(), StoreError> {
        for (report, record) in games {
            let line = spool::line(&self.folder, &report)?;
            self.keep(&report, line, record);
        }
        // Not before all are in their groups: the spool that is left after a shard
        // is written has only what the groups have.
        let is_whole = |group: &Group| group.games.len() >= group.size;
        let groups = self.groups.iter().filter(|(_, group)| is_whole(group));
        let whole: Vec<u64> = groups.map(|(first, _)| *first).collect();
        whole.into_iter().try_for_each(|first| self.write_shard(first))
    }

    /// Keeps a finished game; one that is there already is not kept twice.
    pub fn add(&mut self, report: &GameReport, record: Record) -> Result<(), StoreError> {
        if self.is_done(report.id) {
            return Ok(());
        }
        let line = spool::line(&self.folder, report)?;
        self.spool.append(&line)?;
        match self.keep(report, line, record) {
            Some(whole) => self.write_shard(whole),
            None => Ok(()),
        }
    }

    /// What was added so far survives a power cut.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        self.spool.sync()
    }

    /// Puts a game into its group; the group's first number if it is whole now.
    fn keep(&mut self, report: &GameReport, line: Vec<u8>, record: Record) -> Option<u64> {
        let id = report.id;
        let (&first, group) = self.groups.range_mut(..=id).next_back()?;
        if !self.done.insert(id) {
            return None;
        }
        group.telemetry.add(report, &record);
        group.games.push(Waiting { id, line, record });
        (group.games.len() >= group.size).then_some(first)
    }

    /// All games are in shards: the spool goes.
    pub fn finish(self) -> Result<(), StoreError> {
        if !self.beyond.is_empty() {
            return Ok(());
        }
        self.spool.remove()
    }

    fn write_shard(&mut self, first: u64) -> Result<(), StoreError> {
        // It is not given up before its shard is there: others write the spool anew.
        let Some(group) = self.groups.get_mut(&first) else { return Ok(()) };
        group.games.sort_by_key(|game| game.id);
        let ids: Vec<u64> = group.games.iter().map(|game| game.id).collect();
        let json = |value: Result<String, serde_json::Error>| value.unwrap_or_default();
        let settings = WriterSettings {
            config: Some(self.config.to_string()),
            metadata: vec![
                (IDS.to_string(), json(serde_json::to_string(&ids))),
                (TELEMETRY.to_string(), json(serde_json::to_string(&group.telemetry))),
            ],
            ..WriterSettings::default()
        };
        let path = self.folder.join(format!("{PREFIX}{first:08}.parquet"));
        let mut file = FileWriter::create(&path, &settings)?;
        for game in &group.games {
            file.write(&game.record)?;
        }
        file.finish()?;
        self.telemetry.merge(&group.telemetry);
        self.groups.remove(&first);
        let left = self.groups.values().flat_map(|group| &group.games);
        let left = left.map(|game| &game.line).chain(&self.beyond);
        let left: Vec<&[u8]> = left.map(Vec::as_slice).collect();
        self.spool = Spool::create(&self.folder, &left)?;
        Ok(())
    }
}

pub fn failed(path: &Path) -> impl Fn(io::Error) -> StoreError + use<> {
    let path = path.to_path_buf();
    move |source| StoreError::Io { path: path.clone(), source }
}

/// The games that are missing, in groups of neighbors. Whole groups vanish as
/// they become shards, so that those left are the same in every run.
fn groups(done: &BTreeSet<u64>, size: Size) -> BTreeMap<u64, Group> {
    let missing: Vec<u64> = (0..size.games).filter(|id| !done.contains(id)).collect();
    let group = |ids: &[u64]| {
        (ids[0], Group { size: ids.len(), games: Vec::new(), telemetry: Telemetry::default() })
    };
    missing.chunks(size.shard.max(1)).map(group).collect()
}

fn settle_state(folder: &Path, config: &Value) -> Result<(), StoreError> {
    let path = folder.join(STATE);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let state = State {
                config: config.clone(),
                version: provenance::VERSION.to_string(),
                git: provenance::GIT.to_string(),
            };
            let bytes = serde_json::to_vec_pretty(&state).unwrap_or_default();
            return write_atomic(&path, &bytes).map_err(|source| StoreError::Io { path, source });
        }
        Err(source) => return Err(StoreError::Io { path, source }),
    };
    let state: State = serde_json::from_slice(&text)
        .map_err(|error| StoreError::State { path, cause: error.to_string() })?;
    if state.config == *config {
        return Ok(());
    }
    let differences = differences(&state.config, config).join("; ");
    Err(StoreError::OtherSettings { folder: folder.to_path_buf(), differences })
}

/// The games in shards, and what they were like.
fn read_shards(folder: &Path) -> Result<(BTreeSet<u64>, Telemetry), StoreError> {
    let mut done = BTreeSet::new();
    let mut telemetry = Telemetry::default();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !(name.starts_with(PREFIX) && name.ends_with(".parquet")) {
            continue;
        }
        let reader = Reader::open(&path)?;
        let text = |key: &str| reader.metadata().get(&format!("arbor.{key}"));
        let ids: Option<Vec<u64>> = text(IDS).and_then(|text| serde_json::from_str(text).ok());
        let Some(ids) = ids else {
            let cause = format!("it does not say which games it holds (arbor.{IDS})");
            return Err(StoreError::State { path, cause });
        };
        done.extend(ids);
        let known = text(TELEMETRY).and_then(|text| serde_json::from_str(text).ok());
        telemetry.merge(&known.unwrap_or_default());
    }
    Ok((done, telemetry))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{game, judged, settings};
    use super::*;

    fn open(folder: &Path) -> Result<(Store, Vec<GameReport>), StoreError> {
        Store::open(folder, Value::Null, Size { games: 4, shard: 2 })
    }

    fn add(store: &mut Store, id: u64) -> Result<(), StoreError> {
        store.add(&GameReport { id, ..game() }, judged(&game(), &settings()).unwrap())
    }

    #[test]
    fn a_shard_that_cannot_be_written_costs_no_game() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let (mut store, _) = open(folder).unwrap();
        let in_the_way = folder.join("selfplay-00000000.parquet");
        fs::create_dir_all(in_the_way.join("inside")).unwrap();
        add(&mut store, 0).unwrap();
        add(&mut store, 1).unwrap_err();
        // Others go on until they hear of it, and write the spool anew.
        add(&mut store, 2).unwrap();
        add(&mut store, 3).unwrap();
        drop(store);
        fs::remove_dir_all(in_the_way).unwrap();
        let (store, spooled) = open(folder).unwrap();
        let waiting: Vec<u64> = spooled.iter().map(|report| report.id).collect();
        assert_eq!((store.games(), waiting), (2, vec![0, 1]));
    }

    #[test]
    fn a_spool_of_another_version_is_not_thrown_away() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let (mut store, _) = open(folder).unwrap();
        add(&mut store, 0).unwrap();
        drop(store);
        let path = folder.join(spool::NAME);
        let whole = fs::read_to_string(&path).unwrap();
        // A line that was cut off is no game.
        fs::write(&path, format!("{}\n{whole}", &whole[..99])).unwrap();
        assert_eq!(open(folder).unwrap().1.len(), 1);
        let other = whole.replacen("\"termination\"", "\"end\"", 1);
        fs::write(&path, &other).unwrap();
        let told = open(folder).err().unwrap().to_string();
        assert!(told.contains("another version") && told.contains(spool::NAME), "{told}");
        assert_eq!(fs::read_to_string(&path).unwrap(), other);
    }
}
