//! A move in two bytes, as the tree and the shards keep it.

use shakmaty::{Chess, Color, Move, Position, Role, Square};

/// from (6 bits), to (6 bits), promotion (3 bits). Castling is king takes own
/// rook, in standard chess and Chess960 alike, so the code alone is unambiguous.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PackedMove(pub u16);

impl PackedMove {
    pub fn new(m: Move) -> PackedMove {
        let (from, to, promotion) = match m {
            Move::Normal { from, to, promotion, .. } => (from, to, promotion),
            Move::EnPassant { from, to } => (from, to, None),
            Move::Castle { king, rook } => (king, rook, None),
            Move::Put { to, .. } => (to, to, None),
        };
        let promotion = promotion.map_or(0, |role| role as u16);
        PackedMove(from as u16 | (to as u16) << 6 | promotion << 12)
    }

    pub fn from(self) -> Square {
        Square::new(u32::from(self.0 & 63))
    }

    pub fn to(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    pub fn promotion(self) -> Option<Role> {
        match self.0 >> 12 & 7 {
            2 => Some(Role::Knight),
            3 => Some(Role::Bishop),
            4 => Some(Role::Rook),
            5 => Some(Role::Queen),
            _ => None,
        }
    }

    /// The full move, in the position where it was packed as a legal move.
    pub fn unpack(self, position: &Chess) -> Move {
        let (from, to) = (self.from(), self.to());
        let board = position.board();
        let role = board.role_at(from).unwrap_or(Role::Pawn);
        let ours = board.by_color(position.turn());
        if role == Role::King && ours.contains(to) {
            return Move::Castle { king: from, rook: to };
        }
        let capture = board.role_at(to);
        if role == Role::Pawn && capture.is_none() && from.file() != to.file() {
            return Move::EnPassant { from, to };
        }
        Move::Normal { role, from, capture, to, promotion: self.promotion() }
    }

    /// The same kind of move between other squares.
    pub fn on(self, from: Square, to: Square) -> PackedMove {
        PackedMove(self.0 & !0xfff | from as u16 | (to as u16) << 6)
    }

    /// The move seen from the mover's side of the board: ranks flip for Black.
    pub fn mover_view(self, mover: Color) -> PackedMove {
        match mover {
            Color::White => self,
            Color::Black => PackedMove(self.0 ^ 0b111_000_111_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;

    #[test]
    fn every_legal_move_survives_packing() {
        for (fen, chess960) in [
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", false),
            ("8/2P5/8/2k5/3pP3/8/1p4K1/R7 b - e3 0 1", false),
            ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", true),
        ] {
            let position = parse_fen(fen, chess960).unwrap();
            for m in position.legal_moves() {
                assert_eq!(PackedMove::new(m).unpack(&position), m, "{fen}");
            }
        }
    }

    #[test]
    fn mover_view_flips_ranks() {
        let position = parse_fen("4k3/8/8/8/8/8/4p3/K7 b - - 0 1", false).unwrap();
        let m = position.legal_moves().into_iter().find(|m| m.promotion() == Some(Role::Rook));
        let seen = PackedMove::new(m.unwrap()).mover_view(Color::Black);
        assert_eq!((seen.from(), seen.to()), (Square::E7, Square::E8));
        assert_eq!(seen.promotion(), Some(Role::Rook));
    }
}
