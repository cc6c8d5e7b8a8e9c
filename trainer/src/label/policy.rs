//! Soft policies: weights of moves from the scores of their lines.
//!
//! The weight of a move is `exp(strength / temperature)`, over the sum of all. By
//! expected result, the strength is `win + draw / 2`, 0 to 1; by centipawns it
//! is the score. Either way a mate is worth more than any other win, and a
//! faster one more than a slower: 1.1 less a thousandth for each move to mate,
//! or 100,000 centipawns less 100 for each; being mated is the mirror of that.

use crate::import::wdl;
use crate::shards::Score;
use clap::ValueEnum;
use serde::Serialize;

/// What weights are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Win + draw / 2
    Expected,
    /// The score
    Centipawns,
}

impl Basis {
    /// A move that is worse by so much has 1/e of the weight.
    pub fn default_temperature(self) -> f64 {
        match self {
            Basis::Expected => 0.05,
            Basis::Centipawns => 50.0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PolicySettings {
    pub basis: Basis,
    /// In the units of the basis; above 0.
    pub temperature: f64,
}

/// What a line says of its first move, from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    pub score: Score,
    pub wdl: [f32; 3],
}

impl Evaluation {
    /// The teacher's own win, draw and loss if it gives them, else the model's.
    pub fn new(score: Score, given: Option<[f32; 3]>) -> Evaluation {
        Evaluation { score, wdl: given.unwrap_or_else(|| wdl(score)) }
    }

    /// Expected result, -1 to 1.
    pub fn value(&self) -> f32 {
        (self.wdl[0] - self.wdl[2]).clamp(-1.0, 1.0)
    }

    fn strength(&self, basis: Basis) -> f64 {
        match (basis, self.score) {
            (Basis::Expected, Score::Centipawns(_)) => {
                f64::from(self.wdl[0]) + f64::from(self.wdl[1]) / 2.0
            }
            (Basis::Centipawns, Score::Centipawns(centipawns)) => f64::from(centipawns),
            (Basis::Expected, Score::Mate(moves)) => 0.5 + mate(moves, 0.6, 0.001),
            (Basis::Centipawns, Score::Mate(moves)) => mate(moves, 100_000.0, 100.0),
        }
    }
}

/// 0 moves to mate is to be mated already.
fn mate(moves: i32, worth: f64, per_move: f64) -> f64 {
    let size = worth - per_move * f64::from(moves.unsigned_abs().min(100));
    if moves > 0 { size } else { -size }
}

/// One weight for each evaluation; they sum to 1.
pub fn weights(evaluations: &[Evaluation], settings: PolicySettings) -> Vec<f32> {
    let strengths: Vec<f64> = evaluations.iter().map(|e| e.strength(settings.basis)).collect();
    let best = strengths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raw = strengths.iter().map(|strength| ((strength - best) / settings.temperature).exp());
    let sum: f64 = raw.clone().sum();
    raw.map(|weight| (weight / sum) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(scores: &[Score], basis: Basis, temperature: f64) -> Vec<f32> {
        let evaluations: Vec<_> = scores.iter().map(|s| Evaluation::new(*s, None)).collect();
        weights(&evaluations, PolicySettings { basis, temperature })
    }

    fn close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-4, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn centipawns_by_hand() {
        let scores = [30, 30, -20].map(Score::Centipawns);
        let e = (-1.0_f32).exp();
        let sum = 2.0 + e;
        close(&of(&scores, Basis::Centipawns, 50.0), &[1.0 / sum, 1.0 / sum, e / sum]);
        close(&of(&scores, Basis::Centipawns, 1e9), &[1.0 / 3.0; 3]);
        close(&of(&scores[1..], Basis::Centipawns, 0.1), &[1.0, 0.0]);
    }

    #[test]
    fn expected_results_by_hand() {
        let evaluation = |wdl| Evaluation { score: Score::Centipawns(0), wdl };
        let settings = PolicySettings { basis: Basis::Expected, temperature: 0.1 };
        // 0.75 and 0.5 of a point: e^2.5 apart.
        let found = weights(&[evaluation([0.5, 0.5, 0.0]), evaluation([0.2, 0.6, 0.2])], settings);
        let ratio = 2.5_f32.exp();
        close(&found, &[ratio / (1.0 + ratio), 1.0 / (1.0 + ratio)]);
    }

    #[test]
    fn mates_lead_and_the_fastest_of_them_most() {
        let scores = [
            Score::Mate(1),
            Score::Mate(5),
            Score::Centipawns(5000),
            Score::Mate(-5),
            Score::Mate(-1),
        ];
        for basis in [Basis::Expected, Basis::Centipawns] {
            let evaluations = scores.map(|score| Evaluation::new(score, None));
            let strengths = evaluations.map(|e| e.strength(basis));
            assert!(strengths.is_sorted_by(|a, b| a > b), "{strengths:?}");
            let found = of(&scores, basis, basis.default_temperature());
            assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
        assert_eq!(Evaluation::new(Score::Mate(-2), None).value(), -1.0);
    }

    #[test]
    fn the_teachers_own_wdl_counts() {
        let evaluation = Evaluation::new(Score::Centipawns(500), Some([0.1, 0.8, 0.1]));
        assert_eq!(evaluation.value(), 0.0);
    }
}
