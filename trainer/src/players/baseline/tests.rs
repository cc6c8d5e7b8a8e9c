//! Whole games among the baselines, and what their own tests share.

use super::rules::{Ending, ending, is_repetition};
use super::*;
use crate::players::{GameLine, Thought};
use crate::uci::Limit;
use engine::chess::{parse_fen, parse_move};
use engine::search::Random;
use shakmaty::{Chess, Position};
use std::time::Duration;

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
pub const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// White to move, a rook ahead or a queen for a rook behind, and after
/// [`REPETITION`] the position stands for the third time.
pub const WINNING: (&str, &str) =
    ("7k/8/8/8/8/8/6P1/R6K b - - 0 1", "h8g8 a1b1 g8h8 b1a1 h8g8 a1b1 g8h8");
pub const LOSING: (&str, &str) =
    ("7k/3q3p/6p1/8/8/8/8/R6K b - - 0 1", "d7d6 a1b1 d6d7 b1a1 d7d6 a1b1 d6d7");
pub const REPETITION: &str = "b1a1";

/// Any limit that no baseline obeys.
const NO_LIMIT: Limit = Limit::MoveTime(Duration::ZERO);

pub fn game(fen: &str, moves: &str) -> GameLine {
    let mut game = GameLine::new(parse_fen(fen, false).unwrap());
    for text in moves.split_whitespace() {
        game.push(parse_move(game.position(), text).unwrap());
    }
    game
}

/// A new player's move in UCI notation, and its thought.
pub fn ask(baseline: &Baseline, game: &GameLine, seed: u64) -> (String, Thought) {
    let mut player = baseline.player();
    player.new_game(seed).unwrap();
    let thought = player.think(game, NO_LIMIT).unwrap();
    assert!(game.position().is_legal(thought.best));
    (thought.best.to_uci(game.castling()).to_string(), thought)
}

/// Four random moves, so that games differ.
fn opening(seed: u64) -> GameLine {
    let mut random = Random::new(seed);
    let mut game = GameLine::new(Chess::default());
    for _ in 0..4 {
        game.push(chance::pick(&mut random, &game.line().legal_moves()).unwrap());
    }
    game
}

/// White's points, and the moves. Nobody wins who has not mated in 150 moves.
fn play(white: &Baseline, black: &Baseline, seed: u64, mut game: GameLine) -> (f64, Vec<String>) {
    let mut players = [white.player(), black.player()];
    players.iter_mut().for_each(|player| player.new_game(seed).unwrap());
    let mut points = 0.5;
    for _ in 0..300 {
        let turn = game.position().turn();
        match ending(game.position(), !game.line().legal_moves().is_empty()) {
            Some(Ending::Mate) => points = turn.fold_wb(0.0, 1.0),
            None if !is_repetition(game.line(), 0) => {
                let player = &mut players[turn.fold_wb(0, 1)];
                game.push(player.think(&game, NO_LIMIT).unwrap().best);
                continue;
            }
            _ => {}
        }
        break;
    }
    (points, game.moves().to_vec())
}

/// Points of the first player: `pairs` openings, each with either color.
fn score(first: &Baseline, second: &Baseline, pairs: u64) -> f64 {
    let pair = |seed| {
        play(first, second, seed, opening(seed)).0 + 1.0
            - play(second, first, seed, opening(seed)).0
    };
    (0..pairs).map(pair).sum()
}

fn alpha_beta(depth: u32) -> Baseline {
    Baseline::AlphaBeta(AlphaBetaSettings { depth })
}

fn mcts(rollouts: u32) -> Baseline {
    Baseline::Mcts(MctsSettings { rollouts, ..MctsSettings::default() })
}

#[test]
fn the_same_seed_gives_the_same_game() {
    for baseline in [Baseline::Random, Baseline::Greedy, mcts(20), alpha_beta(1)] {
        let moves = |seed| play(&baseline, &baseline, seed, opening(0)).1;
        assert_eq!(moves(1), moves(1), "{baseline:?}");
        assert_ne!(moves(1), moves(2), "{baseline:?}");
    }
}

#[test]
fn a_game_can_be_taken_up_anywhere() {
    for baseline in [Baseline::Random, Baseline::Greedy, mcts(20), alpha_beta(1)] {
        let (_, moves) = play(&baseline, &baseline, 5, opening(0));
        let half = game(START, &moves[..20].join(" "));
        assert_eq!(ask(&baseline, &half, 5).0, moves[20]);
    }
}

#[test]
fn greedy_beats_random() {
    let points = score(&Baseline::Greedy, &Baseline::Random, 10);
    assert!(points >= 17.0, "{points} of 20");
}

#[test]
fn alpha_beta_beats_greedy() {
    let points = score(&alpha_beta(2), &Baseline::Greedy, 10);
    assert!(points >= 17.0, "{points} of 20");
}

#[test]
fn mcts_beats_random() {
    let points = score(&mcts(60), &Baseline::Random, 5);
    assert!(points >= 8.0, "{points} of 10");
}
