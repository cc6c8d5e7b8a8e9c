//! What a board says to a chess player: attacks, pins, pawn structure. The
//! encoders with planes of chess knowledge share it.
//!
//! In: a board on which the mover is White. Out: masks of squares.

pub mod attacks;
pub mod exchanges;
pub mod king;
pub mod pawns;
pub mod prospects;
pub mod reach;
