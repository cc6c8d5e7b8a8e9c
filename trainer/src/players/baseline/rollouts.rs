//! A player that knows only the rules and what pieces are worth: `mcts`, Monte
//! Carlo tree search by random games. In: a game. Out: the move they visit most.

use super::chance::Chance;
use super::evaluation::centipawns;
use super::game_over;
use super::rules::mates;
use super::tree::Tree;
use crate::players::{Fault, GameLine, Player, Thought};
use crate::shards::Score;
use crate::uci::Limit;
use serde::Serialize;
use std::ops::RangeInclusive;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MctsSettings {
    /// Random games per move.
    pub rollouts: u32,
    /// The weight of curiosity against results so far, on a scale where a win is
    /// worth one point.
    pub exploration: f64,
    /// Plies of a random game after which material decides, by the expected
    /// points of its balance.
    pub length: u32,
}

/// Short games and little curiosity: in matches of 400 rollouts, ten plies won
/// 13 of 16 points against forty and 15 against three hundred, where chance
/// drowns the difference between two moves; 0.15 won 12 of 16 against 0.5.
impl Default for MctsSettings {
    fn default() -> Self {
        MctsSettings { rollouts: 400, exploration: 0.2, length: 10 }
    }
}

pub const ROLLOUTS: RangeInclusive<u32> = 1..=1_000_000;
pub const EXPLORATIONS: RangeInclusive<f64> = 0.0..=10.0;
pub const LENGTHS: RangeInclusive<u32> = 1..=1000;

pub struct Mcts {
    settings: MctsSettings,
    chance: Chance,
}

impl Mcts {
    pub fn new(settings: MctsSettings) -> Mcts {
        Mcts { settings, chance: Chance::default() }
    }
}

impl Player for Mcts {
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.chance = Chance(seed);
        Ok(())
    }

    /// A limit of nodes takes the place of the rollouts set, within [`ROLLOUTS`].
    fn think(&mut self, game: &GameLine, limit: Limit) -> Result<Thought, Fault> {
        let asked =
            if let Limit::Nodes(nodes) = limit { nodes } else { self.settings.rollouts.into() };
        let rollouts = asked.clamp((*ROLLOUTS.start()).into(), (*ROLLOUTS.end()).into());
        let mut tree = Tree::new(game.line(), &self.settings, self.chance.for_move(game));
        for _ in 0..rollouts {
            tree.iterate();
        }
        let choice = tree.choice().ok_or_else(game_over)?;
        let score = if mates(game.position(), choice.best) {
            Score::Mate(1)
        } else {
            Score::Centipawns(centipawns(choice.expected_points))
        };
        Ok(Thought { best: choice.best, score: Some(score), depth: None, nodes: Some(rollouts) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::baseline::Baseline;
    use crate::players::baseline::tests::{LOSING, REPETITION, START, WINNING, ask, game};

    fn mcts(game: &GameLine, seed: u64) -> (String, Thought) {
        ask(&Baseline::Mcts(MctsSettings::default()), game, seed)
    }

    #[test]
    fn mates_in_one() {
        let game = game("6k1/5ppp/8/8/8/8/1q6/B2R3K w - - 0 1", "");
        for rollouts in [1, 400] {
            let settings = MctsSettings { rollouts, ..MctsSettings::default() };
            let (best, thought) = ask(&Baseline::Mcts(settings), &game, 0);
            assert_eq!((best.as_str(), thought.score), ("d1d8", Some(Score::Mate(1))));
        }
    }

    #[test]
    fn prefers_the_winning_capture() {
        let game = game("3q4/7k/8/8/8/8/2P5/3RK3 w - - 0 1", "");
        for seed in 0..5 {
            let (best, thought) = mcts(&game, seed);
            assert_eq!(best, "d1d8");
            assert!(matches!(thought.score, Some(Score::Centipawns(100..))), "{thought:?}");
        }
    }

    #[test]
    fn sees_the_mate_that_threatens() {
        // Back rank: White must make room for the king or guard the rank.
        let game = game("3r2k1/8/8/8/8/8/N4PPP/6K1 w - - 0 1", "");
        for seed in 0..5 {
            let (best, _) = mcts(&game, seed);
            let safe = ["g2g3", "g2g4", "h2h3", "h2h4", "f2f3", "f2f4", "g1f1", "a2c1", "a2c3"];
            assert!(safe.contains(&best.as_str()), "{best}");
        }
    }

    #[test]
    fn repetition_is_for_the_losing_side() {
        let (winning, losing) = (game(WINNING.0, WINNING.1), game(LOSING.0, LOSING.1));
        for seed in 0..5 {
            assert_ne!(mcts(&winning, seed).0, REPETITION);
            assert_eq!(mcts(&losing, seed).0, REPETITION);
        }
    }

    #[test]
    fn the_limit_sets_the_rollouts() {
        let mut player = Mcts::new(MctsSettings { rollouts: 7, ..MctsSettings::default() });
        let mut nodes = |limit| player.think(&game(START, ""), limit).unwrap().nodes;
        assert_eq!(nodes(Limit::Depth(3)), Some(7));
        assert_eq!(nodes(Limit::Nodes(30)), Some(30));
        assert_eq!(nodes(Limit::Nodes(0)), Some(1));
    }
}
