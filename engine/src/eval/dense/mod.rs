//! Networks of one wide layer on the processor: what they cost is what a
//! position uses of them.
//!
//! In: a network with a dense body, as our trainer writes it. Out: evaluators
//! that each run on the thread of their worker. `graph` finds the layers in the
//! file, `layers` does the arithmetic.
//!
//! Of thousands of squares in the planes about a hundred are set, and of
//! thousands of moves some thirty are legal: only their rows of the two large
//! matrices are read. A general runtime multiplies the whole matrices, which
//! takes some twenty times as long.

mod graph;
mod layers;
#[cfg(test)]
mod tests;

use super::batch::{read_value, too_many, write_answer};
use super::network::Layout;
use super::{Answers, EvalError, Evaluator, EvaluatorSource, Network};
use crate::chess::Ply;
use layers::{Activations, Body, Head, Rows};
use pulp::Arch;
use shakmaty::Move;
use std::sync::Arc;

/// A network of one wide layer.
pub struct DenseBackend {
    network: Arc<DenseNetwork>,
}

/// The layers, in the forms that evaluation wants.
struct DenseNetwork {
    layout: Layout,
    body: Body,
    policy: Rows,
    value: Head,
    moves_left: Option<Head>,
}

impl DenseBackend {
    /// The reason if the network is of another kind.
    pub fn new(network: &Network) -> Result<DenseBackend, String> {
        let layout = network.layout.clone();
        let network = Arc::new(graph::read(&network.bytes, layout)?);
        Ok(DenseBackend { network })
    }
}

impl EvaluatorSource for DenseBackend {
    fn create(&self, capacity: usize) -> Result<Box<dyn Evaluator>, EvalError> {
        let network = Arc::clone(&self.network);
        let planes = vec![0.0; network.layout.encoder.planes() * 64];
        let sums = vec![0; network.body.width()];
        Ok(Box::new(DenseEvaluator {
            network,
            arch: Arch::new(),
            capacity: capacity.max(1),
            planes,
            sums,
            activations: Activations::default(),
            logits: Vec::new(),
            squares: Vec::new(),
            moves: Vec::new(),
            ends: Vec::new(),
        }))
    }

    fn describe(&self) -> String {
        "native, CPU, dense".to_string()
    }
}

struct DenseEvaluator {
    network: Arc<DenseNetwork>,
    arch: Arch,
    capacity: usize,
    planes: Vec<f32>,
    sums: Vec<i16>,
    activations: Activations,
    logits: Vec<f32>,
    /// Of all positions of the batch, end to end: squares that are set in the
    /// planes, and policy indices of legal moves.
    squares: Vec<(u16, f32)>,
    moves: Vec<u16>,
    /// Where those of each position end.
    ends: Vec<(usize, usize)>,
}

impl Evaluator for DenseEvaluator {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn push(&mut self, plies: &[Ply], moves: &[Move]) {
        let Some(last) = plies.last() else { return };
        let layout = &self.network.layout;
        layout.encoder.encode_sparse(plies, &mut self.planes, &mut self.squares);
        layout.policy.add_indices(moves, &last.position, &mut self.moves);
        self.ends.push((self.squares.len(), self.moves.len()));
    }

    fn run(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        answers.clear();
        let outcome = match self.ends.len() <= self.capacity {
            true => self.evaluate(answers),
            false => Err(too_many(self.ends.len(), self.capacity)),
        };
        self.squares.clear();
        self.moves.clear();
        self.ends.clear();
        outcome
    }

    fn is_quick(&self) -> bool {
        true
    }
}

impl DenseEvaluator {
    fn evaluate(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        let DenseNetwork { layout, body, policy, value, moves_left } = &*self.network;
        let (mut square, mut first) = (0, 0);
        for &(squares, moves) in &self.ends {
            body.run(self.arch, &self.squares[square..squares], &mut self.sums);
            let x = &mut self.activations;
            body.activate(self.arch, &self.sums, x);
            let numbers = value.run(self.arch, x, true);
            let mut answer = read_value(layout.value, |i| numbers[i]);
            answer.moves_left = moves_left.as_ref().map(|head| head.run(self.arch, x, false)[0]);
            self.logits.clear();
            policy.outputs(self.arch, &self.moves[first..moves], x, &mut self.logits);
            write_answer(answers, answer, self.logits.iter().copied())?;
            (square, first) = (squares, moves);
        }
        Ok(())
    }
}
