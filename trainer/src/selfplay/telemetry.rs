//! What a run's games were like: reports in, counts and means out.

use super::SelfplayError;
use crate::files::write_atomic;
use crate::openings::{family_of, name_of};
use crate::shards::{Outcome, Record};
use engine::chess::{Line, PackedMove};
use engine::selfplay::protocol::{Effort, GameReport, Totals};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// In the folder of a run.
pub const FILE: &str = "telemetry.json";

/// Plies of one bar of the length histogram.
const LENGTH_STEP: u32 = 20;

/// Of ends, first moves and openings, so many are told.
const SHOWN: usize = 8;

/// Sums over games; everything else follows by division.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Telemetry {
    pub games: u64,
    pub plies: u64,
    pub white_wins: u64,
    pub draws: u64,
    pub black_wins: u64,
    pub terminations: BTreeMap<String, u64>,
    /// By the first ply of each bar.
    pub lengths: BTreeMap<u32, u64>,
    /// Of games that begin at the usual start, in UCI.
    pub first_moves: BTreeMap<String, u64>,
    /// Of the same games, without variations.
    pub openings: BTreeMap<String, u64>,
    /// Games played on after somebody would have resigned, to an end that is not
    /// just a limit, and those among them that were not lost.
    pub resignations_tested: u64,
    pub resignations_wrong: u64,
    pub effort: Effort,
    /// Of the engine, over all of its runs.
    pub machine: Totals,
}

