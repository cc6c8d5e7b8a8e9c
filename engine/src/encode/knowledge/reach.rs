//! What the pieces of one side attack, kind by kind: a board in, masks out.

use shakmaty::{Bitboard, Board, Color, Role};

pub struct Reach {
    /// In the order of [`Role::ALL`].
    pub by_role: [Bitboard; 6],
    pub once: Bitboard,
    pub twice: Bitboard,
}

impl Reach {
    pub fn of(board: &Board, color: Color) -> Reach {
        let mut reach =
            Reach { by_role: Default::default(), once: Bitboard::EMPTY, twice: Bitboard::EMPTY };
        for (role, squares) in Role::ALL.into_iter().zip(&mut reach.by_role) {
            for square in board.by_role(role) & board.by_color(color) {
                let attacked = board.attacks_from(square);
                *squares |= attacked;
                reach.twice |= reach.once & attacked;
                reach.once |= attacked;
            }
        }
        reach
    }

    /// Pieces of `color`, the other side, that this one attacks to its profit.
    pub fn en_prise(&self, board: &Board, color: Color, defender: &Reach) -> Bitboard {
        let [pawns, knights, bishops, rooks, ..] = self.by_role;
        let minors = pawns | knights | bishops;
        let by_less = (board.knights() | board.bishops()) & pawns
            | board.rooks() & minors
            | board.queens() & (minors | rooks);
        let undefended = self.once & !defender.once;
        (by_less | board.occupied() & undefended) & board.by_color(color) & !board.kings()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;
    use shakmaty::{Position, Square};

    fn squares(list: &[Square]) -> Bitboard {
        list.iter().copied().collect()
    }

    #[test]
    fn kinds_and_counts() {
        // Two pawns that both guard d3, a bishop in the corner, nothing else.
        let position = parse_fen("8/7k/8/8/8/8/2P1P3/B3K3 w - - 0 1", false).unwrap();
        let reach = Reach::of(position.board(), Color::White);
        assert_eq!(reach.by_role[0], squares(&[Square::B3, Square::D3, Square::F3]));
        let diagonal = [Square::B2, Square::C3, Square::D4, Square::E5, Square::F6, Square::G7];
        assert_eq!(reach.by_role[2], squares(&diagonal).with(Square::H8));
        assert!(reach.by_role[1].is_empty() && reach.by_role[3].is_empty());
        assert_eq!(reach.twice, squares(&[Square::D3]));
        let all = reach.by_role.into_iter().fold(Bitboard::EMPTY, |all, kind| all | kind);
        assert_eq!(reach.once, all);
    }
}
