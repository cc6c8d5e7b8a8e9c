//! Counts of games and of pairs.

use serde::{Deserialize, Serialize};

/// A game's result in the view of one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GameResult {
    Loss,
    Draw,
    Win,
}

impl GameResult {
    /// In half points.
    fn halves(self) -> usize {
        self as usize
    }

    pub fn reversed(self) -> GameResult {
        match self {
            GameResult::Loss => GameResult::Win,
            GameResult::Draw => GameResult::Draw,
            GameResult::Win => GameResult::Loss,
        }
    }
}

/// Games won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Tally {
    pub fn add(&mut self, result: GameResult) {
        match result {
            GameResult::Win => self.wins += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::Loss => self.losses += 1,
        }
    }

    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points per game; one half before any game.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wins as f64 + self.draws as f64 / 2.0) / games as f64,
        }
    }

    pub fn draw_rate(&self) -> f64 {
        self.draws as f64 / self.games().max(1) as f64
    }
}

/// Pairs of games by their sum, from 0 to 2 points in halves: the five outcomes
/// that give the pentanomial model its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairs(pub [u64; 5]);

impl Pairs {
    /// Points per game of each outcome.
    pub const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    pub fn add(&mut self, games: [GameResult; 2]) {
        self.0[games[0].halves() + games[1].halves()] += 1;
    }

    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// As the other player sees them.
    pub fn reversed(&self) -> Pairs {
        let mut counts = self.0;
        counts.reverse();
        Pairs(counts)
    }

    /// Mean and variance of a pair's points per game.
    pub fn moments(&self) -> (f64, f64) {
        moments(&self.0.map(|count| count as f64))
    }
}

/// Mean and variance of the outcomes' scores under (unscaled) weights.
pub(super) fn moments(weights: &[f64; 5]) -> (f64, f64) {
    let total: f64 = weights.iter().sum();
    let mean_of = |value: &dyn Fn(f64) -> f64| {
        weights.iter().zip(Pairs::SCORES).map(|(weight, score)| weight * value(score)).sum::<f64>()
            / total
    };
    let mean = mean_of(&|score| score);
    (mean, mean_of(&|score| (score - mean).powi(2)))
}
