//! `rich`: the current position as in `basic18`, and planes of chess knowledge
//! that a small network would otherwise spend layers on. No history, so that
//! transpositions share one evaluation.
//!
//! | planes | content |
//! |---|---|
//! | 0-17 | as in `basic18` |
//! | 18-23 | squares that our pawns, knights, bishops, rooks, queens, king attack |
//! | 24-29 | the same for theirs |
//! | 30, 31 | squares that we, that they attack more than once |
//! | 32, 33 | our pinned pieces, theirs |
//! | 34 | pieces that give check to us |
//! | 35, 36 | our pieces en prise, theirs |
//!
//! A piece *attacks* the squares it could capture on, its own pieces there
//! included. *Pinned*: the only piece between its king and an enemy slider aimed
//! there. *En prise*: not a king, and attacked by an enemy of less value, or
//! attacked and not defended; values are pawn 1, knight and bishop 3, rook 5,
//! queen 9, king above all.

use super::basic18;
use super::knowledge::{king, reach::Reach};
use super::planes::Planes;
use super::view::View;
use crate::chess::Ply;
use shakmaty::{Bitboard, Board, Color, Position};

pub const PLANES: usize = 37;

pub fn encode(plies: &[Ply], out: &mut [f32]) {
    let (basic, more) = out.split_at_mut(basic18::PLANES * 64);
    basic18::encode(plies, basic);
    let mut planes = Planes::zeroed(more);
    let Some(last) = plies.last() else { return };
    knowledge(&mut planes, &View::of(last.turn()).board(last.position.board()));
}

/// Planes 18-36, from a board on which we are White.
fn knowledge(planes: &mut Planes, board: &Board) {
    let sides = [Color::White, Color::Black].map(|color| Reach::of(board, color));
    for (index, side) in sides.iter().enumerate() {
        for (role, squares) in side.by_role.iter().enumerate() {
            planes.set(6 * index + role, squares.0);
        }
        planes.set(12 + index, side.twice.0);
    }
    for (index, color) in [Color::White, Color::Black].into_iter().enumerate() {
        let enemy = &sides[1 - index];
        planes.set(14 + index, king::pinned_of(board, color).0);
        planes.set(17 + index, enemy.en_prise(board, color, &sides[index]).0);
    }
    let king = board.king_of(Color::White);
    let checkers =
        king.map_or(Bitboard::EMPTY, |king| board.attacks_to(king, Color::Black, board.occupied()));
    planes.set(16, checkers.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Line, parse_fen};
    use shakmaty::Square;

    fn squares(fen: &str, plane: usize) -> Vec<Square> {
        let line = Line::new(parse_fen(fen, false).unwrap());
        let mut out = vec![f32::NAN; PLANES * 64];
        encode(line.plies(), &mut out);
        Square::ALL.into_iter().filter(|s| out[plane * 64 + *s as usize] == 1.0).collect()
    }

    #[test]
    fn attacks_by_piece_and_by_number() {
        use Square::*;
        let fen = "4k3/8/8/8/8/8/4P3/R3K2N w - - 0 1";
        assert_eq!(squares(fen, 18), [D3, F3]);
        assert_eq!(squares(fen, 19), [F2, G3]);
        assert_eq!(squares(fen, 21), [B1, C1, D1, E1, A2, A3, A4, A5, A6, A7, A8]);
        assert_eq!(squares(fen, 23), [D1, F1, D2, E2, F2]);
        assert_eq!(squares(fen, 30), [D1, F2]);
        assert_eq!(squares(fen, 29), [D7, E7, F7, D8, F8]);
        assert!(squares(fen, 31).is_empty());
    }

    #[test]
    fn pins_and_checks_of_black_to_move_are_turned() {
        use Square::*;
        // Black is in check by Re1, and Rb8 pins Nd8.
        let fen = "1R1nk3/8/8/8/8/8/8/4R1K1 b - - 0 1";
        assert_eq!(squares(fen, 32), [D1]);
        assert!(squares(fen, 33).is_empty());
        assert_eq!(squares(fen, 34), [E8]);
    }

    #[test]
    fn en_prise_by_value_and_by_lack_of_defense() {
        use Square::*;
        // The pawn attacks a defended knight, the bishop a defended pawn.
        let fen = "3k4/3r4/1p2p3/2n5/1P4B1/2K5/8/8 w - - 0 1";
        assert_eq!(squares(fen, 36), [C5]);
        let fen = "3k4/3r4/8/8/6B1/2K5/8/8 w - - 0 1";
        assert_eq!(squares(fen, 36), [D7]);
        let fen = "4k3/8/4p3/8/6B1/2K5/8/8 w - - 0 1";
        assert_eq!(squares(fen, 36), [E6]);
        assert!(squares(fen, 35).is_empty());
        let fen = "4k3/8/8/8/3r2B1/2P5/2K5/8 b - - 0 1";
        assert_eq!(squares(fen, 35), [D5]);
        assert_eq!(squares(fen, 36), [G5]);
    }
}
