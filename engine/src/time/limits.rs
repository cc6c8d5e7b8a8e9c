//! What `go` asked for.

use std::time::Duration;

use crate::chess::PackedMove;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    pub white: Option<Duration>,
    pub black: Option<Duration>,
    pub white_increment: Duration,
    pub black_increment: Duration,
    pub movestogo: Option<u32>,
    pub movetime: Option<Duration>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
    /// Look for a mate in so many moves.
    pub mate: Option<u32>,
    pub infinite: bool,
    pub ponder: bool,
    /// Search these root moves only; empty means all.
    pub searchmoves: Vec<PackedMove>,
}

/// One side's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    pub left: Duration,
    pub increment: Duration,
}

impl Limits {
    /// The clock of the side to move. `go wtime 100` with Black to move is
    /// unusual but seen; the only clock given is then the best guess.
    pub fn clock(&self, white_to_move: bool) -> Option<Clock> {
        let white = self.white.map(|left| Clock { left, increment: self.white_increment });
        let black = self.black.map(|left| Clock { left, increment: self.black_increment });
        if white_to_move { white.or(black) } else { black.or(white) }
    }

    /// True when nothing but `stop` ends this search.
    pub fn is_unbounded(&self) -> bool {
        self.infinite
            || (self.white.is_none()
                && self.black.is_none()
                && self.movetime.is_none()
                && self.nodes.is_none()
                && self.depth.is_none()
                && self.mate.is_none())
    }
}
