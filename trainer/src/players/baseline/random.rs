//! The weakest player that knows the rules. In: a game. Out: any legal move.

use super::chance::{Chance, pick};
use super::game_over;
use crate::players::{Fault, GameLine, Player, Thought};
use crate::uci::Limit;

/// Plays every legal move with the same probability.
#[derive(Default)]
pub struct RandomMover {
    chance: Chance,
}

impl Player for RandomMover {
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.chance = Chance(seed);
        Ok(())
    }

    fn think(&mut self, game: &GameLine, _: Limit) -> Result<Thought, Fault> {
        let moves = game.line().legal_moves();
        let best = pick(&mut self.chance.for_move(game), &moves).ok_or_else(game_over)?;
        Ok(Thought { best, score: None, depth: None, nodes: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::baseline::Baseline;
    use crate::players::baseline::tests::{START, ask, game};
    use std::collections::BTreeMap;

    #[test]
    fn every_move_is_as_likely() {
        let game = game(START, "");
        let mut hits = BTreeMap::new();
        for seed in 0..4000 {
            *hits.entry(ask(&Baseline::Random, &game, seed).0).or_insert(0) += 1;
        }
        assert_eq!(hits.len(), 20);
        assert!(hits.values().all(|n| (140..260).contains(n)), "{hits:?}");
    }

    #[test]
    fn a_repeated_position_gets_another_move() {
        let dance = "g1f3 g8f6 f3g1 f6g8";
        let again = format!("{dance} {dance}");
        let moves =
            |seed| ["", dance, &again].map(|m| ask(&Baseline::Random, &game(START, m), seed).0);
        assert!((0..5).any(|seed| moves(seed).windows(2).all(|pair| pair[0] != pair[1])));
    }

    #[test]
    fn a_finished_game_is_refused() {
        let mated = game("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1", "");
        let answer = RandomMover::default().think(&mated, Limit::Nodes(1));
        assert_eq!(answer, Err(game_over()));
    }
}
