//! The board as the mover sees it: own pieces first, own first rank at the
//! bottom. Positions in, plain 64-bit masks out; bit 0 is a1 in that view.

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, File, Position, Role, Square};

/// One side's view of boards, its own and those before.
#[derive(Clone, Copy)]
pub struct View {
    mover: Color,
    /// Whether left and right are swapped.
    mirrored: bool,
}

impl View {
    pub fn of(mover: Color) -> View {
        View { mover, mirrored: false }
    }

    /// The mover's view, left and right swapped if its king is on the left half:
    /// positions that are mirror images of each other look the same.
    pub fn king_right(board: &Board, mover: Color) -> View {
        let left = |king: Square| king.file() < File::E;
        View { mover, mirrored: board.king_of(mover).is_some_and(left) }
    }

    pub fn bits(self, squares: Bitboard) -> u64 {
        let upright = match self.mover {
            Color::White => squares.0,
            Color::Black => squares.0.swap_bytes(),
        };
        if self.mirrored { upright.swap_bytes().reverse_bits() } else { upright }
    }

    pub fn square(self, square: Square) -> Square {
        let upright = if self.mover.is_white() { square } else { square.flip_vertical() };
        if self.mirrored { upright.flip_horizontal() } else { upright }
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
        let mut upright = match self.mover {
            Color::White => board.clone(),
            Color::Black => board.clone().into_mirrored(),
        };
        if self.mirrored {
            upright.flip_horizontal();
        }
        upright
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;

    fn view(fen: &str) -> View {
        let position = parse_fen(fen, false).unwrap();
        View::king_right(position.board(), position.turn())
    }

    #[test]
    fn the_king_ends_on_the_right() {
        let seen = |fen: &str, square: Square| view(fen).square(square);
        assert_eq!(seen("4k3/8/8/8/8/8/8/4K3 w - - 0 1", Square::E1), Square::E1);
        assert_eq!(seen("4k3/8/8/8/8/8/8/3K4 w - - 0 1", Square::D1), Square::E1);
        assert_eq!(seen("4k3/8/8/8/8/8/8/3K4 b - - 0 1", Square::E8), Square::E1);
        assert_eq!(seen("k7/8/8/8/8/8/8/4K3 b - - 0 1", Square::A8), Square::H1);
        assert_eq!(seen("k7/8/8/8/8/8/8/4K3 b - - 0 1", Square::G2), Square::B7);
    }

    #[test]
    fn squares_masks_and_boards_agree() {
        for fen in [
            "r3k3/1p6/8/8/8/5N2/8/4K3 w - - 0 1",
            "r3k3/1p6/8/8/8/5N2/8/2K5 w - - 0 1",
            "r3k3/1p6/8/8/8/5N2/8/2K5 b - - 0 1",
            "rk6/1p6/8/8/8/5N2/8/2K5 b - - 0 1",
        ] {
            let position = parse_fen(fen, false).unwrap();
            let view = view(fen);
            let turned = view.board(position.board());
            for square in Square::ALL {
                let seen = view.square(square);
                assert_eq!(view.bits(Bitboard::from_square(square)), 1 << seen as u32, "{fen}");
                let role = position.board().role_at(square);
                assert_eq!(turned.role_at(seen), role, "{fen} {square}");
            }
            assert_eq!(
                view.pieces(position.board())[5],
                1 << turned.king_of(Color::White).unwrap() as u32
            );
        }
    }
}
