//! A player that counts material one ply ahead. In: a game. Out: the move with
//! the most material after it.

use super::chance::{Chance, pick};
use super::evaluation::material;
use super::game_over;
use super::rules::{Ending, ending};
use crate::players::{Fault, GameLine, Player, Thought};
use crate::shards::Score;
use crate::uci::Limit;
use shakmaty::{Chess, Move, Position};

/// Mates if it can; stalemate and other draws by position count as even; equal
/// moves are drawn by lot.
#[derive(Default)]
pub struct Greedy {
    chance: Chance,
}

/// More than any material.
const MATE: i32 = 1_000_000;

impl Player for Greedy {
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.chance = Chance(seed);
        Ok(())
    }

    fn think(&mut self, game: &GameLine, _: Limit) -> Result<Thought, Fault> {
        let moves = game.line().legal_moves();
        let scored: Vec<(Move, i32)> =
            moves.iter().map(|&m| (m, score_after(game.position(), m))).collect();
        let highest = scored.iter().map(|&(_, score)| score).max().ok_or_else(game_over)?;
        let best: Vec<Move> =
            scored.iter().filter(|&&(_, score)| score == highest).map(|&(m, _)| m).collect();
        let best = pick(&mut self.chance.for_move(game), &best).ok_or_else(game_over)?;
        let score = if highest == MATE { Score::Mate(1) } else { Score::Centipawns(highest) };
        let nodes = Some(moves.len() as u64);
        Ok(Thought { best, score: Some(score), depth: Some(1), nodes })
    }
}

/// In view of the side that makes the move.
fn score_after(position: &Chess, m: Move) -> i32 {
    let mut after = position.clone();
    after.play_unchecked(m);
    let has_moves = !after.legal_moves().is_empty();
    match ending(&after, has_moves) {
        Some(Ending::Mate) => MATE,
        Some(Ending::Draw) => 0,
        None => {
            let balance = material(after.board());
            position.turn().fold_wb(balance, -balance)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::baseline::Baseline;
    use crate::players::baseline::tests::{ask, game};
    use std::collections::BTreeSet;

    fn greedy(fen: &str, seed: u64) -> (String, Thought) {
        ask(&Baseline::Greedy, &game(fen, ""), seed)
    }

    #[test]
    fn takes_the_queen_even_if_defended() {
        for seed in 0..10 {
            let (best, thought) = greedy("3qk3/8/2p5/3q4/4P1p1/7P/8/4K3 w - - 0 1", seed);
            assert_eq!(best, "e4d5");
            assert_eq!(thought.score, Some(Score::Centipawns(200 - 900 - 200 - 100 + 100)));
        }
    }

    #[test]
    fn mates_rather_than_take_the_queen() {
        for seed in 0..10 {
            let (best, thought) = greedy("6k1/5ppp/8/8/8/8/1q6/B2R3K w - - 0 1", seed);
            assert_eq!((best.as_str(), thought.score), ("d1d8", Some(Score::Mate(1))));
        }
    }

    #[test]
    fn stalemate_is_for_the_losing_side() {
        // Qb6 leaves Black no move, which a queen ahead is a pity.
        let ahead = "k7/8/8/8/8/8/8/1Q5K w - - 0 1";
        assert!((0..300).all(|seed| greedy(ahead, seed).0 != "b1b6"));
        let behind = "7k/p3K2p/p6P/p7/p7/P7/8/8 w - - 0 1";
        let (best, thought) = greedy(behind, 0);
        assert_eq!((best.as_str(), thought.score), ("e7f7", Some(Score::Centipawns(0))));
    }

    #[test]
    fn equal_moves_are_drawn_by_lot() {
        let quiet = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
        let moves: BTreeSet<String> = (0..200).map(|seed| greedy(quiet, seed).0).collect();
        assert_eq!(moves.len(), game(quiet, "").position().legal_moves().len());
    }
}
