//! A game line: every position from the start to the current one.

use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, Color, EnPassantMode, Move, MoveList, Position};

/// One position of a line, with what search and encoders ask of its past.
#[derive(Clone, Debug)]
pub struct Ply {
    pub position: Chess,
    /// Zobrist key of board, turn, castling rights and *legal* en-passant file.
    pub key: u64,
    /// How often this position stood on the line before: 0, 1, 2...
    pub repetitions: u8,
    /// Plies back to the latest earlier occurrence; 0 when there is none.
    pub repeat_distance: u16,
}

impl Ply {
    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    pub fn rule50(&self) -> u32 {
        self.position.halfmoves()
    }
}

/// Positions from the start of the game to now; never empty.
///
/// ```
/// use engine::chess::{Line, parse_move};
/// use shakmaty::Chess;
///
/// let mut line = Line::new(Chess::default());
/// for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
///     let m = parse_move(&line.last().position, text).unwrap();
///     line.push(m);
/// }
/// assert_eq!(line.last().repetitions, 1);
/// assert_eq!(line.last().repeat_distance, 4);
/// ```
#[derive(Clone, Debug)]
pub struct Line {
    plies: Vec<Ply>,
}

impl Line {
    pub fn new(start: Chess) -> Line {
        let key = zobrist(&start);
        Line { plies: vec![Ply { position: start, key, repetitions: 0, repeat_distance: 0 }] }
    }

    /// Plays a legal move.
    pub fn push(&mut self, m: Move) {
        let last = self.last();
        let updated = last.position.update_zobrist_hash::<Zobrist64>(
            Zobrist64(last.key),
            m,
            EnPassantMode::Legal,
        );
        let mut position = last.position.clone();
        position.play_unchecked(m);
        // shakmaty declines to update around en passant; those keys are
        // computed from scratch.
        let key = match updated {
            Some(Zobrist64(key)) if position.maybe_ep_square().is_none() => key,
            _ => zobrist(&position),
        };
        let (repetitions, repeat_distance) = self.find_repetition(&position, key);
        self.plies.push(Ply { position, key, repetitions, repeat_distance });
    }

    /// Takes back to `len` positions (at least the first stays).
    pub fn truncate(&mut self, len: usize) {
        self.plies.truncate(len.max(1));
    }

    pub fn last(&self) -> &Ply {
        &self.plies[self.plies.len() - 1]
    }

    /// All positions, oldest first; the current one is last.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Number of positions, the start included.
    #[allow(clippy::len_without_is_empty)] // a line is never empty
    pub fn len(&self) -> usize {
        self.plies.len()
    }

    pub fn legal_moves(&self) -> MoveList {
        self.last().position.legal_moves()
    }

    /// Looks back over reversible moves only: an earlier position cannot recur
    /// after a capture or pawn move, which reset the half-move clock.
    fn find_repetition(&self, position: &Chess, key: u64) -> (u8, u16) {
        let reach = (position.halfmoves() as usize).min(self.plies.len());
        let mut back = 4;
        while back <= reach {
            let earlier = &self.plies[self.plies.len() - back];
            if earlier.key == key {
                return (
                    earlier.repetitions.saturating_add(1),
                    u16::try_from(back).unwrap_or(u16::MAX),
                );
            }
            back += 2;
        }
        (0, 0)
    }
}

fn zobrist(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{parse_fen, parse_move};

    fn line(fen: &str, moves: &str) -> Line {
        let mut line = Line::new(parse_fen(fen, false).unwrap());
        for text in moves.split_whitespace() {
            let m = parse_move(&line.last().position, text).unwrap();
            line.push(m);
        }
        line
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn third_occurrence_counts_two() {
        let line = line(START, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
        assert_eq!(line.last().repetitions, 2);
        assert_eq!(line.last().repeat_distance, 4);
    }

    #[test]
    fn a_pawn_move_ends_the_look_back() {
        let line = line(START, "g1f3 g8f6 f3g1 f6g8 e2e4 g8f6 g1f3 f6g8 f3g1");
        // The position after e2e4 recurs once; nothing before it counts.
        assert_eq!(line.last().repetitions, 1);
        assert_eq!(line.plies()[5].repetitions, 0);
    }

    #[test]
    fn lost_castling_rights_make_a_new_position() {
        let line = line("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1e2 e8e7 e2e1 e7e8");
        assert_eq!(line.last().repetitions, 0);
    }

    #[test]
    fn incremental_keys_equal_fresh_ones() {
        // A walk through castling, en passant and promotion.
        let line = line(
            START,
            "e2e4 g8f6 e4e5 d7d5 e5d6 e7d6 g1f3 f8e7 f1c4 e8g8 e1g1 b7b5 c4b3 b5b4 a2a4 b4a3 \
             d1e2 a3b2 e2e3 b2a1q",
        );
        for ply in line.plies() {
            assert_eq!(ply.key, zobrist(&ply.position));
        }
    }
}
