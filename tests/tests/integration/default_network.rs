//! The network that ships: found wherever the engine is started, and worth it.

use std::path::Path;
use std::process::Command;

use crate::driver::{Engine, best_and_ponder, binary_in, root};
use crate::scratch::Scratch;

/// The engine in a folder of its own, started from the root.
fn alone_in(folder: &Path) -> Engine {
    Engine::spawn(Command::new(binary_in(folder)).current_dir("/"))
}

fn best(engine: &mut Engine, fen: &str, go: &str) -> String {
    engine.send(&format!("position fen {fen}"));
    best_and_ponder(engine.go(go).last().unwrap()).0
}

/// Each problem is a position and its best move.
fn solves(engine: &mut Engine, go: &str, problems: &[(&str, &str)]) {
    for (fen, wanted) in problems {
        assert_eq!(best(engine, fen, go), *wanted, "{fen}");
    }
}

/// Only a network that learned chess finds these at once.
fn knows_chess(engine: &mut Engine) {
    let problems = [
        ("rnb1kbnr/pppp1ppp/8/4p1q1/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 0 3", "c1g5"),
        ("2r3k1/5ppp/8/8/8/5n2/3Q1PPP/2R3K1 w - - 0 1", "g2f3"),
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
    ];
    solves(engine, "go nodes 100", &problems);
}

#[test]
fn it_is_found_from_anywhere() {
    let scratch = Scratch::new();
    let mut engine = alone_in(scratch.path());
    let lines = engine.ready();
    assert!(lines.iter().any(|line| line.contains("threats")), "{lines:#?}");
    knows_chess(&mut engine);
}

#[test]
fn a_file_beside_the_binary_comes_first() {
    let scratch = Scratch::new();
    std::fs::copy(root().join("nets/tiny-basic18.onnx"), scratch.path().join("default.onnx"))
        .unwrap();
    let lines = alone_in(scratch.path()).ready();
    assert!(lines.iter().any(|line| line.contains("basic18")), "{lines:#?}");
}

#[test]
fn a_broken_file_is_named_and_the_built_in_network_plays() {
    let scratch = Scratch::new();
    let whole = std::fs::read(root().join("nets/default.onnx")).unwrap();
    let file = scratch.file("default.onnx", &whole[..whole.len() / 2]);
    let mut engine = alone_in(scratch.path());
    let lines = engine.ready();
    let told = |part: &str| lines.iter().any(|line| line.contains(part));
    assert!(told(&file.display().to_string()) && told("built-in"), "{lines:#?}");
    knows_chess(&mut engine);
}

/// Stockfish 15.1 with 2,000,000 nodes agrees on each of these moves.
#[test]
fn it_sees_tactics_with_few_nodes() {
    let mut engine = Engine::start(&["--threads", "1"]);
    let problems = [
        // Mates, a fork, a pin on the back rank.
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7"),
        ("q3k3/5ppp/8/1N6/8/8/5PPP/6K1 w - - 0 1", "b5c7"),
        ("3r2k1/5ppp/8/8/8/8/3q1PPP/3RR1K1 w - - 0 1", "d1d2"),
    ];
    solves(&mut engine, "go nodes 400", &problems);
}
