//! How good the answers are, besides the loss: shares of moves and signs found.

use crate::dataset::Batch;
use serde::{Deserialize, Serialize};

/// Sums over positions; shares come out by division.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    policies: u64,
    top1: u64,
    top5: u64,
    decisive: u64,
    signs: u64,
}

/// Targets nearer to a draw than this have no sign to find.
pub const DECISIVE: f32 = 0.05;

/// How many moves are thought likelier than the one that was wanted most;
/// `None` where none was.
pub fn rank(target: &[f32], logits: &[f32]) -> Option<usize> {
    let best = |(at, max): (usize, f32), (i, &x): (usize, &f32)| {
        if x > max { (i, x) } else { (at, max) }
    };
    let (wanted, weight) = target.iter().enumerate().fold((0, 0.0), best);
    let chance = *logits.get(wanted)?;
    (weight > 0.0).then(|| logits.iter().filter(|logit| **logit > chance).count())
}

impl Score {
    /// `logits` is [size, width], `q` is [size].
    pub fn of(batch: &Batch, logits: &[f32], q: &[f32]) -> Score {
        let mut score = Score::default();
        for (row, q) in q.iter().enumerate() {
            let cells = row * batch.width..(row + 1) * batch.width;
            score.count_policy(&batch.policy[cells.clone()], &logits[cells]);
            let target = batch.wdl[row * 3] - batch.wdl[row * 3 + 2];
            if batch.value_weight[row] > 0.0 && target.abs() > DECISIVE {
                score.decisive += 1;
                score.signs += u64::from((target > 0.0) == (*q > 0.0));
            }
        }
        score
    }

    fn count_policy(&mut self, target: &[f32], logits: &[f32]) {
        let Some(better) = rank(target, logits) else { return };
        self.policies += 1;
        self.top1 += u64::from(better == 0);
        self.top5 += u64::from(better < 5);
    }

    pub fn add(&mut self, other: &Score) {
        self.policies += other.policies;
        self.top1 += other.top1;
        self.top5 += other.top5;
        self.decisive += other.decisive;
        self.signs += other.signs;
    }

    /// Share of positions whose target move has the highest probability.
    pub fn top1(&self) -> f64 {
        share(self.top1, self.policies)
    }

    /// Share of positions whose target move is among the five likeliest.
    pub fn top5(&self) -> f64 {
        share(self.top5, self.policies)
    }

    /// Share of decided positions in which the right side is thought better.
    pub fn sign(&self) -> f64 {
        share(self.signs, self.decisive)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_and_signs_are_counted() {
        let batch = Batch {
            size: 3,
            width: 8,
            policy: [
                [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                [0.2, 0.5, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0],
                [0.0; 8],
            ]
            .concat(),
            wdl: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.2, 0.8],
            value_weight: vec![1.0; 3],
            ..Batch::default()
        };
        let logits = [
            [0.0, 9.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [3.0, 2.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0; 8],
        ];
        let score = Score::of(&batch, &logits.concat(), &[0.1, 0.9, 0.3]);
        assert_eq!((score.top1(), score.top5(), score.sign()), (0.5, 1.0, 0.5));
    }
}
