//! Tactics, draws, and the same answers as a search that prunes nothing.

use super::*;
use crate::players::baseline::Baseline;
use crate::players::baseline::tests::{KIWIPETE, LOSING, REPETITION, START, WINNING, ask, game};
use shakmaty::Position;
use std::collections::BTreeSet;

fn answer(fen: &str, depth: u32) -> (String, Thought) {
    ask(&Baseline::AlphaBeta(AlphaBetaSettings { depth }), &game(fen, ""), 0)
}

#[test]
fn mates_in_one_and_two() {
    for depth in [1, 2, 3] {
        let (best, thought) = answer("6k1/5ppp/8/8/8/8/q7/3R3K w - - 0 1", depth);
        assert_eq!((best.as_str(), thought.score), ("d1d8", Some(Score::Mate(1))));
    }
    // Two rooks drive the king: a quiet move, then mate.
    let (best, thought) = answer("7k/8/R7/1R6/8/8/8/K7 w - - 0 1", 3);
    assert_eq!((best.as_str(), thought.score), ("b5b7", Some(Score::Mate(2))));
    let (_, thought) = answer("7k/1R6/R7/8/8/8/8/K7 b - - 0 1", 2);
    assert_eq!(thought.score, Some(Score::Mate(-1)));
}

#[test]
fn takes_what_hangs_and_leaves_what_is_defended() {
    for depth in [1, 2, 3] {
        let (best, _) = answer("4k3/8/8/3n4/8/8/3Q4/4K3 w - - 0 1", depth);
        assert_eq!(best, "d2d5", "depth {depth}");
        let (best, _) = answer("4k3/8/2p5/3n4/8/8/3Q4/4K3 w - - 0 1", depth);
        assert_ne!(best, "d2d5", "depth {depth}");
    }
}

#[test]
fn the_limit_sets_the_depth() {
    let mut player = AlphaBeta::new(AlphaBetaSettings { depth: 2 });
    let mut depth = |limit| player.think(&game(START, ""), limit).unwrap().depth;
    assert_eq!(depth(Limit::Nodes(5)), Some(2));
    assert_eq!(depth(Limit::Depth(1)), Some(1));
    assert_eq!(depth(Limit::Depth(0)), Some(1));
}

#[test]
fn repetition_is_for_the_losing_side() {
    let (winning, losing) = (game(WINNING.0, WINNING.1), game(LOSING.0, LOSING.1));
    for depth in [1, 2, 3] {
        let player = Baseline::AlphaBeta(AlphaBetaSettings { depth });
        let (best, thought) = ask(&player, &winning, 0);
        assert_ne!(best, REPETITION);
        assert_ne!(thought.score, Some(Score::Centipawns(0)));
        let (best, thought) = ask(&player, &losing, 0);
        assert_eq!((best.as_str(), thought.score), (REPETITION, Some(Score::Centipawns(0))));
    }
}

#[test]
fn the_fifty_move_rule_is_seen_coming() {
    // Only the pawn move starts the count anew.
    let (best, _) = answer("7k/8/8/8/8/8/P7/R3K3 w - - 99 90", 1);
    assert!(best.starts_with("a2a"), "{best}");
    let (_, thought) = answer("7k/8/8/8/8/8/8/R3K3 w - - 99 90", 2);
    assert_eq!(thought.score, Some(Score::Centipawns(0)));
}

#[test]
fn all_equal_moves_and_no_other_are_played() {
    // Either rook mates.
    let fen = "k7/8/1K6/8/8/8/8/6RR w - - 0 1";
    let player = Baseline::AlphaBeta(AlphaBetaSettings::default());
    let moves: BTreeSet<String> =
        (0..30).map(|seed| ask(&player, &game(fen, ""), seed).0).collect();
    assert_eq!(moves.into_iter().collect::<Vec<_>>(), ["g1g8", "h1h8"]);
}

/// No pruning, no ordering: the definition that pruning must agree with.
fn minimax(line: &mut Line, root_len: usize, depth: u32) -> i32 {
    let plies = line.len() - root_len;
    if is_repetition(line, plies) {
        return 0;
    }
    let position = line.last().position.clone();
    if depth == 0 {
        return quiescence(&position, plies as i32, Window::FULL, &mut 0);
    }
    let moves = position.legal_moves();
    match ending(&position, !moves.is_empty()) {
        Some(Ending::Mate) => return plies as i32 - MATE,
        Some(Ending::Draw) => return 0,
        None => {}
    }
    let len = line.len();
    let scores = moves.iter().map(|&m| {
        line.push(m);
        let score = -minimax(line, root_len, depth - 1);
        line.truncate(len);
        score
    });
    scores.max().unwrap()
}

#[test]
fn pruning_changes_neither_score_nor_moves() {
    for (fen, moves, deepest) in [
        (START, "", 3),
        (START, "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 f3g5", 2),
        (KIWIPETE, "", 1),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "", 3),
        ("k7/8/1K6/8/8/8/8/6RR w - - 0 1", "", 3),
        ("8/5P1k/8/8/8/6pp/8/7K w - - 0 1", "", 4),
        ("7k/8/8/8/8/8/6P1/R6K w - - 93 90", "a1b1 h8g8 b1a1 g8h8", 4),
    ] {
        let game = game(fen, moves);
        for depth in 1..=deepest {
            let mut line = game.line().clone();
            let (found, score) = Search::new(&line).best_moves(depth);
            let root_len = line.len();
            let mut scored = Vec::new();
            for m in line.legal_moves() {
                line.push(m);
                scored.push((m, -minimax(&mut line, root_len, depth - 1)));
                line.truncate(root_len);
            }
            let highest = scored.iter().map(|(_, score)| *score).max().unwrap();
            assert_eq!(score, highest, "{fen} depth {depth}");
            let best = scored.iter().filter(|(_, score)| *score == highest).map(|(m, _)| m);
            let names = |moves: Vec<&Move>| {
                moves.into_iter().map(ToString::to_string).collect::<BTreeSet<_>>()
            };
            assert_eq!(names(found.iter().collect()), names(best.collect()), "{fen} depth {depth}");
        }
    }
}
