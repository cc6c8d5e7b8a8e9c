//! `exchange3716`: the moves of `lc0-1858` twice, first those that lose nothing
//! by exchanges on their target square, then those that lose material there.
//!
//! A network without convolutions can hardly tell the two apart by itself, and
//! nothing says more of a move. Left and right are swapped where the mover's
//! king is on the left half of the board, as in the encoder `threats`.

use super::knowledge::{exchanges, reach::Reach};
use super::lc0_1858;
use super::view::View;
use crate::chess::PackedMove;
use shakmaty::{Chess, Move, Position};

pub const LEN: usize = 2 * lc0_1858::LEN;

pub fn index(m: Move, position: &Chess) -> usize {
    let view = View::king_right(position.board(), position.turn());
    plain_index(m, view) + part(exchanges::loses(position.board(), m, position.turn()))
}

/// Adds the indices of legal moves. Most of them go where nothing attacks them,
/// which is found out for all at once.
pub fn add_indices(moves: &[Move], position: &Chess, to: &mut Vec<u16>) {
    let (board, turn) = (position.board(), position.turn());
    let view = View::king_right(board, turn);
    let theirs = Reach::of(board, !turn);
    let [_, _, bishops, rooks, queens, _] = theirs.by_role;
    let sliders = bishops | rooks | queens;
    to.extend(moves.iter().map(|&m| {
        // What attacks neither the target nor, from afar, the place that the
        // piece leaves cannot take it.
        let exposed =
            theirs.once.contains(m.to()) || m.from().is_some_and(|from| sliders.contains(from));
        let losing = exposed && exchanges::loses(board, m, turn);
        (plain_index(m, view) + part(losing)) as u16
    }));
}

fn plain_index(m: Move, view: View) -> usize {
    let packed = PackedMove::new(m);
    lc0_1858::packed_index(packed.on(view.square(packed.from()), view.square(packed.to())))
}

/// Where the moves begin that lose material, or those that do not.
fn part(losing: bool) -> usize {
    if losing { lc0_1858::LEN } else { 0 }
}
