//! What to train on: shards, their mixture, and which positions of them.

use super::error::DatasetError;
use super::targets::TargetSettings;
use crate::shards::SearchKind;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DatasetSettings {
    pub sources: Vec<SourceSettings>,
    pub batch_size: usize,
    /// Decides the order, the mixture and the thinning; never the split.
    pub seed: u64,
    /// Share of all groups that is kept from training, 0 to 1.
    pub validation: f32,
    /// Only the newest generations, so many; records without one always count.
    pub window: Option<u32>,
    /// First and last position to take of each record, counted from 0.
    pub min_ply: Option<usize>,
    pub max_ply: Option<usize>,
    /// Only positions that were thought about in these ways.
    pub kinds: Option<Vec<SearchKind>>,
    /// Share of each record's positions that an epoch takes, others each time.
    pub sample_rate: f32,
    pub targets: TargetSettings,
    /// Positions that are shuffled together, over all sources. Twice as many
    /// are in memory, 0.4 GB at the default; with a low `sample_rate` and an
    /// encoder of several boards, 0.2 kB more for each board of a position.
    pub shuffle: usize,
    /// Threads that read and encode; 0 for one per processor.
    pub workers: usize,
    /// Batches made ahead.
    pub prefetch: usize,
}

/// Shards that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceSettings {
    /// Files, or folders of them.
    pub paths: Vec<PathBuf>,
    /// Its part of every batch, relative to the other sources.
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

impl Default for DatasetSettings {
    fn default() -> DatasetSettings {
        DatasetSettings {
            sources: Vec::new(),
            batch_size: 1024,
            seed: 0,
            validation: 0.02,
            window: None,
            min_ply: None,
            max_ply: None,
            kinds: None,
            sample_rate: 1.0,
            targets: TargetSettings::default(),
            shuffle: 1 << 18,
            workers: 0,
            prefetch: 4,
        }
    }
}

impl DatasetSettings {
    /// Refuses values that cannot work, before anything is read.
    pub fn check(&self) -> Result<(), DatasetError> {
        let refuse = |name: &'static str, why: &str| {
            Err(DatasetError::Setting { name, why: why.to_string() })
        };
        if self.sources.is_empty() {
            return refuse("sources", "is empty; name at least one folder of shards");
        }
        if self.sources.iter().any(|source| !(source.weight > 0.0 && source.weight.is_finite())) {
            return refuse("sources.weight", "must be above 0");
        }
        if self.batch_size == 0 || self.shuffle == 0 || self.prefetch == 0 {
            return refuse("batch_size, shuffle and prefetch", "must be at least 1");
        }
        if !(0.0..=1.0).contains(&self.validation) {
            return refuse("validation", "is a share: 0 to 1");
        }
        if !(self.sample_rate > 0.0 && self.sample_rate <= 1.0) {
            return refuse("sample_rate", "is a share: above 0, at most 1");
        }
        if self.window == Some(0) {
            return refuse("window", "must be at least 1; leave it out for all generations");
        }
        if self.kinds.as_ref().is_some_and(Vec::is_empty) {
            return refuse("kinds", "is empty; leave it out for all kinds");
        }
        self.targets.check()
    }

    /// The number of worker threads that 0 stands for.
    pub fn threads(&self) -> usize {
        match self.workers {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            workers => workers,
        }
    }
}
