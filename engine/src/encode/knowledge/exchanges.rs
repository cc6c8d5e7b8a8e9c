//! What captures win: a bare board in, material out.
//!
//! Static exchanges: on one square both sides take with their least valuable
//! piece as long as it pays. Pinned pieces take only along the pin; nothing
//! else is looked ahead.

use super::king;
use shakmaty::{Bitboard, Board, Color, Move, Rank, Role, Square, attacks};

/// Above every sum of pieces.
pub const KING: i32 = 1000;

pub fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => KING,
    }
}

/// The most that `turn`, to move, can win by an exchange on one square or by a
/// promotion; 0 if nothing.
pub fn gain(board: &Board, turn: Color) -> i32 {
    let mut best = promotion(board, turn);
    let theirs = board.by_color(!turn);
    let pinned = king::pinned(board);
    for victim in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn] {
        // The other side may stop at once: no exchange wins more than its
        // first capture.
        if worth(victim) <= best {
            break;
        }
        for square in board.by_role(victim) & theirs {
            best = best.max(exchange(board, square, victim, turn, pinned));
        }
    }
    best
}

/// The squares on which `turn`, to move, wins material by an exchange, and the
/// most that it can win there or by a promotion; 0 if nothing.
pub fn winning(board: &Board, turn: Color) -> (Bitboard, i32) {
    let (mut squares, mut best) = (Bitboard::EMPTY, promotion(board, turn));
    let pinned = king::pinned(board);
    for square in board.by_color(!turn) & !board.kings() {
        let victim = board.role_at(square).unwrap_or(Role::Pawn);
        let won = exchange(board, square, victim, turn, pinned);
        if won > 0 {
            squares.add(square);
            best = best.max(won);
        }
    }
    (squares, best)
}

/// What a pawn wins that can promote unharmed.
fn promotion(board: &Board, turn: Color) -> i32 {
    let last_but_one = turn.fold_wb(Rank::Seventh, Rank::Second);
    let pawns = board.pawns() & board.by_color(turn) & Bitboard::from_rank(last_but_one);
    let wins = pawns.into_iter().filter_map(|from| from.offset(turn.fold_wb(8, -8))).any(|to| {
        !board.occupied().contains(to) && board.attacks_to(to, !turn, board.occupied()).is_empty()
    });
    if wins { worth(Role::Queen) - worth(Role::Pawn) } else { 0 }
}

/// What `turn` wins by taking on a square, at least nothing.
fn exchange(board: &Board, square: Square, victim: Role, turn: Color, pinned: Bitboard) -> i32 {
    let mut occupied = board.occupied();
    let free = |color: Color| {
        let king = board.king_of(color);
        let stuck = (pinned & board.by_color(color)).into_iter();
        let stuck = stuck.filter(|from| !king.is_some_and(|k| attacks::aligned(k, *from, square)));
        board.by_color(color) & !stuck.collect::<Bitboard>()
    };
    let reach = |occupied: Bitboard| {
        (board.attacks_to(square, Color::White, occupied)
            | board.attacks_to(square, Color::Black, occupied))
            & occupied
    };
    let mut attackers = reach(occupied);
    if (attackers & board.by_color(turn)).is_empty() {
        return 0;
    }
    let able = free(Color::White) | free(Color::Black);
    // balance[n]: what the side that makes capture n has won with it, were it
    // the last one.
    let mut balance = [0; 33];
    let mut captures = 0;
    let (mut side, mut on_square) = (turn, worth(victim));
    loop {
        let mine = attackers & able & board.by_color(side);
        let Some((from, role)) = least(board, mine) else { break };
        if role == Role::King && (attackers & able & board.by_color(!side)).any() {
            break;
        }
        captures += 1;
        balance[captures] = on_square - balance[captures - 1];
        on_square = worth(role);
        occupied.toggle(from);
        attackers = reach(occupied);
        side = !side;
    }
    // From the end: each side stops where going on would cost it.
    for n in (2..=captures).rev() {
        balance[n - 1] = -balance[n].max(-balance[n - 1]);
    }
    balance[1].max(0)
}

