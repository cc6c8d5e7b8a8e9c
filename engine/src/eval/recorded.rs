//! Evaluations that a test writes down: by position key, or by any function.

use super::{Answers, EvalError, Evaluator, EvaluatorSource, Value};
use crate::chess::Ply;
use shakmaty::Move;
use std::collections::HashMap;
use std::sync::Arc;

type Answer = dyn Fn(&Ply, &[Move]) -> (Value, Vec<f32>) + Send + Sync;

/// Source of evaluators that give prepared answers.
#[derive(Clone)]
pub struct RecordedSource {
    answer: Arc<Answer>,
}

impl RecordedSource {
    /// Answers by a function of the position and its legal moves.
    pub fn new(
        answer: impl Fn(&Ply, &[Move]) -> (Value, Vec<f32>) + Send + Sync + 'static,
    ) -> RecordedSource {
        RecordedSource { answer: Arc::new(answer) }
    }

    /// Answers from a table by position key; other positions are level, with all
    /// moves alike.
    pub fn from_map(answers: HashMap<u64, (Value, Vec<f32>)>) -> RecordedSource {
        RecordedSource::new(move |ply, moves| match answers.get(&ply.key) {
            Some(answer) => answer.clone(),
            None => (Value::from_scalar(0.0), vec![0.0; moves.len()]),
        })
    }
}

impl EvaluatorSource for RecordedSource {
    fn create(&self, capacity: usize) -> Result<Box<dyn Evaluator>, EvalError> {
        let (source, pending) = (self.clone(), Vec::new());
        Ok(Box::new(RecordedEvaluator { source, capacity: capacity.max(1), pending }))
    }

    fn describe(&self) -> String {
        "recorded evaluations".to_string()
    }
}

struct RecordedEvaluator {
    source: RecordedSource,
    capacity: usize,
    pending: Vec<(Value, Vec<f32>)>,
}

impl Evaluator for RecordedEvaluator {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn push(&mut self, plies: &[Ply], moves: &[Move]) {
        if let Some(ply) = plies.last() {
            self.pending.push((self.source.answer)(ply, moves));
        }
    }

    fn run(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        answers.clear();
        for (value, logits) in self.pending.drain(..) {
            answers.push(value, logits);
        }
        Ok(())
    }
}
