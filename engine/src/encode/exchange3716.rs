//! `exchange3716`: the moves of `lc0-1858` twice, first those that lose nothing
//! by exchanges on their target square, then those that lose material there.
//!
//! A network without convolutions can hardly tell the two apart by itself, and
//! nothing says more of a move. Left and right are swapped where the mover's
//! king is on the left half of the board, as in the encoder `threats`.

use super::knowledge::exchanges;
use super::lc0_1858;
use super::view::View;
use crate::chess::PackedMove;
use shakmaty::{Chess, Move, Position};

pub const LEN: usize = 2 * lc0_1858::LEN;

pub fn index(m: Move, position: &Chess) -> usize {
    let board = position.board();
    let view = View::king_right(board, position.turn());
    let packed = PackedMove::new(m);
    let seen = packed.on(view.square(packed.from()), view.square(packed.to()));
    let losing = exchanges::loses(board, m, position.turn());
    lc0_1858::packed_index(seen) + if losing { lc0_1858::LEN } else { 0 }
}
