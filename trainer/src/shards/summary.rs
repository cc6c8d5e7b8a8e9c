//! What a set of shards holds, counted record by record in constant memory.

use super::{Record, Replay, ReplayError, Step};
use serde::Serialize;
use shakmaty::{Chess, Position, Role};
use std::collections::BTreeMap;

/// Distinct names a tally keeps; further ones are counted together.
const NAMES: usize = 1 << 16;

/// Plies per bar of the histogram, and the number of bars; the last is open.
const BAR: usize = 20;
const BARS: usize = 12;

#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub games: u64,
    pub positions: u64,
    pub sources: Tally,
    pub results: Tally,
    pub terminations: Tally,
    pub openings: Tally,
    pub kinds: Tally,
    pub phases: Tally,
    /// Plies played per game.
    pub lengths: Lengths,
    /// Positions that have a policy target, a wdl, a q, a score.
    pub labels: Labels,
}

impl Summary {
    /// Counts a record and shows each of its plies to `visit`.
    pub fn add(
        &mut self,
        record: &Record,
        mut visit: impl FnMut(&Step),
    ) -> Result<(), ReplayError> {
        let mut replay = Replay::new(record)?;
        while let Some(step) = replay.advance()? {
            let ply = step.ply;
            self.positions += 1;
            self.kinds.add(ply.kind.text(), 1);
            self.phases.add(Phase::of(&step.line.last().position).text(), 1);
            self.labels.policy += u64::from(!ply.policy.is_empty());
            self.labels.wdl += u64::from(ply.wdl.is_some());
            self.labels.q += u64::from(ply.q.is_some());
            self.labels.score += u64::from(ply.score.is_some());
            visit(&step);
        }
        self.games += 1;
        self.sources.add(&record.source, 1);
        self.results.add(record.result.text(), 1);
        self.terminations.add(named(&record.termination), 1);
        self.openings.add(named(record.opening.as_deref().unwrap_or_default()), 1);
        *self.lengths.0.entry(record.moves().count()).or_default() += 1;
        Ok(())
    }

    pub fn merge(&mut self, other: Summary) {
        self.games += other.games;
        self.positions += other.positions;
        self.sources.merge(other.sources);
        self.results.merge(other.results);
        self.terminations.merge(other.terminations);
        self.openings.merge(other.openings);
        self.kinds.merge(other.kinds);
        self.phases.merge(other.phases);
        for (length, count) in other.lengths.0 {
            *self.lengths.0.entry(length).or_default() += count;
        }
        self.labels.policy += other.labels.policy;
        self.labels.wdl += other.labels.wdl;
        self.labels.q += other.labels.q;
        self.labels.score += other.labels.score;
    }
}

fn named(text: &str) -> &str {
    if text.is_empty() { "(unknown)" } else { text }
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Labels {
    pub policy: u64,
    pub wdl: u64,
    pub q: u64,
    pub score: u64,
}

/// How often each name was seen.
#[derive(Clone, Debug, Default)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    pub fn add(&mut self, name: &str, count: u64) {
        if let Some(sum) = self.0.get_mut(name) {
            *sum += count;
        } else {
            let name = if self.0.len() < NAMES { name } else { "(others)" };
            *self.0.entry(name.to_string()).or_default() += count;
        }
    }

    fn merge(&mut self, other: Tally) {
        for (name, count) in other.0 {
            self.add(&name, count);
        }
    }

    /// The most frequent names first.
    pub fn top(&self, count: usize) -> Vec<(&str, u64)> {
        let mut all: Vec<(&str, u64)> =
            self.0.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        all.sort_by_key(|(name, n)| (std::cmp::Reverse(*n), *name));
        all.truncate(count);
        all
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// How many games have each length.
#[derive(Clone, Debug, Default)]
pub struct Lengths(BTreeMap<usize, u64>);

/// Lengths in a few numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LengthSummary {
    pub min: usize,
    pub median: usize,
    pub mean: f64,
    pub max: usize,
    /// Games by length; each bar begins at `from` and ends before the next.
    pub histogram: Vec<Bar>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bar {
    pub from: usize,
    pub games: u64,
}

impl Lengths {
    pub fn summary(&self) -> LengthSummary {
        let games: u64 = self.0.values().sum();
        let plies: u64 = self.0.iter().map(|(length, count)| *length as u64 * count).sum();
        let mut seen = 0;
        let median = self.0.iter().find(|(_, count)| {
            seen += **count;
            seen * 2 >= games
        });
        let mut histogram: Vec<Bar> =
            (0..BARS).map(|bar| Bar { from: bar * BAR, games: 0 }).collect();
        for (length, count) in &self.0 {
            histogram[(length / BAR).min(BARS - 1)].games += count;
        }
        LengthSummary {
            min: self.0.keys().next().copied().unwrap_or(0),
            median: median.map_or(0, |(length, _)| *length),
            mean: plies as f64 / games.max(1) as f64,
            max: self.0.keys().next_back().copied().unwrap_or(0),
            histogram,
        }
    }
}

/// How much of a game is left, by the pieces on the board: a knight or bishop
/// counts 1, a rook 2 and a queen 4, which makes 24 at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// 22 and more: at most two minor pieces or a rook are gone.
    Opening,
    /// 9 to 21.
    Middlegame,
    /// 8 and less, such as a rook and two minor pieces each.
    Endgame,
}

impl Phase {
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    pub fn of(position: &Chess) -> Phase {
        let board = position.board();
        let worth = [(Role::Knight, 1), (Role::Bishop, 1), (Role::Rook, 2), (Role::Queen, 4)];
        match worth.into_iter().map(|(role, worth)| board.by_role(role).count() * worth).sum() {
            22.. => Phase::Opening,
            9..22 => Phase::Middlegame,
            _ => Phase::Endgame,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Middlegame => "middlegame",
            Phase::Endgame => "endgame",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{game, rich};
    use super::*;
    use engine::chess::parse_fen;

    #[test]
    fn phases_follow_the_pieces() {
        for (fen, phase) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Phase::Opening),
            ("r1bqkb1r/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1", Phase::Middlegame),
            ("r1b1k3/8/8/8/8/8/8/R1B1KN2 w - - 0 1", Phase::Endgame),
            ("r1bqk3/8/8/8/8/8/8/4KN2 w - - 0 1", Phase::Endgame),
            ("r1bqk3/8/8/8/8/8/8/4KNN1 w - - 0 1", Phase::Middlegame),
        ] {
            assert_eq!(Phase::of(&parse_fen(fen, false).unwrap()), phase, "{fen}");
        }
    }

    #[test]
    fn halves_merge_to_the_whole() {
        let records = [rich(), game(&rich().start_fen, "e2e4 e7e5 d2d4")];
        let mut whole = Summary::default();
        let mut parts = Summary::default();
        for record in &records {
            whole.add(record, |_| {}).unwrap();
            let mut part = Summary::default();
            part.add(record, |_| {}).unwrap();
            parts.merge(part);
        }
        assert_eq!((whole.games, whole.positions), (2, 8 + 3));
        let lengths = whole.lengths.summary();
        assert_eq!((lengths.min, lengths.median, lengths.mean, lengths.max), (3, 3, 5.0, 7));
        assert_eq!(lengths.histogram[0], Bar { from: 0, games: 2 });
        assert_eq!(whole.kinds.top(1), [("none", 9)]);
        assert_eq!(whole.results.top(9), [("*", 1), ("1/2-1/2", 1)]);
        assert_eq!((whole.labels.policy, whole.labels.wdl, whole.labels.score), (1, 2, 2));
        assert_eq!(format!("{whole:?}"), format!("{parts:?}"));
    }
}
