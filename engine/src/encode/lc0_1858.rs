//! `lc0-1858`: Leela Chess Zero's policy, every from-to pair that some piece
//! could play, in the mover's view.
//!
//! | indices | moves |
//! |---|---|
//! | 0-1791 | queen-like and knight-like moves, sorted by from-square, then to-square |
//! | 1792-1857 | promotions to queen, rook, bishop for each pawn step from the seventh rank, sorted by file, then to-file |
//!
//! A promotion to a knight is the plain move. Castling is king takes own rook,
//! in standard chess and Chess960 alike.

use crate::chess::PackedMove;
use shakmaty::{Color, Move, Role};

pub const LEN: usize = 1858;
const PROMOTIONS: usize = 1792;

/// Index of each from-to pair; pairs no piece plays have 0.
static FROM_TO: [[u16; 64]; 64] = from_to();

pub fn index(m: Move, mover: Color) -> usize {
    packed_index(PackedMove::new(m).mover_view(mover))
}

/// Of a move that is in the mover's view already.
pub fn packed_index(packed: PackedMove) -> usize {
    let (from, to) = (packed.from() as usize, packed.to() as usize);
    let piece = match packed.promotion() {
        None | Some(Role::Knight) => return usize::from(FROM_TO[from][to]),
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 1,
        Some(_) => 0,
    };
    // Each file has three steps save the edges with two, so the steps before
    // file f, to-file t number 2f + t.
    PROMOTIONS + (2 * (from % 8) + to % 8) * 3 + piece
}

const fn from_to() -> [[u16; 64]; 64] {
    let mut table = [[0; 64]; 64];
    let mut next = 0;
    let mut from = 0;
    while from < 64 {
        let mut to = 0;
        while to < 64 {
            if playable(from, to) {
                table[from][to] = next;
                next += 1;
            }
            to += 1;
        }
        from += 1;
    }
    assert!(next as usize == PROMOTIONS);
    table
}

/// Whether a queen or a knight on an empty board goes from one to the other.
const fn playable(from: usize, to: usize) -> bool {
    let files = (from % 8).abs_diff(to % 8);
    let ranks = (from / 8).abs_diff(to / 8);
    from != to && (files == 0 || ranks == 0 || files == ranks || files * ranks == 2)
}