/// Whether a legal move loses material by captures on the square it goes to.
/// Pins are not looked at.
pub fn loses(board: &Board, m: Move, turn: Color) -> bool {
    let (Some(from), false) = (m.from(), m.is_castle()) else { return false };
    let to = m.to();
    let role = m.promotion().unwrap_or(m.role());
    let taken = m.capture().map_or(0, worth) + worth(role) - worth(m.role());
    // The other side wins this much by taking back, if it can. A pawn that takes
    // another, en passant or not, is even already.
    let mut stake = worth(role) - taken;
    if stake <= 0 {
        return false;
    }
    let mut occupied = board.occupied();
    occupied.toggle(from);
    occupied.add(to);
    let mut side = !turn;
    let reach = |side: Color, occupied| {
        board.attacks_to(to, side, occupied) & occupied & board.by_color(side)
    };
    // Each capture turns the verdict, unless going on costs who makes it.
    let mut losing = false;
    loop {
        let Some((from, role)) = least(board, reach(side, occupied)) else { return losing };
        occupied.toggle(from);
        if role == Role::King && reach(!side, occupied).any() {
            return losing;
        }
        losing = !losing;
        stake = worth(role) - stake;
        // Even if this piece is lost in turn, its side stays ahead.
        if stake < i32::from(!losing) {
            return losing;
        }
        side = !side;
    }
}

