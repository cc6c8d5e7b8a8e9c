//! Built-in opponents of known, modest strength: a scale that needs no other
//! engine.
//!
//! In: a name and its options, then games. Out: moves. Weakest first: `random`
//! moves blindly, `greedy` counts material one ply ahead, `mcts` plays short
//! random games, `alphabeta` searches to a fixed depth. As set by default, each
//! takes most of the points from the one before it. None of them looks at a
//! clock; `mcts` obeys a limit of nodes (its rollouts), `alphabeta` one of depth.

mod alpha_beta;
mod chance;
mod evaluation;
mod greedy;
mod options;
mod ordering;
mod quiescence;
mod random;
mod rollouts;
mod rules;
mod tables;
#[cfg(test)]
mod tests;
mod tree;

pub use alpha_beta::AlphaBetaSettings;
pub use rollouts::MctsSettings;
pub use rules::mates;

use super::{Fault, Player};
use alpha_beta::AlphaBeta;
use greedy::Greedy;
use random::RandomMover;
use rollouts::Mcts;
use serde::Serialize;

/// Which player, and how it is set.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "name", rename_all = "lowercase")]
pub enum Baseline {
    Random,
    Greedy,
    Mcts(MctsSettings),
    AlphaBeta(AlphaBetaSettings),
}

impl Baseline {
    /// A new player, with the seed 0 until its first game.
    pub fn player(&self) -> Box<dyn Player> {
        match self {
            Baseline::Random => Box::new(RandomMover::default()),
            Baseline::Greedy => Box::new(Greedy::default()),
            Baseline::Mcts(settings) => Box::new(Mcts::new(settings.clone())),
            Baseline::AlphaBeta(settings) => Box::new(AlphaBeta::new(settings.clone())),
        }
    }
}

/// The answer to a question that should not have been asked.
fn game_over() -> Fault {
    Fault::Crash("asked for a move in a finished game".into())
}
