//! The sequential probability ratio test: after every pair it says whether the
//! match may end.
//!
//! It is the generalized test: the likelihood of the counts is maximized over
//! all distributions of the five outcomes that have the Elo difference of a
//! hypothesis, and the logarithm of the two maxima's ratio is compared with
//! bounds. No model of draws or openings is needed. The maximum under a given
//! mean is Owen's empirical likelihood; a normalized Elo fixes the ratio of mean
//! and spread instead, which is reached by repeating that step with the
//! constraint linearized where the last one ended.

use super::pairs::moments;
use super::{Pairs, expected_score};
use serde::{Deserialize, Serialize};
use std::f64::consts::{LN_10, SQRT_2};

/// What the bounds of the hypotheses are measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Elo as ratings have it.
    #[default]
    Logistic,
    /// Elo in units of a game's spread: the length of a match does not depend on
    /// the share of draws.
    Normalized,
}

/// Hypotheses and the chances of error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    /// Chance to accept `elo1` when `elo0` is true.
    #[serde(default = "Sprt::default_error")]
    pub alpha: f64,
    /// Chance to accept `elo0` when `elo1` is true.
    #[serde(default = "Sprt::default_error")]
    pub beta: f64,
    #[serde(default)]
    pub model: Model,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Decision {
    /// The difference is rather `elo0`.
    H0,
    /// The difference is rather `elo1`.
    H1,
}

/// Stands for outcomes that have not occurred: nothing is impossible.
const UNSEEN: f64 = 1e-3;
/// Every iteration settles long before.
const MOST_STEPS: usize = 100;

impl Sprt {
    pub fn default_error() -> f64 {
        0.05
    }

    /// Why such a test makes no sense.
    pub fn problem(&self) -> Option<String> {
        let share = |value: f64| value > 0.0 && value < 0.5;
        if !(self.elo0.is_finite() && self.elo1.is_finite() && self.elo0 < self.elo1) {
            return Some(format!("elo0 {} must be below elo1 {}", self.elo0, self.elo1));
        }
        (!share(self.alpha) || !share(self.beta))
            .then(|| "alpha and beta are chances of error, above 0 and below 0.5".to_string())
    }

    /// The ratio at which H0 and H1 are accepted, after Wald.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Logarithm of the likelihood ratio of `elo1` to `elo0`.
    pub fn llr(&self, pairs: &Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / total);
        let likeliest = |elo: f64| match self.model {
            Model::Logistic => with_mean(&shares, expected_score(elo)),
            Model::Normalized => with_ratio(&shares, SQRT_2 * elo * LN_10 / 800.0),
        };
        let (p0, p1) = (likeliest(self.elo0), likeliest(self.elo1));
        (0..5).map(|i| counts[i] * (p1[i] / p0[i]).ln()).sum()
    }

    pub fn decision(&self, pairs: &Pairs) -> Option<Decision> {
        let (lower, upper) = self.bounds();
        match self.llr(pairs) {
            llr if llr <= lower => Some(Decision::H0),
            llr if llr >= upper => Some(Decision::H1),
            _ => None,
        }
    }
}

/// The likeliest distribution whose mean score is `mean`.
fn with_mean(shares: &[f64; 5], mean: f64) -> [f64; 5] {
    balanced(shares, &Pairs::SCORES.map(|score| score - mean))
}

/// The likeliest distribution with (mean - 1/2) / spread = `ratio`.
fn with_ratio(shares: &[f64; 5], ratio: f64) -> [f64; 5] {
    let mut current = *shares;
    for _ in 0..MOST_STEPS {
        let (mean, variance) = moments(&current);
        let spread = variance.sqrt();
        // The spread is a function of the distribution; this is its tangent,
        // which agrees with it where the last step ended.
        let values = Pairs::SCORES.map(|score| {
            score - 0.5 - ratio * spread * (1.0 + ((score - mean) / spread).powi(2)) / 2.0
        });
        let next = balanced(shares, &values);
        let change = (0..5).map(|i| (next[i] - current[i]).abs()).fold(0.0, f64::max);
        current = next;
        if change < 1e-10 {
            break;
        }
    }
    current
}

/// The likeliest distribution under which `values` have the mean zero: the
/// shares divided by 1 + x * value, for the one x that achieves it.
fn balanced(shares: &[f64; 5], values: &[f64; 5]) -> [f64; 5] {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least >= 0.0 || most <= 0.0 {
        // No distribution can; the data's own is the nearest thing.
        return *shares;
    }
    // The mean falls in x, from infinity to minus infinity between these poles:
    // Newton's steps, or halves where those would leave the bracket.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    let mut x = 0.0;
    for _ in 0..MOST_STEPS {
        let (mut mean, mut slope) = (0.0, 0.0);
        for (p, value) in shares.iter().zip(values) {
            let term = value / (1.0 + x * value);
            mean += p * term;
            slope -= p * term * term;
        }
        if mean > 0.0 {
            low = x
        } else {
            high = x
        }
        let step = x - mean / slope;
        let next = if step > low && step < high { step } else { (low + high) / 2.0 };
        let settled = (next - x).abs() <= 1e-14 * (high - low).max(x.abs());
        x = next;
        if settled {
            break;
        }
    }
    let mut result = *shares;
    for (p, value) in result.iter_mut().zip(values) {
        *p /= 1.0 + x * value;
    }
    result
}
