//! The shards of one source: paths in, row groups in an order for each epoch
//! out, and their samples.

use super::error::DatasetError;
use super::filter::RecordKey;
use super::part::{Part, Recipe};
use super::random::{Purpose, random};
use crate::provenance;
use crate::shards::{Reader, ShardError, find_shards};
use std::path::PathBuf;

pub struct Source {
    /// As the settings name them.
    pub paths: Vec<PathBuf>,
    shards: Vec<Reader>,
    groups: Vec<Group>,
}

/// A row group of a shard.
#[derive(Clone, Copy)]
struct Group {
    shard: usize,
    index: usize,
    first_row: usize,
}

impl Source {
    pub fn open(paths: &[PathBuf]) -> Result<Source, DatasetError> {
        let mut source = Source { paths: paths.to_vec(), shards: Vec::new(), groups: Vec::new() };
        for path in find_shards(paths)? {
            let reader = Reader::open(&path)?;
            let mut first_row = 0;
            for index in 0..reader.row_groups() {
                source.groups.push(Group { shard: source.shards.len(), index, first_row });
                first_row += reader.records_in(index);
            }
            source.shards.push(reader);
        }
        Ok(source)
    }

    /// Row groups in an epoch.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Changes when shards come or go.
    pub fn fingerprint(&self) -> String {
        let mut words = String::new();
        for shard in &self.shards {
            let name = shard.path().file_name().unwrap_or_default().to_string_lossy();
            words += &format!("{name} {} {}\n", shard.len(), shard.row_groups());
        }
        provenance::hash(words.as_bytes())
    }

    /// The last generation of all records, if any has one.
    pub fn newest_generation(&self) -> Result<Option<u32>, ShardError> {
        let mut newest = None;
        for shard in &self.shards {
            newest = newest.max(shard.newest_generation()?);
        }
        Ok(newest)
    }

    /// Row groups by number, in the order of an epoch. `seed` has the source's
    /// number in it.
    pub fn order(&self, seed: u64, epoch: u64) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.groups.len() as u32).collect();
        random(Purpose::Groups, &[seed, epoch]).shuffle(&mut order);
        order
    }

    /// Reads a row group.
    pub fn read(&self, number: u32, epoch: u64, recipe: &Recipe) -> Result<Part, ShardError> {
        let group = self.groups[number as usize];
        let shard = &self.shards[group.shard];
        let mut part = Part::default();
        for (at, record) in shard.read_group(group.index)?.iter().enumerate() {
            let row = group.first_row + at;
            let key = RecordKey { epoch, shard: group.shard as u64, row };
            part.add(record, key, recipe).map_err(|reason| {
                let path = shard.path().to_path_buf();
                ShardError::Row { path, row, reason }
            })?;
        }
        Ok(part)
    }
}
