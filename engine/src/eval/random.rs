//! Evaluations from a hash: no network, the same answer for the same position.
//!
//! For tests, and for measuring the tree alone: a push keeps a key and two bytes
//! a move, and nothing is encoded.

use super::{Answers, EvalError, Evaluator, EvaluatorSource, Value};
use crate::chess::{PackedMove, Ply};
use shakmaty::Move;

/// Source of evaluators that answer by hash, one game for each seed.
#[derive(Clone, Copy, Debug)]
pub struct RandomSource {
    pub seed: u64,
}

impl EvaluatorSource for RandomSource {
    fn create(&self, capacity: usize) -> Result<Box<dyn Evaluator>, EvalError> {
        let capacity = capacity.max(1);
        Ok(Box::new(RandomEvaluator {
            seed: self.seed,
            capacity,
            keys: Vec::with_capacity(capacity),
            moves: Vec::with_capacity(capacity * 64),
        }))
    }

    fn describe(&self) -> String {
        format!("random evaluations, seed {}", self.seed)
    }
}

struct RandomEvaluator {
    seed: u64,
    capacity: usize,
    /// Key of each position and the end of its moves in `moves`.
    keys: Vec<(u64, usize)>,
    moves: Vec<PackedMove>,
}

impl Evaluator for RandomEvaluator {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn push(&mut self, plies: &[Ply], moves: &[Move]) {
        let key = plies.last().map_or(0, |ply| ply.key);
        self.moves.extend(moves.iter().map(|&m| PackedMove::new(m)));
        self.keys.push((key ^ self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), self.moves.len()));
    }

    fn run(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        answers.clear();
        let mut start = 0;
        for &(key, end) in &self.keys {
            // The answer hangs on each move, not on its place in the list.
            let moves = &self.moves[start..end];
            let logit = |m: &PackedMove| unit(mix(key ^ u64::from(m.0) << 40)) * 2.0;
            answers.push(value(mix(key)), moves.iter().map(logit));
            start = end;
        }
        self.keys.clear();
        self.moves.clear();
        Ok(())
    }

    fn is_quick(&self) -> bool {
        true
    }
}

/// Mostly drawn, with a small edge to either side: the search sees differences,
/// but no hash outweighs a real win.
fn value(bits: u64) -> Value {
    let q = (unit(bits) - 0.5) * 0.4;
    let draw = 0.5;
    let (win, loss) = ((1.0 - draw + q) / 2.0, (1.0 - draw - q) / 2.0);
    Value { win, draw, loss, moves_left: None }
}

/// The top bits as a number in 0..1.
fn unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1u32 << 24) as f32
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Line;
    use shakmaty::Chess;

    #[test]
    fn same_position_same_answer() {
        let line = Line::new(Chess::default());
        let mut moves = line.legal_moves();
        let mut evaluator = RandomSource { seed: 7 }.create(2).unwrap();
        let mut answers = Answers::default();
        evaluator.push(line.plies(), &moves);
        moves.reverse();
        evaluator.push(line.plies(), &moves);
        evaluator.run(&mut answers).unwrap();
        let ((v1, p1), (v2, p2)) = (answers.get(0), answers.get(1));
        assert_eq!(v1, v2);
        assert!(p1.iter().eq(p2.iter().rev()));
        assert!((v1.win + v1.draw + v1.loss - 1.0).abs() < 1e-6 && v1.win > 0.0 && v1.loss > 0.0);
        assert!(p1.windows(2).any(|pair| pair[0] != pair[1]));
        evaluator.run(&mut answers).unwrap();
        assert!(answers.is_empty());
    }
}
