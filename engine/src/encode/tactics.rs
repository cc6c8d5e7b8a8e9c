//! `tactics`: `rich`, and what a quick look at captures says of every move. No
//! history, so that transpositions share one evaluation.
//!
//! | planes | content |
//! |---|---|
//! | 0-36 | as in `rich` |
//! | 37-42 | squares that our pawns, knights, bishops, rooks, queens, king can go to, and how that ends |
//! | 43 | our pieces, and how the best move of each ends |
//! | 44-50 | the same for them, if it were their move |
//! | 51, 52 | how our best move ends, theirs if it were their move: whole planes |
//!
//! How a move *ends* is the material that it wins or loses, the captures that
//! follow included (see `knowledge::prospects`), squeezed into 0 to 1: 0.5 wins
//! nothing, 1 mates; the best counts where several moves meet. Planes 51 and 52
//! are -1 to 1, with 0 for nothing. While we are in check, it cannot be their
//! move: 44-50 and 52 are zero.

use super::knowledge::prospects::{MATE, prospect};
use super::planes::Planes;
use super::rich;
use super::view::View;
use crate::chess::Ply;
use shakmaty::{Bitboard, Chess, Position};

pub const PLANES: usize = 53;

pub fn encode(plies: &[Ply], out: &mut [f32]) {
    let (known, more) = out.split_at_mut(rich::PLANES * 64);
    rich::encode(plies, known);
    let mut planes = Planes::zeroed(more);
    let Some(last) = plies.last() else { return };
    let view = View::of(last.turn());
    outlook(&mut planes, 0, 14, view, &last.position);
    if let Ok(passed) = last.position.clone().swap_turn() {
        outlook(&mut planes, 7, 15, view, &passed);
    }
}

/// The outlook of the side to move: seven planes from `first`, and its `best`.
fn outlook(planes: &mut Planes, first: usize, best: usize, view: View, position: &Chess) {
    let mut highest = -MATE;
    for m in position.legal_moves() {
        let Some(from) = m.from() else { continue };
        let outcome = prospect(position, m);
        highest = highest.max(outcome);
        let end = 0.5 + 0.5 * squeeze(outcome);
        // Castling shows as the king on the rook's square, as it is a move of
        // its own that no other may hide.
        planes.raise(first + m.role() as usize - 1, view.bits(Bitboard::from(m.to())), end);
        planes.raise(first + 6, view.bits(Bitboard::from(from)), end);
    }
    planes.fill(best, squeeze(highest));
}

/// Pawns to -1 to 1: the first ones count most.
fn squeeze(pawns: i32) -> f32 {
    if pawns.abs() >= MATE / 2 {
        return pawns.signum() as f32;
    }
    let pawns = pawns as f32;
    pawns / (pawns.abs() + 4.0)
}
