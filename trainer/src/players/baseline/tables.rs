//! What a piece is worth, and what it is worth where. In: roles and squares.
//! Out: centipawns.

use shakmaty::{Color, Role, Square};

/// Centipawns for a piece, wherever it stands. A king has no price.
pub const fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 0,
    }
}

/// Files a to d of a board, the own first rank first; e to h mirror them.
pub struct Half([[i32; 4]; 8]);

impl Half {
    /// The bonus for a piece of that color.
    pub fn at(&self, color: Color, square: Square) -> i32 {
        let square = color.fold_wb(square, square.flip_vertical());
        let file = square.file() as usize;
        self.0[square.rank() as usize][file.min(7 - file)]
    }
}

/// The bonus table of a piece; the king's holds while pieces are many.
pub const fn bonus(role: Role) -> &'static Half {
    match role {
        Role::Pawn => &PAWN,
        Role::Knight => &KNIGHT,
        Role::Bishop => &BISHOP,
        Role::Rook => &ROOK,
        Role::Queen => &QUEEN,
        Role::King => &KING,
    }
}

/// Take the center, keep the king's shelter, run when the way is free.
const PAWN: Half = Half([
    [0, 0, 0, 0],
    [4, 8, 2, -16],
    [2, 4, 4, 0],
    [0, 2, 10, 24],
    [6, 8, 14, 28],
    [16, 20, 26, 34],
    [44, 48, 52, 56],
    [0, 0, 0, 0],
]);

/// A knight on the rim is dim.
const KNIGHT: Half = Half([
    [-44, -26, -20, -18],
    [-28, -14, -4, 0],
    [-20, 0, 10, 12],
    [-14, 4, 14, 20],
    [-10, 8, 18, 24],
    [-14, 6, 16, 20],
    [-28, -12, 2, 6],
    [-48, -28, -20, -16],
]);

/// Off the back rank, onto long diagonals.
const BISHOP: Half = Half([
    [-14, -10, -14, -12],
    [-4, 10, 2, 4],
    [-2, 6, 8, 8],
    [0, 4, 10, 14],
    [0, 8, 8, 14],
    [-4, 4, 8, 8],
    [-8, 0, 0, 2],
    [-14, -8, -8, -8],
]);

/// Central files, and the rank where the pawns stood.
const ROOK: Half = Half([
    [-6, -2, 4, 8],
    [-8, -2, 0, 2],
    [-6, 0, 0, 2],
    [-6, 0, 0, 2],
    [-4, 0, 0, 2],
    [-2, 2, 2, 4],
    [12, 16, 18, 18],
    [4, 6, 6, 6],
]);

/// Nearly indifferent: an early queen is a target.
const QUEEN: Half = Half([
    [-12, -8, -4, -2],
    [-8, -2, 2, 2],
    [-4, 2, 2, 2],
    [-2, 0, 4, 6],
    [-2, 0, 4, 6],
    [-4, 2, 4, 4],
    [-4, 2, 2, 4],
    [-6, -2, 0, 0],
]);

/// Stay at home, best castled.
const KING: Half = Half([
    [20, 28, 4, -6],
    [8, 6, -12, -20],
    [-20, -26, -34, -40],
    [-36, -42, -50, -56],
    [-46, -52, -60, -66],
    [-52, -58, -66, -72],
    [-56, -62, -70, -76],
    [-60, -66, -74, -80],
]);

/// With few pieces left the king fights, and is mated at the rim.
pub const BARE_KING: Half = Half([
    [-60, -40, -28, -20],
    [-40, -16, -4, 2],
    [-28, -4, 18, 24],
    [-20, 2, 26, 36],
    [-16, 6, 30, 40],
    [-22, 0, 22, 28],
    [-38, -12, 0, 6],
    [-60, -40, -28, -20],
]);
