//! Which positions count: records in, the plies to take of them out.

use super::random::{Purpose, random};
use super::settings::DatasetSettings;
use super::split::Split;
use crate::shards::{Ply, Record, SearchKind};
use std::ops::AddAssign;

pub struct Filter {
    split: Split,
    validation: f32,
    /// First generation inside the window.
    oldest: Option<u32>,
    min_ply: usize,
    max_ply: usize,
    kinds: Option<Vec<SearchKind>>,
    sample_rate: f64,
    seed: u64,
}

impl Filter {
    /// `newest` is the last generation there is.
    pub fn new(settings: &DatasetSettings, split: Split, newest: Option<u32>) -> Filter {
        let oldest = settings
            .window
            .zip(newest)
            .map(|(window, newest)| newest.saturating_sub(window.saturating_sub(1)));
        Filter {
            split,
            validation: settings.validation,
            oldest,
            min_ply: settings.min_ply.unwrap_or(0),
            max_ply: settings.max_ply.unwrap_or(usize::MAX),
            kinds: settings.kinds.clone(),
            sample_rate: f64::from(settings.sample_rate),
            seed: settings.seed,
        }
    }

    /// The plies to take, in order.
    pub fn pick(&self, record: &Record, key: RecordKey, left_out: &mut LeftOut) -> Vec<usize> {
        if Split::of(record.group, self.validation) != self.split {
            left_out.split += record.plies.len();
            return Vec::new();
        }
        if self.oldest > record.generation.or(self.oldest) {
            left_out.window += record.plies.len();
            return Vec::new();
        }
        let takes = |(index, ply): (usize, &Ply)| {
            let cause = if index < self.min_ply || index > self.max_ply {
                &mut left_out.ply
            } else if self.kinds.as_ref().is_some_and(|kinds| !kinds.contains(&ply.kind)) {
                &mut left_out.kind
            } else if ply.weight <= 0.0 {
                &mut left_out.weight
            } else if self.thins_out(key, index) {
                &mut left_out.thinning
            } else {
                return Some(index);
            };
            *cause += 1;
            None
        };
        record.plies.iter().enumerate().filter_map(takes).collect()
    }

    fn thins_out(&self, key: RecordKey, ply: usize) -> bool {
        let words = [self.seed, key.epoch, key.shard, key.row as u64, ply as u64];
        self.sample_rate < 1.0 && random(Purpose::Thinning, &words).unit() >= self.sample_rate
    }
}

/// What the thinning of a record depends on.
#[derive(Clone, Copy)]
pub struct RecordKey {
    pub epoch: u64,
    /// Number of the shard in its source.
    pub shard: u64,
    pub row: usize,
}

/// Positions that were passed over, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    pub split: usize,
    pub window: usize,
    pub ply: usize,
    pub kind: usize,
    pub weight: usize,
    pub thinning: usize,
    /// Checkmate and stalemate.
    pub no_moves: usize,
    /// Neither a move nor a value is known.
    pub no_target: usize,
}

impl LeftOut {
    /// In words, the settings by name.
    pub fn describe(&self) -> String {
        let causes = [
            (self.split, "on the other side of the `validation` split"),
            (self.window, "outside the `window` of generations"),
            (self.ply, "outside `min_ply` and `max_ply`"),
            (self.kind, "not of the `kinds`"),
            (self.weight, "of weight 0"),
            (self.thinning, "thinned out by `sample_rate`"),
            (self.no_moves, "without legal moves"),
            (self.no_target, "without a move or value to learn"),
        ];
        let named: Vec<String> = causes
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, cause)| format!("{count} {cause}"))
            .collect();
        if named.is_empty() { "the shards hold no positions".into() } else { named.join(", ") }
    }
}

impl AddAssign for LeftOut {
    fn add_assign(&mut self, other: LeftOut) {
        self.split += other.split;
        self.window += other.window;
        self.ply += other.ply;
        self.kind += other.kind;
        self.weight += other.weight;
        self.thinning += other.thinning;
        self.no_moves += other.no_moves;
        self.no_target += other.no_target;
    }
}
