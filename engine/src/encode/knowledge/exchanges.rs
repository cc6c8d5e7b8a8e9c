//! What captures win: a bare board in, material out.
//!
//! Static exchanges: on one square both sides take with their least valuable
//! piece as long as it pays. Pinned pieces take only along the pin; nothing
//! else is looked ahead.

use super::king;
use shakmaty::{Bitboard, Board, Color, Rank, Role, Square, attacks};

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

fn least(board: &Board, pieces: Bitboard) -> Option<(Square, Role)> {
    let mut by_worth = Role::ALL.into_iter();
    by_worth.find_map(|role| Some(((pieces & board.by_role(role)).first()?, role)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;
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
}
