//! `az119`: AlphaZero's input, eight boards and seven whole-board planes.
//!
//! | planes | content |
//! |---|---|
//! | 14n + 0-5 | our pawns, knights, bishops, rooks, queens, king, n plies ago |
//! | 14n + 6-11 | theirs |
//! | 14n + 12 | en-passant target square, where the capture was legal |
//! | 14n + 13 | ones if that position had stood on the board before |
//! | 112 | ones if the mover is Black |
//! | 113 | move number / 200 |
//! | 114-117 | castling rights: our king side, our queen side, theirs, theirs |
//! | 118 | half-move clock / 100 |
//!
//! "Ours" is the current mover's on all eight boards. Boards before the start
//! of the line are zero.

use super::planes::Planes;
use super::view::View;
use crate::chess::Ply;
use shakmaty::{Color, Position};

pub const PLANES: usize = 119;
pub const HISTORY: usize = 8;
const BOARD: usize = 14;
const WHOLE: usize = HISTORY * BOARD;

pub fn encode(plies: &[Ply], out: &mut [f32]) {
    let mut planes = Planes::zeroed(out);
    let Some(last) = plies.last() else { return };
    let view = View::of(last.turn());
    for (age, ply) in plies.iter().rev().take(HISTORY).enumerate() {
        let first = age * BOARD;
        planes.set_board(first, &view.pieces(ply.position.board()));
        planes.set(first + 12, view.en_passant(&ply.position));
        planes.flag(first + 13, ply.repetitions > 0);
    }
    planes.flag(WHOLE, last.turn() == Color::Black);
    planes.fill(WHOLE + 1, last.position.fullmoves().get() as f32 / 200.0);
    for (i, right) in view.castling(&last.position).into_iter().enumerate() {
        planes.flag(WHOLE + 2 + i, right);
    }
    planes.fill(WHOLE + 6, last.rule50() as f32 / 100.0);
}
