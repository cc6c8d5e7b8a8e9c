//! One source's samples in order: row groups are read ahead, gathered into
//! blocks and handed out sample by sample, epoch after epoch.

use super::block::Block;
use super::cursor::{Place, SourceCursor};
use super::error::DatasetError;
use super::filter::LeftOut;
use super::part::{Part, Recipe};
use super::random::{Purpose, random};
use super::source::Source;
use super::workers::Workers;
use crate::shards::ShardError;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

pub struct StreamSettings {
    /// Another for every source.
    pub seed: u64,
    /// Samples that a block should have.
    pub block: usize,
    /// Stop after the first epoch.
    pub once: bool,
}

/// A sample: a block and the place in its order.
pub type Pick = (Arc<Block>, usize);

pub struct Stream {
    source: Arc<Source>,
    recipe: Arc<Recipe>,
    settings: StreamSettings,
    fingerprint: String,
    block: Arc<Block>,
    taken: usize,
    /// Where the block begins, and where the next one will.
    start: Place,
    end: Place,
    /// Samples of the next block that an earlier run has taken.
    skip: usize,
    /// Row groups that are read for the next block, in order.
    ahead: VecDeque<Receiver<Result<Part, ShardError>>>,
    /// The row group to read after those, and the order of its epoch.
    unread: Place,
    order: Vec<u32>,
    /// What passed by so far: samples, row groups, and all that was left out.
    samples: usize,
    groups: usize,
    pub left_out: LeftOut,
}

impl Stream {
    /// Goes on at `cursor` if that was taken from the same shards.
    pub fn new(
        source: Source,
        recipe: Arc<Recipe>,
        settings: StreamSettings,
        cursor: Option<&SourceCursor>,
    ) -> Stream {
        let fingerprint = source.fingerprint();
        let (start, skip) = match cursor {
            Some(same) if same.shards == fingerprint => (same.place, same.taken),
            Some(other) => (next_epoch(other.place), 0),
            None => (Place::default(), 0),
        };
        Stream {
            order: source.order(settings.seed, start.epoch),
            source: Arc::new(source),
            recipe,
            settings,
            fingerprint,
            block: Arc::default(),
            taken: 0,
            start,
            end: start,
            skip,
            ahead: VecDeque::new(),
            unread: start,
            samples: 0,
            groups: 0,
            left_out: LeftOut::default(),
        }
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    pub fn cursor(&self) -> SourceCursor {
        let (place, taken) = match self.taken < self.block.len() {
            true => (self.start, self.taken),
            false => (self.end, self.skip),
        };
        SourceCursor { shards: self.fingerprint.clone(), place, taken }
    }

    /// Samples in an epoch, judged by what was read so far.
    pub fn samples_per_epoch(&self) -> f64 {
        self.samples as f64 / self.groups.max(1) as f64 * self.source.len() as f64
    }

    /// The next sample; `None` only when one epoch was asked for and is over.
    pub fn next(&mut self, workers: &Workers) -> Result<Option<Pick>, DatasetError> {
        while self.taken >= self.block.len() {
            if self.settings.once && self.end.epoch > 0 {
                return Ok(None);
            }
            self.gather(workers)?;
        }
        self.taken += 1;
        Ok(Some((Arc::clone(&self.block), self.taken - 1)))
    }

    /// Reads on for the next block at the pace that this one is used up, so
    /// that batches never queue behind a whole block.
    pub fn read_on(&mut self, workers: &Workers) {
        let due = self.block.groups() * self.taken / self.block.len().max(1) + 1;
        self.read_ahead(due.saturating_sub(self.ahead.len()), workers);
    }

    /// Whole row groups until there are samples enough or the epoch ends. That
    /// depends on nothing but the data, so a cursor finds the same block again.
    fn gather(&mut self, workers: &Workers) -> Result<(), DatasetError> {
        self.start = self.end;
        let mut parts = Vec::new();
        let mut samples = 0;
        while samples < self.settings.block && self.end.epoch == self.start.epoch {
            if self.ahead.is_empty() {
                self.read_ahead(workers.count(), workers);
            }
            let Some(reading) = self.ahead.pop_front() else { break };
            let part = reading.recv().map_err(|_| DatasetError::Stopped)??;
            self.left_out += part.left_out;
            samples += part.samples.len();
            parts.push(part);
            self.end = self.after(self.end);
        }
        let whole_epoch = self.start.group == 0 && self.end.epoch > self.start.epoch;
        if samples == 0 && whole_epoch && !self.settings.once {
            return Err(DatasetError::Empty {
                paths: self.source.paths.clone(),
                purpose: "training",
                causes: self.left_out.describe(),
            });
        }
        self.samples += samples;
        self.groups += parts.len();
        let words = [self.settings.seed, self.start.epoch, self.start.group as u64];
        self.block = Arc::new(Block::new(parts, random(Purpose::Block, &words)));
        self.taken = std::mem::take(&mut self.skip);
        Ok(())
    }

    fn read_ahead(&mut self, groups: usize, workers: &Workers) {
        for _ in 0..groups {
            if self.settings.once && self.unread.epoch > 0 {
                return;
            }
            let Some(group) = self.order.get(self.unread.group).copied() else { return };
            let (source, recipe) = (Arc::clone(&self.source), Arc::clone(&self.recipe));
            let epoch = self.unread.epoch;
            self.ahead.push_back(workers.run(move || source.read(group, epoch, &recipe)));
            self.unread = self.after(self.unread);
            if self.unread.epoch > epoch {
                self.order = self.source.order(self.settings.seed, self.unread.epoch);
            }
        }
    }

    fn after(&self, place: Place) -> Place {
        if place.group + 1 >= self.source.len() {
            return next_epoch(place);
        }
        Place { group: place.group + 1, ..place }
    }
}

fn next_epoch(place: Place) -> Place {
    Place { epoch: place.epoch + 1, group: 0 }
}
