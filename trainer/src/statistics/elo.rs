//! How far apart two players are.

use super::interval::finite;
use super::{Interval, Pairs, normal_cdf};
use serde::Serialize;
use std::f64::consts::{LN_10, SQRT_2};

/// The expected score of a player who is stronger by so much Elo.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Its inverse; infinite at 0 and 1.
pub fn logistic_elo(score: f64) -> f64 {
    // The zero makes an even score +0.
    -400.0 * (1.0 / score - 1.0).log10() + 0.0
}

/// What the pairs of a match say about the difference of its two players.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Points per game.
    pub score: f64,
    #[serde(serialize_with = "finite")]
    pub elo: f64,
    pub interval: Interval,
    /// The difference in units of a game's spread: comparable between openings
    /// and time controls with different shares of draws.
    #[serde(serialize_with = "finite")]
    pub normalized_elo: f64,
    /// Likelihood of superiority.
    pub los: f64,
}

impl Comparison {
    /// `None` before the first pair is finished.
    pub fn new(pairs: &Pairs) -> Option<Comparison> {
        let count = pairs.count();
        if count == 0 {
            return None;
        }
        let (score, variance) = pairs.moments();
        let bounds = match variance > 0.0 {
            true => Interval::around(score, (variance / count as f64).sqrt()),
            false => unanimous(score, count),
        };
        let error = match variance > 0.0 {
            true => (variance / count as f64).sqrt(),
            // By the bound that faces equality.
            false if score > 0.5 => (score - bounds.low) / super::CONFIDENCE,
            false => (bounds.high - score) / super::CONFIDENCE,
        };
        Some(Comparison {
            score,
            elo: logistic_elo(score),
            interval: Interval {
                low: logistic_elo(bounds.low.max(0.0)),
                high: logistic_elo(bounds.high.min(1.0)),
            },
            normalized_elo: match score == 0.5 {
                true => 0.0,
                false => (score - 0.5) / (SQRT_2 * variance.sqrt()) * 800.0 / LN_10,
            },
            los: normal_cdf((score - 0.5) / error),
        })
    }
}

/// When all pairs ended alike there is no spread to judge by: other outcomes may
/// be so rare that a run without them has a chance of 2.5 %, and at worst they
/// are the extreme ones.
fn unanimous(score: f64, count: u64) -> Interval {
    let others = 1.0 - 0.025_f64.powf(1.0 / count as f64);
    Interval { low: score * (1.0 - others), high: score + (1.0 - score) * others }
}
