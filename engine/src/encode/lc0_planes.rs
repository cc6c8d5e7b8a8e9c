//! `lc0-112`: the classical input of Leela Chess Zero's networks.
//!
//! | planes | content |
//! |---|---|
//! | 13n + 0-5 | our pawns, knights, bishops, rooks, queens, king, n plies ago |
//! | 13n + 6-11 | theirs |
//! | 13n + 12 | ones if that position had stood on the board before |
//! | 104-107 | castling rights: our queen side, our king side, theirs, theirs |
//! | 108 | ones if the mover is Black |
//! | 109 | half-move clock, the plain count |
//! | 110 | zero |
//! | 111 | ones |
//!
//! "Ours" is the current mover's on all eight boards.
//!
//! Where the line is shorter than eight boards, lc0 makes up the rest, and its
//! networks expect that: the oldest board repeats, with a double pawn push
//! taken back if that position names an en-passant square (whether or not
//! anyone can capture there). Only the initial position of standard chess, with
//! White to move and all rights, has nothing before it: zeros.

use super::planes::Planes;
use super::view::View;
use crate::chess::Ply;
use shakmaty::{Board, Chess, Color, Piece, Position, Role};

pub const PLANES: usize = 112;
pub const HISTORY: usize = 8;
const BOARD: usize = 13;
const WHOLE: usize = HISTORY * BOARD;

pub fn encode(plies: &[Ply], out: &mut [f32]) {
    let mut planes = Planes::zeroed(out);
    let Some(last) = plies.last() else { return };
    let view = View::of(last.turn());
    for (age, ply) in plies.iter().rev().take(HISTORY).enumerate() {
        planes.set_board(age * BOARD, &view.pieces(ply.position.board()));
        planes.flag(age * BOARD + 12, ply.repetitions > 0);
    }
    if plies.len() < HISTORY
        && let Some(board) = board_before(&plies[0].position)
    {
        let pieces = view.pieces(&board);
        for age in plies.len()..HISTORY {
            planes.set_board(age * BOARD, &pieces);
        }
    }
    let [our_king, our_queen, their_king, their_queen] = view.castling(&last.position);
    planes.flag(WHOLE, our_queen);
    planes.flag(WHOLE + 1, our_king);
    planes.flag(WHOLE + 2, their_queen);
    planes.flag(WHOLE + 3, their_king);
    planes.flag(WHOLE + 4, last.turn() == Color::Black);
    planes.fill(WHOLE + 5, last.rule50() as f32);
    planes.fill(WHOLE + 7, 1.0);
}

/// The board that stands for everything before the first known position.
fn board_before(oldest: &Chess) -> Option<Board> {
    if *oldest == Chess::default() {
        return None;
    }
    let mut board = oldest.board().clone();
    if let Some(target) = oldest.maybe_ep_square() {
        let color = !oldest.turn();
        let up = color.fold_wb(8, -8);
        if let (Some(from), Some(to)) = (target.offset(-up), target.offset(up)) {
            board.discard_piece_at(to);
            board.set_piece_at(from, Piece { color, role: Role::Pawn });
        }
    }
    Some(board)
}
