//! Where each move leads: a position in, the material that every legal move
//! wins or loses out, after the captures that follow it.

use super::exchanges::{KING, gain, worth};
use shakmaty::{Chess, Move, Position};

/// What a mate is worth.
pub const MATE: i32 = KING;

/// The outcome of a move for the side that makes it, in pawns: what it takes,
/// less what the other side wins by captures then. A check is followed one ply
/// further, through every evasion, so that mates and checks that win material
/// show.
pub fn prospect(position: &Chess, m: Move) -> i32 {
    let mut after = position.clone();
    after.play_unchecked(m);
    let promoted = m.promotion().map_or(0, |role| worth(role) - 1);
    let taken = m.capture().map_or(0, worth) + promoted;
    if !after.is_check() {
        return taken - gain(after.board(), after.turn());
    }
    // The best evasion counts.
    let evasions = after.legal_moves().into_iter().map(|evasion| {
        let mut next = after.clone();
        next.play_unchecked(evasion);
        evasion.capture().map_or(0, worth) - gain(next.board(), next.turn())
    });
    evasions.max().map_or(MATE, |reply| taken - reply)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{parse_fen, parse_move};

    fn outcome(fen: &str, text: &str) -> i32 {
        let position = parse_fen(fen, false).unwrap();
        prospect(&position, parse_move(&position, text).unwrap())
    }

    #[test]
    fn what_is_taken_and_what_it_costs() {
        let fen = "4k3/8/8/4p3/8/5N2/8/4K3 w - - 0 1";
        assert_eq!(outcome(fen, "f3e5"), 1);
        assert_eq!(outcome(fen, "f3d4"), -3);
        assert_eq!(outcome(fen, "f3h2"), 0);
    }

    #[test]
    fn a_threat_that_is_ignored_costs() {
        let fen = "4k3/8/8/4p3/3N4/8/8/4K3 w - - 0 1";
        assert_eq!(outcome(fen, "e1e2"), -3);
        assert_eq!(outcome(fen, "d4f3"), 0);
    }

    #[test]
    fn checks_are_followed_through_the_evasions() {
        // A fork.
        assert_eq!(outcome("q3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "b5c7"), 9);
        // Mate.
        assert_eq!(outcome("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"), MATE);
        // The rook interposes and is lost.
        assert_eq!(outcome("6k1/1r3ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"), 5);
    }

    #[test]
    fn promotions_are_worth_the_piece() {
        let fen = "8/P6k/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(outcome(fen, "a7a8q"), 8);
        assert_eq!(outcome(fen, "a7a8n"), 2);
    }
}
