//! Around the kings: a board in, zones and pins out.

use shakmaty::{Bitboard, Board, Color, attacks};

/// The king's square and those next to it.
pub fn zone(board: &Board, side: Color) -> Bitboard {
    let king = board.king_of(side);
    king.map_or(Bitboard::EMPTY, |square| attacks::king_attacks(square).with(square))
}

/// Pieces of either side that alone shield their king from an enemy slider.
pub fn pinned(board: &Board) -> Bitboard {
    pinned_of(board, Color::White) | pinned_of(board, Color::Black)
}

/// The same of one side.
pub fn pinned_of(board: &Board, side: Color) -> Bitboard {
    let Some(king) = board.king_of(side) else { return Bitboard::EMPTY };
    let straight = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let diagonal = attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    let mut pinned = Bitboard::EMPTY;
    for slider in (straight | diagonal) & board.by_color(!side) {
        let shields = attacks::between(king, slider) & board.occupied();
        if !shields.more_than_one() {
            pinned |= shields & board.by_color(side);
        }
    }
    pinned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;
    use shakmaty::{Position, Square};

    fn pins(fen: &str) -> Bitboard {
        pinned(parse_fen(fen, false).unwrap().board())
    }

    #[test]
    fn pins_of_both_sides() {
        // Re2 and Qe7 pin each other; Ba5 pins Nc3.
        let found = pins("4k3/4q3/8/b7/8/2N5/4R3/4K3 w - - 0 1");
        assert_eq!(found, [Square::C3, Square::E2, Square::E7].into_iter().collect());
    }

    #[test]
    fn two_shields_are_no_pin() {
        assert_eq!(pins("4k3/8/8/b7/1P6/2N5/8/4K3 w - - 0 1"), Bitboard::EMPTY);
        assert_eq!(pins("4k3/8/8/b7/1p6/2N5/8/4K3 w - - 0 1"), Bitboard::EMPTY);
    }

    #[test]
    fn an_enemy_shield_is_no_pin() {
        assert_eq!(pins("4k3/8/8/b7/8/2n5/8/4K3 w - - 0 1"), Bitboard::EMPTY);
    }

    #[test]
    fn a_zone_is_cut_at_the_edge() {
        let position = parse_fen("4k3/8/8/8/8/8/8/K7 w - - 0 1", false).unwrap();
        assert_eq!(zone(position.board(), Color::White).count(), 4);
        assert_eq!(zone(position.board(), Color::Black).count(), 6);
    }
}
