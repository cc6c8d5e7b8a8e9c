//! The two ends that every network backend shares: positions into planes, and
//! output tensors into [`Answers`].

use super::network::{Layout, ValueHead};
use super::{Answers, EvalError, Evaluator, Value};
use crate::chess::Ply;
use crate::encode::{Encoder, PolicyMap};
use half::f16;
use shakmaty::Move;

/// What differs between the backends of networks: how a batch is computed.
pub(super) trait Inference: Send {
    fn batch(&self) -> &Batch;

    fn batch_mut(&mut self) -> &mut Batch;

    /// Computes the batch, which holds something and fits, and writes its answers.
    fn infer(&mut self, answers: &mut Answers) -> Result<(), EvalError>;
}

impl<T: Inference> Evaluator for T {
    fn capacity(&self) -> usize {
        self.batch().capacity()
    }

    fn push(&mut self, plies: &[Ply], moves: &[Move]) {
        self.batch_mut().push(plies, moves);
    }

    fn run(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        answers.clear();
        let outcome = match self.batch().len() {
            0 => Ok(()),
            _ => self.batch().check().and_then(|()| self.infer(answers)),
        };
        self.batch_mut().clear();
        outcome
    }
}

/// Encoded positions, and the policy indices of their legal moves.
pub(super) struct Batch {
    encoder: Encoder,
    policy: PolicyMap,
    value: ValueHead,
    capacity: usize,
    planes: Vec<f32>,
    indices: Vec<u16>,
    ends: Vec<usize>,
}

impl Batch {
    pub fn new(layout: &Layout, capacity: usize) -> Batch {
        let capacity = capacity.max(1);
        Batch {
            encoder: layout.encoder,
            policy: layout.policy,
            value: layout.value,
            capacity,
            planes: vec![0.0; capacity * layout.encoder.planes() * 64],
            indices: Vec::with_capacity(capacity * 64),
            ends: Vec::with_capacity(capacity),
        }
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn push(&mut self, plies: &[Ply], moves: &[Move]) {
        let Some(ply) = plies.last() else { return };
        let size = self.encoder.planes() * 64;
        let start = self.len() * size;
        // One position too many is the caller's fault; `check` reports it.
        if let Some(planes) = self.planes.get_mut(start..start + size) {
            self.encoder.encode(plies, planes);
        }
        self.policy.add_indices(moves, &ply.position, &mut self.indices);
        self.ends.push(self.indices.len());
    }

    pub fn check(&self) -> Result<(), EvalError> {
        if self.len() <= self.capacity {
            return Ok(());
        }
        Err(too_many(self.len(), self.capacity))
    }

    pub fn clear(&mut self) {
        self.indices.clear();
        self.ends.clear();
    }

    /// Planes of the positions pushed so far.
    pub fn planes(&self) -> &[f32] {
        let used = self.len() * self.encoder.planes() * 64;
        self.planes.get(..used).unwrap_or(&self.planes)
    }

    /// Shape of the tensor that [`planes`](Self::planes) fills.
    pub fn shape(&self) -> [usize; 4] {
        [self.len(), self.encoder.planes(), 8, 8]
    }

    /// Writes one answer per position from the network's outputs, which hold at
    /// least this batch.
    pub fn answer(&self, outputs: &Outputs, answers: &mut Answers) -> Result<(), EvalError> {
        answers.clear();
        let (len, width, actions) = (self.len(), self.value.width(), self.policy.len());
        let Outputs { policy, value, moves_left } = outputs;
        if policy.len() < len * actions
            || value.len() < len * width
            || moves_left.as_ref().is_some_and(|m| m.len() < len)
        {
            let (p, v) = (policy.len(), value.len());
            return Err(EvalError(format!(
                "the network gave {p} policy and {v} value numbers for {len} positions, \
                 not {actions} and {width} for each"
            )));
        }
        let mut start = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            let mut answer = read_value(self.value, |i| value.at(row * width + i));
            answer.moves_left = moves_left.as_ref().map(|m| m.at(row));
            let indices = self.indices[start..end].iter();
            let logits = indices.map(|index| policy.at(row * actions + usize::from(*index)));
            write_answer(answers, answer, logits)?;
            start = end;
        }
        Ok(())
    }
}

/// One position too many is the caller's fault.
pub(super) fn too_many(len: usize, capacity: usize) -> EvalError {
    EvalError(format!("{len} positions pushed into a batch of {capacity}"))
}

/// Adds an answer of a network, unless it is damaged.
pub(super) fn write_answer(
    answers: &mut Answers,
    value: Value,
    logits: impl Iterator<Item = f32>,
) -> Result<(), EvalError> {
    let mut total = value.q();
    answers.push(value, logits.inspect(|logit| total += logit));
    // A sum is finite only if every part is: one test finds every NaN before it
    // can spread through the tree.
    if total.is_finite() {
        return Ok(());
    }
    answers.clear();
    Err(EvalError(
        "the network gave a number that is not finite: its weights are damaged, or they overflow \
         in 16-bit precision"
            .to_string(),
    ))
}

/// Output tensors of one run.
pub(super) struct Outputs<'a> {
    pub policy: Numbers<'a>,
    pub value: Numbers<'a>,
    pub moves_left: Option<Numbers<'a>>,
}

/// A tensor's elements in either precision.
#[derive(Clone, Copy)]
pub(super) enum Numbers<'a> {
    Single(&'a [f32]),
    Half(&'a [f16]),
}

impl Numbers<'_> {
    fn len(&self) -> usize {
        match self {
            Numbers::Single(numbers) => numbers.len(),
            Numbers::Half(numbers) => numbers.len(),
        }
    }

    fn at(&self, index: usize) -> f32 {
        match self {
            Numbers::Single(numbers) => numbers[index],
            Numbers::Half(numbers) => numbers[index].to_f32(),
        }
    }
}

pub(super) fn read_value(head: ValueHead, at: impl Fn(usize) -> f32) -> Value {
    let (win, draw, loss) = match head {
        ValueHead::Scalar => return Value::from_scalar(at(0)),
        ValueHead::Wdl => {
            let top = at(0).max(at(1)).max(at(2));
            ((at(0) - top).exp(), (at(1) - top).exp(), (at(2) - top).exp())
        }
        ValueHead::WdlProbabilities => (at(0), at(1), at(2)),
    };
    let sum = win + draw + loss;
    Value { win: win / sum, draw: draw / sum, loss: loss / sum, moves_left: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(head: ValueHead, numbers: &[f32]) -> Value {
        read_value(head, |i| numbers[i])
    }

    #[test]
    fn logits_become_probabilities() {
        let wdl = value(ValueHead::Wdl, &[1000.0, 1000.0, -1000.0]);
        assert_eq!((wdl.win, wdl.draw, wdl.loss), (0.5, 0.5, 0.0));
        let wdl = value(ValueHead::WdlProbabilities, &[0.25, 0.5, 0.25]);
        assert_eq!((wdl.win, wdl.draw, wdl.loss), (0.25, 0.5, 0.25));
        assert_eq!(value(ValueHead::Scalar, &[-0.5]).q(), -0.5);
    }

    #[test]
    fn nan_stays_nan_so_that_it_is_reported() {
        assert!(value(ValueHead::Scalar, &[f32::NAN]).q().is_nan());
        assert!(value(ValueHead::Wdl, &[f32::NAN, 0.0, 0.0]).q().is_nan());
    }
}