impl Telemetry {
    /// What a run has left in its folder, if anything.
    pub fn read(folder: &Path) -> Option<Telemetry> {
        let text = std::fs::read(folder.join(FILE)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    pub fn save(&self, folder: &Path) -> Result<(), SelfplayError> {
        let path = folder.join(FILE);
        let bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        write_atomic(&path, &bytes).map_err(|source| SelfplayError::Write { path, source })
    }

    pub fn add(&mut self, report: &GameReport, record: &Record) {
        self.games += 1;
        self.plies += report.plies.len() as u64;
        match record.result {
            Outcome::White => self.white_wins += 1,
            Outcome::Black => self.black_wins += 1,
            Outcome::Draw | Outcome::Unknown => self.draws += 1,
        }
        *self.terminations.entry(report.termination.clone()).or_default() += 1;
        let bar = report.plies.len() as u32 / LENGTH_STEP * LENGTH_STEP;
        *self.lengths.entry(bar).or_default() += 1;
        self.count_opening(report);
        if let Some(resignation) = report.resignation
            && !["resignation", "move limit"].contains(&report.termination.as_str())
        {
            let lost = match resignation.white {
                true => Outcome::Black,
                false => Outcome::White,
            };
            self.resignations_tested += 1;
            self.resignations_wrong += u64::from(record.result != lost);
        }
        self.effort.add(&report.effort);
    }

    fn count_opening(&mut self, report: &GameReport) {
        if !report.start_fen.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq") {
            return;
        }
        let mut line = Line::new(shakmaty::Chess::default());
        for (at, ply) in report.plies.iter().take(12).enumerate() {
            let m = PackedMove(ply.played).unpack(&line.last().position);
            // What a book or the lot began with is no choice of the network's.
            if at == 0 && ply.search.is_some() {
                let text = m.to_uci(shakmaty::CastlingMode::Standard).to_string();
                *self.first_moves.entry(text).or_default() += 1;
            }
            line.push(m);
        }
        let name = name_of(&line).map_or("unnamed", |named| family_of(named.name));
        *self.openings.entry(name.to_string()).or_default() += 1;
    }

    /// Adds other games.
    pub fn merge(&mut self, other: &Telemetry) {
        self.games += other.games;
        self.plies += other.plies;
        self.white_wins += other.white_wins;
        self.draws += other.draws;
        self.black_wins += other.black_wins;
        merge_counts(&mut self.terminations, &other.terminations);
        merge_counts(&mut self.lengths, &other.lengths);
        merge_counts(&mut self.first_moves, &other.first_moves);
        merge_counts(&mut self.openings, &other.openings);
        self.resignations_tested += other.resignations_tested;
        self.resignations_wrong += other.resignations_wrong;
        self.effort.add(&other.effort);
        self.machine.add(&other.machine);
    }

    /// The means, by the names that metrics have.
    pub fn metrics(&self) -> Vec<(String, f64)> {
        let per = |sum: f64, count: u64| sum / count.max(1) as f64;
        let (effort, machine) = (&self.effort, &self.machine);
        let seconds = machine.seconds.max(1e-9);
        let mut means = vec![
            ("games", self.games as f64),
            ("length", per(self.plies as f64, self.games)),
            ("white_wins", per(self.white_wins as f64, self.games)),
            ("draws", per(self.draws as f64, self.games)),
            ("black_wins", per(self.black_wins as f64, self.games)),
            ("games_per_second", machine.games as f64 / seconds),
            ("nodes_per_second", machine.simulations as f64 / seconds),
        ];
        // Only our engine tells how it searched,
        if effort.evaluations > 0 {
            let full = u64::from(effort.full_searches);
            means.extend([
                ("visit_entropy", per(effort.entropy, full)),
                ("policy_surprise", per(effort.surprise, full)),
                ("depth", per(effort.depth as f64, effort.simulations)),
                ("cache_hits", per(effort.cache_hits as f64, effort.simulations)),
                ("deepest", f64::from(effort.deepest)),
            ]);
        }
        // and how busy it was, unless it was killed before it could.
        if machine.evaluations > 0 {
            let threads = machine.by_thread.len().max(1) as f64;
            means.extend([
                ("batch_fill", per(machine.evaluations as f64, machine.room)),
                ("network_share", machine.network_seconds / (seconds * threads)),
                ("evaluations_per_second", machine.evaluations as f64 / seconds),
            ]);
        }
        let mut metrics: Vec<(String, f64)> =
            means.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
        if self.resignations_tested > 0 {
            let wrong = per(self.resignations_wrong as f64, self.resignations_tested);
            metrics.push(("resignations_wrong".to_string(), wrong));
        }
        for (thread, nodes) in machine.by_thread.iter().enumerate() {
            metrics.push((format!("nodes_per_second/thread{thread}"), *nodes as f64 / seconds));
        }
        let shares = [
            ("end", &self.terminations),
            ("first_move", &self.first_moves),
            ("opening", &self.openings),
        ];
        for (group, counts) in shares {
            // Not all games begin where a first move or an opening is counted.
            let all = counts.values().sum();
            for (name, count) in most_frequent(counts) {
                metrics.push((format!("{group}/{name}"), per(count as f64, all)));
            }
        }
        for (from, count) in self.length_bars() {
            let name = format!("length/{from}-{}", from + LENGTH_STEP - 1);
            metrics.push((name, per(count as f64, self.games)));
        }
        metrics
    }

    /// Games by length: the first ply of each bar, those without games included.
    pub fn length_bars(&self) -> Vec<(u32, u64)> {
        let last = self.lengths.keys().next_back();
        let bars = last.into_iter().flat_map(|last| (0..=*last).step_by(LENGTH_STEP as usize));
        bars.map(|from| (from, self.lengths.get(&from).copied().unwrap_or(0))).collect()
    }

    /// A length for each game, in the middle of its bar.
    pub fn typical_lengths(&self) -> Vec<f32> {
        let games = self.lengths.iter();
        let middle = |from: u32| (from + LENGTH_STEP / 2) as f32;
        games.flat_map(|(from, n)| std::iter::repeat_n(middle(*from), *n as usize)).collect()
    }
}

/// The most frequent ones; the last one is for all others, where there are some.
pub fn most_frequent(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut all: Vec<(&str, u64)> = counts.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let others: u64 = all.iter().skip(SHOWN).map(|(_, count)| count).sum();
    all.truncate(SHOWN);
    all.extend((others > 0).then_some(("other", others)));
    all
}

fn merge_counts<K: Ord + Clone>(sum: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
    for (name, count) in more {
        *sum.entry(name.clone()).or_default() += count;
    }
}
