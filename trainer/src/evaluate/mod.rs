//! How well a network knows positions that it was not trained on: held-out
//! positions and an engine backend in, losses and errors out.

mod tally;

pub use tally::{Means, Tally};

use crate::dataset::{DatasetError, HeldOut};
use engine::eval::{Answers, EvalError, Evaluator};
use shakmaty::{MoveList, Position};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum EvaluateError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Evaluator(#[from] EvalError),
}

/// What should have been answered.
struct Target {
    policy: Vec<f32>,
    wdl: Option<[f32; 3]>,
}

/// Asks the network about at most `limit` positions. `keep_on` is asked after
/// every batch and hears how many positions are done.
pub fn evaluate(
    evaluator: &mut dyn Evaluator,
    positions: &mut HeldOut,
    limit: usize,
    keep_on: &mut dyn FnMut(usize) -> bool,
) -> Result<Tally, EvaluateError> {
    let mut tally = Tally::default();
    let mut answers = Answers::default();
    let mut targets: Vec<Target> = Vec::new();
    let mut done = 0;
    while done < limit {
        let room = evaluator.capacity().min(limit - done);
        while targets.len() < room {
            let Some(position) = positions.next_position()? else { break };
            let Some(last) = position.plies.last() else { continue };
            let moves: MoveList = last.position.legal_moves();
            evaluator.push(position.plies, &moves);
            targets.push(Target { policy: position.policy.to_vec(), wdl: position.wdl });
        }
        if targets.is_empty() {
            break;
        }
        done += targets.len();
        answers.clear();
        evaluator.run(&mut answers)?;
        for (index, target) in targets.drain(..).enumerate() {
            let (value, logits) = answers.get(index);
            tally.policy(&target.policy, logits);
            if let Some(wdl) = target.wdl {
                tally.value(wdl, value);
            }
        }
        if !keep_on(done) {
            break;
        }
    }
    Ok(tally)
}
