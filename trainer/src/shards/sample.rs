//! A random sample of positions, ready to be shown.
//!
//! Every position has a key drawn from the seed and its place in the data, and
//! the smallest keys are kept. So the sample is uniform, needs no count of the
//! positions beforehand, and is the same however many threads look.

use super::replay::{describe, legal};
use super::{Ply, Record, Score, Step};
use serde::Serialize;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, EnPassantMode};
use std::collections::BTreeMap;

/// Moves of a policy target that are shown.
const MOVES: usize = 6;

/// Where a position stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Counts in the order of the files.
    pub file: usize,
    pub row: usize,
    pub ply: usize,
}

/// One position with all that is known of it; moves in SAN.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    pub row: usize,
    pub ply: usize,
    pub fen: String,
    pub played: Option<String>,
    /// The heaviest moves; the weights of all sum to 1.
    pub policy: Vec<SampleTarget>,
    pub wdl: Option<[f32; 3]>,
    pub q: Option<f32>,
    pub cp: Option<i32>,
    pub mate: Option<i32>,
    pub kind: &'static str,
    pub weight: f32,
    pub result: &'static str,
    pub source: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct SampleTarget {
    #[serde(rename = "move")]
    pub m: String,
    pub weight: f32,
    pub visits: Option<u32>,
    pub prior: Option<f32>,
    pub value: Option<f32>,
}

/// Collects the sample.
#[derive(Debug)]
pub struct Sampler {
    seed: u64,
    size: usize,
    kept: BTreeMap<(u64, Place), Sample>,
}

impl Sampler {
    pub fn new(size: usize, seed: u64) -> Sampler {
        Sampler { seed, size, kept: BTreeMap::new() }
    }

    /// Shows one ply of `record` to the sampler.
    pub fn add(&mut self, place: Place, record: &Record, step: &Step) {
        let key = (self.key(place), place);
        let full = self.kept.len() >= self.size;
        if self.kept.last_key_value().is_none_or(|(largest, _)| !full || key < *largest) {
            self.insert(key, Sample::new(place, record, step));
        }
    }

    pub fn merge(&mut self, other: Sampler) {
        for (key, sample) in other.kept {
            self.insert(key, sample);
        }
    }

    /// With the number of its file, in the order of the draw.
    pub fn finish(self) -> impl Iterator<Item = (usize, Sample)> {
        self.kept.into_iter().map(|((_, place), sample)| (place.file, sample))
    }

    fn insert(&mut self, key: (u64, Place), sample: Sample) {
        self.kept.insert(key, sample);
        if self.kept.len() > self.size {
            self.kept.pop_last();
        }
    }

    fn key(&self, place: Place) -> u64 {
        [place.file, place.row, place.ply]
            .into_iter()
            .fold(mix(self.seed), |key, part| mix(key ^ part as u64))
    }
}

/// One step of SplitMix64.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl Sample {
    fn new(place: Place, record: &Record, step: &Step) -> Sample {
        let position = &step.line.last().position;
        let ply = step.ply;
        let (cp, mate) = match ply.score {
            Some(Score::Centipawns(cp)) => (Some(cp), None),
            Some(Score::Mate(moves)) => (None, Some(moves)),
            None => (None, None),
        };
        Sample {
            row: place.row,
            ply: place.ply,
            fen: Fen::from_position(position, EnPassantMode::Legal).to_string(),
            played: step.played.map(|m| SanPlus::from_move(position.clone(), m).to_string()),
            policy: targets(ply, position),
            wdl: ply.wdl,
            q: ply.q,
            cp,
            mate,
            kind: ply.kind.text(),
            weight: ply.weight,
            result: record.result.text(),
            source: record.source.clone(),
        }
    }
}

fn targets(ply: &Ply, position: &Chess) -> Vec<SampleTarget> {
    let sum: f32 = ply.policy.iter().map(|target| target.weight).sum();
    let mut policy: Vec<_> = ply.policy.iter().collect();
    policy.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    policy
        .into_iter()
        .take(MOVES)
        .map(|target| SampleTarget {
            m: match legal(target.m, position) {
                Some(m) => SanPlus::from_move(position.clone(), m).to_string(),
                None => format!("{} (illegal)", describe(target.m)),
            },
            weight: target.weight / sum,
            visits: target.visits,
            prior: target.prior,
            value: target.value,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Replay;
    use super::super::tests::{game, rich};
    use super::*;

    fn sampled(sampler: &mut Sampler, file: usize, record: &Record) {
        let mut replay = Replay::new(record).unwrap();
        while let Some(step) = replay.advance().unwrap() {
            sampler.add(Place { file, row: 0, ply: step.index }, record, &step);
        }
    }

    #[test]
    fn the_draw_depends_on_the_seed_alone() {
        let records = [rich(), game(&rich().start_fen, "d2d4 d7d5 c2c4 e7e6")];
        let draw = |seed, parts: bool| {
            let mut whole = Sampler::new(3, seed);
            for (file, record) in records.iter().enumerate() {
                if parts {
                    let mut part = Sampler::new(3, seed);
                    sampled(&mut part, file, record);
                    whole.merge(part);
                } else {
                    sampled(&mut whole, file, record);
                }
            }
            whole.finish().map(|(file, sample)| (file, sample.ply)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, false).len(), 3);
        assert_eq!(draw(1, false), draw(1, true));
        assert!((2..9).any(|seed| draw(seed, false) != draw(1, false)));
    }

    #[test]
    fn a_sample_tells_all() {
        let mut sampler = Sampler::new(99, 0);
        sampled(&mut sampler, 0, &rich());
        let samples: Vec<Sample> = sampler.finish().map(|(_, sample)| sample).collect();
        assert_eq!(samples.len(), 8);
        let first = samples.iter().find(|sample| sample.ply == 0).unwrap();
        assert_eq!(first.played.as_deref(), Some("e4"));
        assert_eq!((first.policy[0].m.as_str(), first.policy[0].weight), ("e4", 0.75));
        assert_eq!((first.wdl, first.cp), (Some([0.5, 0.375, 0.125]), Some(31)));
        let castled = samples.iter().find(|sample| sample.ply == 6).unwrap();
        assert_eq!(castled.played.as_deref(), Some("O-O"));
    }
}
