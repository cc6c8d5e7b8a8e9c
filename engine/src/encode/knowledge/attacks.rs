//! Who attacks what: a board in, masks of squares and pieces out.

use shakmaty::{Bitboard, Board, Color, Square};

/// The squares that each piece and each side attacks.
pub struct Attacks {
    from: [Bitboard; 64],
    pub white: Bitboard,
    pub black: Bitboard,
}

impl Attacks {
    pub fn of(board: &Board) -> Attacks {
        let mut from = [Bitboard::EMPTY; 64];
        let mut attack = |side: Bitboard| {
            let mut all = Bitboard::EMPTY;
            for square in side {
                let reach = board.attacks_from(square);
                from[square as usize] = reach;
                all |= reach;
            }
            all
        };
        let (white, black) = (attack(board.white()), attack(board.black()));
        Attacks { from, white, black }
    }

    /// Squares that the piece attacks and its own side does not hold.
    pub fn mobility(&self, board: &Board, square: Square) -> usize {
        let own = if board.white().contains(square) { board.white() } else { board.black() };
        (self.from[square as usize] & !own).count()
    }

    /// Pieces but kings that the enemy attacks and nobody defends.
    pub fn hanging(&self, board: &Board) -> Bitboard {
        let white = board.white() & self.black & !self.white;
        let black = board.black() & self.white & !self.black;
        (white | black) & !board.kings()
    }

    /// Pieces that attack an enemy piece worth more than themselves.
    pub fn attacking_upwards(&self, board: &Board) -> Bitboard {
        // From the most valuable down, the pieces worth more than those at hand.
        let minors = board.knights() | board.bishops();
        let above_queens = board.kings();
        let above_rooks = above_queens | board.queens();
        let above_minors = above_rooks | board.rooks();
        let above_pawns = above_minors | minors;
        let mut found = Bitboard::EMPTY;
        for (attackers, targets) in [
            (board.pawns(), above_pawns),
            (minors, above_minors),
            (board.rooks(), above_rooks),
            (board.queens(), above_queens),
        ] {
            for square in attackers {
                let white = board.white().contains(square);
                let enemy = if white { board.black() } else { board.white() };
                if (self.from[square as usize] & targets & enemy).any() {
                    found |= square;
                }
            }
        }
        found
    }

    /// Knights, bishops, rooks and queens with fewer than two squares to go.
    pub fn trapped(&self, board: &Board) -> Bitboard {
        let pieces = board.occupied() & !board.pawns() & !board.kings();
        pieces.into_iter().filter(|square| self.mobility(board, *square) < 2).collect()
    }
}

/// The pieces of one side that attack a square.
pub fn attackers(board: &Board, square: Square, side: Color) -> Bitboard {
    board.attacks_to(square, side, board.occupied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;
    use shakmaty::Position;

    fn board(fen: &str) -> Board {
        parse_fen(fen, false).unwrap().board().clone()
    }

    fn squares(list: &[Square]) -> Bitboard {
        list.iter().copied().collect()
    }

    #[test]
    fn hanging_needs_an_attacker_and_no_defender() {
        // Rd8 attacks Nd4; the bishop defends it from b2, not from c2.
        let hanging = |fen| {
            let board = board(fen);
            Attacks::of(&board).hanging(&board)
        };
        assert_eq!(hanging("3r2k1/6p1/8/8/3N4/8/1B1P4/6K1 w - - 0 1"), Bitboard::EMPTY);
        assert_eq!(hanging("3r2k1/6p1/8/8/3N4/8/2BP4/6K1 w - - 0 1"), squares(&[Square::D4]));
        assert_eq!(hanging("6k1/6p1/8/8/3N4/8/2BP4/6K1 w - - 0 1"), Bitboard::EMPTY);
    }

    #[test]
    fn attacking_upwards_by_value() {
        // Pe4 attacks Nd5, Bb2 attacks Rg7, Rg7 checks Kg1; Ra5 attacks Nd5,
        // which is worth less.
        let board = board("4k3/6r1/8/R2n4/4P3/8/1B6/6K1 w - - 0 1");
        let found = Attacks::of(&board).attacking_upwards(&board);
        assert_eq!(found, squares(&[Square::E4, Square::B2, Square::G7]));
    }

    #[test]
    fn a_knight_and_a_bishop_are_equals() {
        let board = board("4k3/8/8/4b3/8/3N4/8/4K3 w - - 0 1");
        assert_eq!(Attacks::of(&board).attacking_upwards(&board), Bitboard::EMPTY);
    }

    #[test]
    fn cornered_pieces_are_trapped() {
        // Ba7 has b8 and takes b6; Nh8 has f7 and g6.
        let board = board("4k2n/B7/1p6/8/8/8/8/4K2R w K - 0 1");
        let attacks = Attacks::of(&board);
        assert_eq!(attacks.mobility(&board, Square::A7), 2);
        assert_eq!(attacks.trapped(&board), Bitboard::EMPTY);
        // Now b8 and g6 are held by their own.
        let board = self::board("1N2k2n/B7/1p4p1/5p2/8/8/8/4K2R w K - 0 1");
        let attacks = Attacks::of(&board);
        assert_eq!(attacks.mobility(&board, Square::H8), 1);
        assert_eq!(attacks.trapped(&board), squares(&[Square::A7, Square::H8]));
    }
}
