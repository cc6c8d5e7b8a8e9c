//! `az4672`: AlphaZero's policy, 73 kinds of move from each of 64 squares.
//!
//! Index = kind * 64 + from-square, in the mover's view.
//!
//! | kinds | moves |
//! |---|---|
//! | 0-55 | like a queen: direction (N, NE, E, SE, S, SW, W, NW) * 7 + distance - 1 |
//! | 56-63 | like a knight, clockwise from one file right, two ranks up |
//! | 64-72 | under-promotion: 64 + piece (knight, bishop, rook) * 3 + direction (capture towards the a-file, straight, towards the h-file) |
//!
//! A promotion to a queen is the plain queen-like move.
//!
//! Castling is "two squares east" for the king side and "two squares west" for
//! the queen side, from the king's square. In standard chess that is the king's
//! own move. In Chess960 it stands for castling wherever king and rook are,
//! even if two squares that way would leave the board: apart from castling a
//! king never goes two squares, so no other move has the index.

use crate::chess::PackedMove;
use shakmaty::{Color, Move, Role};

pub const LEN: usize = 73 * 64;

const DIRECTIONS: [(i32, i32); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
const KNIGHT: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const TWO_EAST: usize = 2 * 7 + 1;
const TWO_WEST: usize = 6 * 7 + 1;
const UNDER_PROMOTION: usize = 64;

/// Kind of the move from one square to another; pairs no piece plays have 0.
static KINDS: [[u8; 64]; 64] = kinds();

pub fn index(m: Move, mover: Color) -> usize {
    let packed = PackedMove::new(m).mover_view(mover);
    let (from, to) = (packed.from() as usize, packed.to() as usize);
    let kind = match (m, packed.promotion()) {
        (Move::Castle { .. }, _) if to > from => TWO_EAST,
        (Move::Castle { .. }, _) => TWO_WEST,
        (_, None | Some(Role::Queen)) => usize::from(KINDS[from][to]),
        (_, Some(role)) => {
            let piece = role as usize - Role::Knight as usize;
            UNDER_PROMOTION + piece * 3 + (1 + to % 8 - from % 8)
        }
    };
    kind * 64 + from
}

const fn kinds() -> [[u8; 64]; 64] {
    let mut table = [[0; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let mut distance = 1;
            while distance < 8 {
                let (files, ranks) = DIRECTIONS[direction];
                if let Some(to) = step(from, files * distance, ranks * distance) {
                    table[from][to] = (direction * 7) as u8 + distance as u8 - 1;
                }
                distance += 1;
            }
            if let Some(to) = step(from, KNIGHT[direction].0, KNIGHT[direction].1) {
                table[from][to] = 56 + direction as u8;
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

/// The square so many files and ranks away, if it is on the board.
const fn step(from: usize, files: i32, ranks: i32) -> Option<usize> {
    let (file, rank) = ((from % 8) as i32 + files, (from / 8) as i32 + ranks);
    if file < 0 || file > 7 || rank < 0 || rank > 7 {
        return None;
    }
    Some((rank * 8 + file) as usize)
}