fn least(board: &Board, pieces: Bitboard) -> Option<(Square, Role)> {
    let mut by_worth = Role::ALL.into_iter();
    by_worth.find_map(|role| Some(((pieces & board.by_role(role)).first()?, role)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{parse_fen, parse_move};
    use shakmaty::Position;

    fn gain_of(fen: &str) -> i32 {
        let position = parse_fen(fen, false).unwrap();
        gain(position.board(), position.turn())
    }

    #[test]
    fn takes_what_pays_and_leaves_what_is_guarded() {
        assert_eq!(gain_of("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1"), 3);
        assert_eq!(gain_of("4k3/8/4p3/3n4/8/8/8/3RK3 w - - 0 1"), 0);
        assert_eq!(gain_of("4k3/8/4p3/3n4/4P3/8/8/3RK3 w - - 0 1"), 3);
        // Rook and queen on one file, and a pawn that guards.
        assert_eq!(gain_of("4k3/8/4p3/3n4/8/3R4/3Q4/4K3 w - - 0 1"), 0);
        assert_eq!(gain_of("4k3/8/4p3/3r4/8/3R4/3Q4/4K3 w - - 0 1"), 1);
        assert_eq!(gain_of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 0);
    }

    #[test]
    fn a_pinned_piece_does_not_guard() {
        // Ra8 pins Nd8, so it does not guard the pawn.
        assert_eq!(gain_of("R2nk3/8/2p5/8/8/8/6B1/4K3 w - - 0 1"), 1);
        assert_eq!(gain_of("3nk3/8/2p5/8/8/8/6B1/4K3 w - - 0 1"), 0);
    }

    #[test]
    fn promotions_count() {
        assert_eq!(gain_of("8/P6k/8/8/8/8/8/4K3 w - - 0 1"), 8);
        assert_eq!(gain_of("8/P6k/1r6/8/8/8/8/4K3 b - - 0 1"), 0);
        assert_eq!(gain_of("6r1/P6k/8/8/8/8/8/4K3 w - - 0 1"), 0);
    }

    fn losing(fen: &str, text: &str) -> bool {
        let position = parse_fen(fen, false).unwrap();
        let m = parse_move(&position, text).unwrap();
        loses(position.board(), m, position.turn())
    }

    #[test]
    fn trades_lose_nothing() {
        // Rook for rook, and knight for bishop.
        assert!(!losing("r2k4/8/1n6/8/8/8/8/R3K3 w - - 0 1", "a1a8"));
        assert!(!losing("4k3/5p2/4b3/8/3N4/8/8/4K3 w - - 0 1", "d4e6"));
    }

    #[test]
    fn a_guarded_pawn_costs_the_knight() {
        assert!(losing("4k3/8/3p4/4p3/8/5N2/8/4K3 w - - 0 1", "f3e5"));
        assert!(!losing("4k3/8/8/4p3/8/5N2/8/4K3 w - - 0 1", "f3e5"));
        // A square that a pawn guards.
        assert!(losing("4k3/8/8/4p3/8/5N2/8/4K3 w - - 0 1", "f3d4"));
    }

    #[test]
    fn pieces_behind_join_in() {
        // One rook against one, with a second behind, and behind both.
        assert!(losing("3rk3/8/8/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5"));
        assert!(!losing("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5"));
        assert!(losing("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5"));
        // A rook that backs the knight, against a pawn and against a queen.
        assert!(losing("4k3/8/5p2/4p3/8/3N4/4R3/4K3 w - - 0 1", "d3e5"));
        assert!(!losing("4k3/8/5q2/4p3/8/3N4/4R3/4K3 w - - 0 1", "d3e5"));
    }

    #[test]
    fn en_passant_is_a_trade() {
        assert!(!losing("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"));
        assert!(!losing("3rk3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"));
    }

    #[test]
    fn a_promotion_risks_a_pawn() {
        assert!(losing("1r5k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"));
        assert!(losing("1r5k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n"));
        assert!(!losing("7k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"));
        // With a rook behind, the other one is lost; what it takes is kept.
        assert!(!losing("1r5k/P7/8/8/8/8/8/R3K3 w - - 0 1", "a7a8q"));
        assert!(!losing("nr5k/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7a8q"));
    }

    #[test]
    fn a_king_takes_what_is_not_guarded() {
        // Theirs on f7, with and without a bishop that guards the knight.
        assert!(losing("6k1/5p2/8/4N3/8/8/8/4K3 w - - 0 1", "e5f7"));
        assert!(!losing("6k1/5p2/8/4N3/2B5/8/8/4K3 w - - 0 1", "e5f7"));
        // Ours guards e2 against one rook, not against two.
        assert!(!losing("4r1k1/8/8/8/8/2N5/8/4K3 w - - 0 1", "c3e2"));
        assert!(losing("4r1k1/4r3/8/8/8/2N5/8/4K3 w - - 0 1", "c3e2"));
    }

    #[test]
    fn castling_loses_nothing() {
        assert!(!losing("5rk1/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1c1"));
    }

    fn won(fen: &str) -> (Bitboard, i32) {
        let position = parse_fen(fen, false).unwrap();
        winning(position.board(), position.turn())
    }

    #[test]
    fn winning_names_every_square() {
        let squares = |list: &[Square]| list.iter().copied().collect::<Bitboard>();
        // Knight and pawn hang; a guarded knight does not.
        let fen = "4k3/8/8/3n3p/8/8/8/3RK2R w - - 0 1";
        assert_eq!(won(fen), (squares(&[Square::D5, Square::H5]), 3));
        assert_eq!(won("4k3/8/4p3/3n4/8/8/8/3RK3 w - - 0 1"), (Bitboard::EMPTY, 0));
        // The same for Black.
        let fen = "3rk2r/8/8/8/3N3P/8/8/4K3 b - - 0 1";
        assert_eq!(won(fen), (squares(&[Square::D4, Square::H4]), 3));
    }

    #[test]
    fn winning_counts_promotions_on_no_square() {
        assert_eq!(won("8/P6k/8/8/8/8/8/4K3 w - - 0 1"), (Bitboard::EMPTY, 8));
        let fen = "8/P5k1/8/3n4/8/8/8/3RK3 w - - 0 1";
        assert_eq!(won(fen), (Bitboard::from_square(Square::D5), 8));
    }

    #[test]
    fn winning_leaves_the_king_out() {
        // The other side is asked while its king is in check.
        let position = parse_fen("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1", false).unwrap();
        assert_eq!(winning(position.board(), Color::White), (Bitboard::EMPTY, 0));
    }
}
