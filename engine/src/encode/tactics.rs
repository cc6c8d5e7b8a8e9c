//! `tactics`: `rich`, and what a quick look at captures says of every move. No
//! history, so that transpositions share one evaluation.
//!
//! | planes | content |
//! |---|---|
//! | 0-36 | as in `rich` |
//! | 37-42 | squares that our pawns, knights, bishops, rooks, queens, king can go to, and how that ends |
//! | 43 | our pieces, and how the best move of each ends |
//! | 44-50 | the same for them, if it were their move |
//! | 51, 52 | how our best move ends, theirs if it were their move: whole planes, as all below |
//! | 53 | the balance of material |
//! | 54, 55 | the same after our best move, and after theirs if it were their move |
//! | 56 | material of both sides, as a share of that at the start |
//! | 57-61 | our pawns less theirs / 8; knights, bishops, rooks / 2; queens |
//!
//! How a move *ends* is the material that it wins or loses, the captures that
//! follow included (see `knowledge::prospects`), squeezed into 0 to 1: 0.5 wins
//! nothing, 1 mates; the best counts where several moves meet. Planes 51 to 55
//! are -1 to 1, with 0 for nothing. While we are in check, it cannot be their
//! move: 44-50 and 52 are zero, and 55 is as 53.
//!
//! The balance is there because a small network learns to count slowly: games
//! of masters hardly ever show a position in which a whole piece is missing,
//! and a search is full of them.

use super::knowledge::exchanges::worth;
use super::knowledge::prospects::{MATE, prospect};
use super::planes::Planes;
use super::rich;
use super::view::View;
use crate::chess::Ply;
use shakmaty::{Bitboard, Board, Chess, Color, Position, Role};

pub const PLANES: usize = 62;

/// Of both sides at the start, kings aside.
const ALL_MATERIAL: f32 = 78.0;

pub fn encode(plies: &[Ply], out: &mut [f32]) {
    let (known, more) = out.split_at_mut(rich::PLANES * 64);
    rich::encode(plies, known);
    let mut planes = Planes::zeroed(more);
    let Some(last) = plies.last() else { return };
    let turn = last.turn();
    let view = View::of(turn);
    let balance = material(&mut planes, last.position.board(), turn);
    let ours = outlook(&mut planes, 0, view, &last.position);
    planes.fill(14, squeeze(ours));
    planes.fill(17, squeeze(balance + ours));
    let theirs = match last.position.clone().swap_turn() {
        Ok(passed) => outlook(&mut planes, 7, view, &passed),
        Err(_) => 0,
    };
    planes.fill(15, squeeze(theirs));
    planes.fill(18, squeeze(balance - theirs));
}

/// The outlook of the side to move in seven planes, and its best outcome.
fn outlook(planes: &mut Planes, first: usize, view: View, position: &Chess) -> i32 {
    let mut best = -MATE;
    for m in position.legal_moves() {
        let Some(from) = m.from() else { continue };
        let outcome = prospect(position, m);
        best = best.max(outcome);
        let end = 0.5 + 0.5 * squeeze(outcome);
        // Castling shows as the king on the rook's square, as it is a move of
        // its own that no other may hide.
        planes.raise(first + m.role() as usize - 1, view.bits(Bitboard::from(m.to())), end);
        planes.raise(first + 6, view.bits(Bitboard::from(from)), end);
    }
    best
}

/// What there is of either side; the balance for `us`, in pawns.
fn material(planes: &mut Planes, board: &Board, us: Color) -> i32 {
    let (mut balance, mut all) = (0, 0);
    for (index, role) in Role::ALL.into_iter().take(5).enumerate() {
        let count = |color| (board.by_role(role) & board.by_color(color)).count() as i32;
        let (ours, theirs) = (count(us), count(!us));
        balance += (ours - theirs) * worth(role);
        all += (ours + theirs) * worth(role);
        let most = match role {
            Role::Pawn => 8.0,
            Role::Queen => 1.0,
            _ => 2.0,
        };
        planes.fill(20 + index, (ours - theirs) as f32 / most);
    }
    planes.fill(16, squeeze(balance));
    planes.fill(19, all as f32 / ALL_MATERIAL);
    balance
}

/// Pawns to -1 to 1: the first ones count most.
fn squeeze(pawns: i32) -> f32 {
    if pawns.abs() >= MATE / 2 {
        return pawns.signum() as f32;
    }
    let pawns = pawns as f32;
    pawns / (pawns.abs() + 4.0)
}
