//! The board as the mover sees it: own pieces first, own first rank at the
//! bottom. Positions in, plain 64-bit masks out; bit 0 is a1 in that view.

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, Position, Role, Square};

/// One side's view of boards, its own and those before.
#[derive(Clone, Copy)]
pub struct View {
    mover: Color,
}

impl View {
    pub fn of(mover: Color) -> View {
        View { mover }
    }

    pub fn bits(self, squares: Bitboard) -> u64 {
        match self.mover {
            Color::White => squares.0,
            Color::Black => squares.0.swap_bytes(),
        }
    }

    /// Our pawns, knights, bishops, rooks, queens and king, then theirs.
    pub fn pieces(self, board: &Board) -> [u64; 12] {
        let ours = board.by_color(self.mover);
        let theirs = board.by_color(!self.mover);
        let mut pieces = [0; 12];
        for (i, role) in Role::ALL.into_iter().enumerate() {
            let both = board.by_role(role);
            pieces[i] = self.bits(both & ours);
            pieces[i + 6] = self.bits(both & theirs);
        }
        pieces
    }

    /// The board itself, turned so that the mover is White.
    pub fn board(self, board: &Board) -> Board {
        match self.mover {
            Color::White => board.clone(),
            Color::Black => board.clone().into_mirrored(),
        }
    }

    /// Castling rights: our king side, our queen side, theirs, theirs.
    pub fn castling(self, position: &Chess) -> [bool; 4] {
        let (us, them) = (self.mover, !self.mover);
        let castles = position.castles();
        [
            castles.has(us, CastlingSide::KingSide),
            castles.has(us, CastlingSide::QueenSide),
            castles.has(them, CastlingSide::KingSide),
            castles.has(them, CastlingSide::QueenSide),
        ]
    }

    /// The en-passant target square where the capture is legal, else nothing.
    pub fn en_passant(self, position: &Chess) -> u64 {
        let target = position.legal_ep_square();
        target.map_or(0, |square: Square| self.bits(Bitboard::from_square(square)))
    }
}
