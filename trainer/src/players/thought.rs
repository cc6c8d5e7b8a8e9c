//! What a player is asked and what it answers.

use super::GameLine;
use crate::shards::Score;
use crate::uci::Limit;
use shakmaty::Move;
use thiserror::Error;

/// Somebody who can be asked for a move.
pub trait Player: Send {
    /// The next position belongs to another game. Whatever is random in the
    /// player depends on `seed` and on the game alone.
    fn new_game(&mut self, seed: u64) -> Result<(), Fault>;

    /// A move for the side to move, which has at least one.
    fn think(&mut self, game: &GameLine, limit: Limit) -> Result<Thought, Fault>;
}

/// A legal move and what the player made of the position, in its own view.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    pub best: Move,
    pub score: Option<Score>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
}

/// Why there is no move. The player is not to be used again.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Fault {
    /// What was played.
    #[error("{0}")]
    Illegal(String),
    #[error("{0}")]
    Crash(String),
    #[error("{0}")]
    Hang(String),
    /// It will not do what it is set to; another try would not help.
    #[error("{0}")]
    Refused(String),
    /// By its own side; nobody's fault.
    #[error("stopped")]
    Stopped,
}
