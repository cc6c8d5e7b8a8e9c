//! When a game is over. In: a position and its past. Out: how it ended, if so.

use engine::chess::Line;
use shakmaty::{Chess, Move, Position};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is mated.
    Mate,
    Draw,
}

/// Judges a position without its past; `has_moves` says whether one is legal.
/// A mate on the hundredth ply counts.
pub fn ending(position: &Chess, has_moves: bool) -> Option<Ending> {
    if !has_moves {
        return Some(if position.is_check() { Ending::Mate } else { Ending::Draw });
    }
    let drawn = position.halfmoves() >= 100 || position.is_insufficient_material();
    drawn.then_some(Ending::Draw)
}

/// Repetition within the last `depth` plies, or for the third time at all. What
/// repeats once within a search can be repeated again, so it counts as a draw.
pub fn is_repetition(line: &Line, depth: usize) -> bool {
    let ply = line.last();
    ply.repetitions >= 2 || (ply.repeat_distance > 0 && usize::from(ply.repeat_distance) <= depth)
}

/// Whether a legal move mates.
pub fn mates(position: &Chess, m: Move) -> bool {
    let mut after = position.clone();
    after.play_unchecked(m);
    after.is_checkmate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::baseline::tests::game;
    use engine::chess::parse_fen;

    #[test]
    fn endings_by_position() {
        let judge = |fen: &str| {
            let position = parse_fen(fen, false).unwrap();
            ending(&position, !position.legal_moves().is_empty())
        };
        assert_eq!(judge("R5k1/5ppp/8/8/8/8/8/7K b - - 100 99"), Some(Ending::Mate));
        assert_eq!(judge("7k/5Q2/8/8/8/8/8/7K b - - 0 1"), Some(Ending::Draw));
        assert_eq!(judge("7k/8/8/8/8/8/8/6NK b - - 0 1"), Some(Ending::Draw));
        assert_eq!(judge("7k/8/8/8/8/8/8/6RK b - - 100 80"), Some(Ending::Draw));
        assert_eq!(judge("7k/8/8/8/8/8/8/6RK b - - 99 80"), None);
    }

    #[test]
    fn twofold_within_the_search_threefold_in_the_game() {
        let dance = "g1f3 g8f6 f3g1 f6g8";
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let twice = game(start, dance);
        assert!(!is_repetition(twice.line(), 3));
        assert!(is_repetition(twice.line(), 4));
        assert!(is_repetition(game(start, &format!("{dance} {dance}")).line(), 0));
    }
}
