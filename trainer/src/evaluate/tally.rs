//! Sums over positions in, means out.

use crate::train::{DECISIVE, rank};
use engine::eval::Value;
use serde::Serialize;

/// Below this a probability counts as this: one mistake must not decide a mean.
const LEAST: f32 = 1e-6;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    policies: u64,
    policy_loss: f64,
    top1: u64,
    top5: u64,
    values: u64,
    value_loss: f64,
    /// Of the expected score, 0 to 1.
    error: f64,
    squared_error: f64,
    decisive: u64,
    signs: u64,
}

/// The means, as users and JSON see them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Means {
    pub positions: u64,
    /// Cross-entropy with the target move or moves, in nats.
    pub policy_loss: f64,
    /// Share of positions whose target move has the highest probability, and
    /// whose target move is among the five highest.
    pub policy_top1: f64,
    pub policy_top5: f64,
    /// Cross-entropy with win, draw and loss.
    pub value_loss: f64,
    /// Mean and root mean square difference of the expected score, which is 0
    /// for a loss and 1 for a win.
    pub value_error: f64,
    pub value_rms_error: f64,
    /// Share of decided positions in which the right side is thought better.
    pub value_sign: f64,
}

impl Tally {
    /// `target` and `logits` hold a number for each legal move.
    pub fn policy(&mut self, target: &[f32], logits: &[f32]) {
        let Some(better) = rank(target, logits) else { return };
        let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum = logits.iter().map(|logit| (logit - highest).exp()).sum::<f32>().ln() + highest;
        let loss: f32 = target.iter().zip(logits).map(|(share, logit)| share * (sum - logit)).sum();
        self.policies += 1;
        self.policy_loss += f64::from(loss);
        self.top1 += u64::from(better == 0);
        self.top5 += u64::from(better < 5);
    }

    /// `target` is win, draw and loss for the mover.
    pub fn value(&mut self, target: [f32; 3], found: &Value) {
        let parts = [found.win, found.draw, found.loss];
        let loss: f32 = target.iter().zip(parts).map(|(t, p)| -t * p.max(LEAST).ln()).sum();
        let wanted = target[0] - target[2];
        let off = f64::from((found.q() - wanted) / 2.0);
        self.values += 1;
        self.value_loss += f64::from(loss);
        self.error += off.abs();
        self.squared_error += off * off;
        if wanted.abs() > DECISIVE {
            self.decisive += 1;
            self.signs += u64::from((wanted > 0.0) == (found.q() > 0.0));
        }
    }

    pub fn means(&self) -> Means {
        let mean = |sum: f64, count: u64| sum / count.max(1) as f64;
        Means {
            positions: self.policies.max(self.values),
            policy_loss: mean(self.policy_loss, self.policies),
            policy_top1: mean(self.top1 as f64, self.policies),
            policy_top5: mean(self.top5 as f64, self.policies),
            value_loss: mean(self.value_loss, self.values),
            value_error: mean(self.error, self.values),
            value_rms_error: mean(self.squared_error, self.values).sqrt(),
            value_sign: mean(self.signs as f64, self.decisive),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(win: f32, draw: f32, loss: f32) -> Value {
        Value { win, draw, loss, moves_left: None }
    }

    #[test]
    fn policies_by_hand() {
        let mut tally = Tally::default();
        // Even logits over four moves, one of them wanted.
        tally.policy(&[0.0, 1.0, 0.0, 0.0], &[2.0; 4]);
        // The wanted move is second to one.
        tally.policy(&[1.0, 0.0], &[0.0, 3f32.ln()]);
        // No target: does not count.
        tally.policy(&[0.0, 0.0], &[1.0, 0.0]);
        let means = tally.means();
        assert_eq!(means.positions, 2);
        assert!((means.policy_loss - (4f64.ln() + 4f64.ln()) / 2.0).abs() < 1e-6, "{means:?}");
        assert_eq!((means.policy_top1, means.policy_top5), (0.5, 1.0));
    }

    #[test]
    fn values_by_hand() {
        let mut tally = Tally::default();
        tally.value([1.0, 0.0, 0.0], &value(0.5, 0.5, 0.0));
        tally.value([0.0, 1.0, 0.0], &value(0.25, 0.5, 0.25));
        tally.value([0.0, 0.0, 1.0], &value(1.0, 0.0, 0.0));
        let means = tally.means();
        let worst = f64::from(-LEAST.ln());
        assert!((means.value_loss - (2f64.ln() * 2.0 + worst) / 3.0).abs() < 1e-5, "{means:?}");
        assert!((means.value_error - (0.25 + 0.0 + 1.0) / 3.0).abs() < 1e-9);
        assert!((means.value_rms_error - ((0.0625f64 + 1.0) / 3.0).sqrt()).abs() < 1e-9);
        assert_eq!(means.value_sign, 0.5);
    }
}
