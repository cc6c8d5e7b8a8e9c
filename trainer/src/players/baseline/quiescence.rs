//! Playing out captures, so that no exchange is judged halfway. In: a position
//! and a window. Out: its score, in view of the side to move.

use super::evaluation::evaluate;
use super::ordering::order;
use super::rules::{Ending, ending};
use shakmaty::{Chess, Position, Role};

/// The score of a mate on the board. One `n` plies away is worth `n` less, so
/// that the nearest is preferred.
pub const MATE: i32 = 1_000_000;

/// The scores that matter: below `alpha` and from `beta` on, any bound will do.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub alpha: i32,
    pub beta: i32,
}

impl Window {
    pub const FULL: Window = Window { alpha: -2 * MATE, beta: 2 * MATE };

    /// The same window seen from the other side.
    pub fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// Captures and queen promotions to the end, and every move out of a check; the
/// side to move may decline to capture. `ply` counts from the root.
pub fn quiescence(position: &Chess, ply: i32, mut window: Window, nodes: &mut u64) -> i32 {
    let mut moves = position.legal_moves();
    match ending(position, !moves.is_empty()) {
        Some(Ending::Mate) => return ply - MATE,
        Some(Ending::Draw) => return 0,
        None => {}
    }
    let mut best = ply - MATE;
    if !position.is_check() {
        best = evaluate(position);
        if best >= window.beta {
            return best;
        }
        window.alpha = window.alpha.max(best);
        moves.retain(|m| m.is_capture() || m.promotion() == Some(Role::Queen));
    }
    order(&mut moves, position.turn());
    for &m in &moves {
        let mut after = position.clone();
        after.play_unchecked(m);
        *nodes += 1;
        let score = -quiescence(&after, ply + 1, window.flipped(), nodes);
        best = best.max(score);
        if best >= window.beta {
            break;
        }
        window.alpha = window.alpha.max(best);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::chess::parse_fen;
    use shakmaty::Move;

    fn quiet_score(fen: &str) -> i32 {
        quiescence(&parse_fen(fen, false).unwrap(), 0, Window::FULL, &mut 0)
    }

    #[test]
    fn an_exchange_is_seen_to_its_end() {
        let defended = "4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1";
        assert_eq!(quiet_score(defended), evaluate(&parse_fen(defended, false).unwrap()));
        let hanging = "4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1";
        assert!(quiet_score(hanging) > evaluate(&parse_fen(hanging, false).unwrap()) + 80);
    }

    #[test]
    fn a_check_is_answered_first() {
        // A queen ahead, but mated.
        assert_eq!(quiet_score("R5k1/5ppp/8/7q/8/8/8/6K1 b - - 0 1"), -MATE);
        // A queen ahead, but forked: the king must move and the queen falls.
        let fork = "q3k3/2N5/8/8/8/7P/8/4K3 b - - 0 1";
        assert!(evaluate(&parse_fen(fork, false).unwrap()) > 300);
        assert!(quiet_score(fork) < -300);
    }

    #[test]
    fn dead_positions_are_even() {
        assert_eq!(quiet_score("7k/8/8/8/8/8/8/6NK w - - 0 1"), 0);
        assert_eq!(quiet_score("7k/8/8/8/8/8/8/6QK w - - 100 90"), 0);
    }

    /// No pruning, no ordering: the definition that pruning must agree with.
    fn unpruned(position: &Chess, ply: i32) -> i32 {
        let moves = position.legal_moves();
        match ending(position, !moves.is_empty()) {
            Some(Ending::Mate) => return ply - MATE,
            Some(Ending::Draw) => return 0,
            None => {}
        }
        let check = position.is_check();
        let forcing = |m: &&Move| check || m.is_capture() || m.promotion() == Some(Role::Queen);
        let scores = moves.iter().filter(forcing).map(|&m| {
            let mut after = position.clone();
            after.play_unchecked(m);
            -unpruned(&after, ply + 1)
        });
        let stand = (!check).then(|| evaluate(position));
        scores.chain(stand).max().unwrap()
    }

    #[test]
    fn pruning_changes_no_score() {
        // Sparse or locked positions: unpruned captures are too many elsewhere.
        for fen in [
            "4k3/8/2p5/3n4/8/1B6/3Q4/4K3 w - - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/8/1b2n3/8/3NP3/2B5/8/R3K2R b KQkq - 0 1",
            "4k3/1P4P1/8/2r2b2/8/5N2/1p4p1/R3K3 w - - 0 1",
            "r1bq1rk1/ppp2ppp/2n5/3p4/3P4/2N5/PPP2PPP/R1BQ1RK1 w - - 0 1",
        ] {
            let position = parse_fen(fen, false).unwrap();
            assert_eq!(quiet_score(fen), unpruned(&position, 0), "{fen}");
        }
    }
}
