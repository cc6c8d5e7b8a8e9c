//! `basic18`: the current position without history, so that transpositions
//! share one evaluation.
//!
//! | planes | content |
//! |---|---|
//! | 0-5 | our pawns, knights, bishops, rooks, queens, king |
//! | 6-11 | theirs |
//! | 12-15 | castling rights: our king side, our queen side, theirs, theirs |
//! | 16 | en-passant target square, where the capture is legal |
//! | 17 | half-move clock / 100 |

use super::planes::Planes;
use super::view::View;
use crate::chess::Ply;
use shakmaty::Position;

pub const PLANES: usize = 18;

pub fn encode(plies: &[Ply], out: &mut [f32]) {
    let mut planes = Planes::zeroed(out);
    let Some(ply) = plies.last() else { return };
    let view = View::of(ply.turn());
    planes.set_board(0, &view.pieces(ply.position.board()));
    for (i, right) in view.castling(&ply.position).into_iter().enumerate() {
        planes.flag(12 + i, right);
    }
    planes.set(16, view.en_passant(&ply.position));
    planes.fill(17, ply.rule50() as f32 / 100.0);
}
