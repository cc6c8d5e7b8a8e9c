//! `go` in all its kinds: exactly one best move each, and only sound lines
//! before it.

use std::time::Duration;

use shakmaty::Position;

use crate::driver::{Engine, is_best};
use crate::game::{Dice, Game, KIWIPETE, START};
use crate::info::{Info, Score};
use crate::turn;

const ONLY_MOVE: &str = "7k/8/8/8/8/8/r7/7K w - - 0 1";
const MATED: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";
const STALEMATED: &str = "7k/5Q2/8/8/8/8/8/K7 b - - 0 1";

/// Sends `go`, checks the answer and that nothing follows it.
fn search(engine: &mut Engine, game: &Game, command: &str) -> Vec<String> {
    engine.send(&game.command());
    let lines = engine.go(command);
    game.check(&lines);
    assert_eq!(engine.ready(), [""; 0], "after the best move of {command}");
    lines
}

/// Lets a search without end begin, then ends it.
fn search_until_told(engine: &mut Engine, game: &Game, command: &str, end: &str) -> Vec<String> {
    engine.send(&game.command());
    engine.send(command);
    let mut lines = engine.read_until(|line| Info::parse(line).is_some());
    lines.extend(engine.ready());
    assert!(!lines.iter().any(|line| is_best(line)), "{command} ended by itself: {lines:#?}");
    engine.send(end);
    lines.extend(engine.read_until(is_best));
    assert_eq!(engine.ready(), [""; 0], "after the best move of {command}");
    lines
}

const LIMITS: [&str; 19] = [
    "go depth 1",
    "go depth 3",
    "go nodes 1",
    "go nodes 2",
    "go nodes 500",
    "go movetime 1",
    "go movetime 60",
    "go wtime 100",
    "go btime 100",
    "go wtime 1000 btime 1000 winc 10 binc 10",
    "go wtime 1000 btime 1000 movestogo 1",
    "go wtime 1000 btime 1000 movestogo 0",
    "go wtime 0 btime 0",
    "go wtime -50 btime -50",
    "go depth 2 nodes 100000 movetime 5000",
    "go nodes 0",
    "go depth 0",
    "go movetime 0",
    "go mate 1 nodes 300",
];

#[test]
fn every_limit_ends_with_one_best_move() {
    let mut engine = Engine::random();
    engine.set("UCI_ShowWDL", "true");
    engine.ready();
    let mut black = Game::new(KIWIPETE);
    black.play("e1g1");
    for game in [Game::new(START), Game::new(KIWIPETE), black] {
        for command in LIMITS {
            search(&mut engine, &game, command);
            engine.send("ucinewgame");
        }
    }
    engine.quit();
}

#[test]
fn every_limit_with_a_network() {
    let mut engine = Engine::tiny();
    engine.set("UCI_ShowWDL", "true");
    engine.ready();
    let mut game = Game::new(START);
    let mut dice = Dice(5);
    for command in LIMITS {
        let lines = search(&mut engine, &game, command);
        game.play(&game.check(&lines));
        // Timed searches differ from run to run, so any game may end here, even by a mate.
        if !game.is_over() {
            game.play_any(dice.roll());
        }
        if game.is_over() {
            game = Game::new(START);
        }
    }
}

#[test]
fn node_limits_are_kept() {
    let mut engine = Engine::tiny();
    engine.ready();
    let game = Game::new(KIWIPETE);
    for nodes in [10, 100, 1000] {
        engine.send("ucinewgame");
        let lines = search(&mut engine, &game, &format!("go nodes {nodes}"));
        let done = Info::last(&lines).nodes;
        assert!(done >= nodes && done <= nodes + 1, "{done} of {nodes}");
    }
}

#[test]
fn depth_limits_are_reached() {
    let mut engine = Engine::random();
    engine.ready();
    for depth in [1, 2, 4, 5] {
        engine.send("ucinewgame");
        let lines = search(&mut engine, &Game::new(START), &format!("go depth {depth}"));
        assert_eq!(Info::last(&lines).depth, depth);
    }
}

#[test]
fn infinite_and_ponder_wait_to_be_told() {
    let mut engine = Engine::random();
    engine.ready();
    // One legal move, a mate in one, a drawn ending, an end: all could end early.
    let mate_in_one = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let bare = "8/8/4k3/8/8/4K3/8/8 w - - 0 1";
    for fen in [START, KIWIPETE, ONLY_MOVE, mate_in_one, bare, MATED, STALEMATED] {
        let game = Game::new(fen);
        let clock = "wtime 200 btime 200 winc 10 binc 10";
        for (command, end) in [
            ("go infinite".to_string(), "stop"),
            ("go".to_string(), "stop"),
            ("go infinite movetime 10 nodes 5".to_string(), "stop"),
            (format!("go ponder {clock}"), "ponderhit"),
            (format!("go ponder {clock}"), "stop"),
            ("go ponder".to_string(), "stop"),
            ("go ponder movetime 50".to_string(), "ponderhit"),
            ("go ponder nodes 10".to_string(), "ponderhit"),
            ("go ponder infinite".to_string(), "stop"),
        ] {
            let lines = search_until_told(&mut engine, &game, &command, end);
            game.check(&lines);
            engine.send("ucinewgame");
        }
    }
}

#[test]
fn a_ponder_search_goes_on_after_the_hit() {
    let _turn = turn::alone();
    let mut engine = Engine::tiny();
    engine.ready();
    let game = Game::new(KIWIPETE);
    engine.send(&game.command());
    engine.send("go ponder movetime 400");
    let mut lines = engine.read_until(|line| Info::parse(line).is_some());
    let hit = engine.send("ponderhit");
    let (rest, end) = engine.read_timed(is_best);
    lines.extend(rest);
    game.check(&lines);
    let thought = end - hit;
    assert!(thought > Duration::from_millis(150), "only {thought:?} after the hit");
    assert!(thought < Duration::from_millis(600), "{thought:?} after the hit");
}

#[test]
fn mate_search_ends_with_the_mate() {
    let mut engine = Engine::random();
    engine.ready();
    let game = Game::new("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
    let lines = search(&mut engine, &game, "go mate 1");
    assert_eq!(Info::last(&lines).score, Score::Mate(1));
    assert_eq!(game.check(&lines), "a1a8");
    // None to be found: only `stop` ends it.
    let game = Game::new(START);
    let lines = search_until_told(&mut engine, &game, "go mate 1", "stop");
    game.check(&lines);
}

#[test]
fn searchmoves_restrict_the_root() {
    let mut engine = Engine::random();
    engine.set("MultiPV", "10");
    engine.ready();
    let game = Game::new(START);
    for (command, allowed) in [
        ("go nodes 200 searchmoves a2a3 h2h4", ["a2a3", "h2h4"]),
        ("go searchmoves h2h3 b1a3 depth 2", ["h2h3", "b1a3"]),
        ("go searchmoves a2a4 nodes 100", ["a2a4", "a2a4"]),
    ] {
        let lines = search(&mut engine, &game, command);
        for info in Info::all(&lines) {
            assert!(allowed.contains(&info.pv[0].as_str()), "{command}: {:?}", info.pv);
        }
    }
    // And are forgotten with the next search.
    let lines = search(&mut engine, &game, "go nodes 400");
    assert_eq!(Info::all(&lines).iter().filter_map(|info| info.multipv).max(), Some(10));
    let told = search_until_told(&mut engine, &game, "go searchmoves g2g4 infinite", "stop");
    assert_eq!(game.check(&told), "g2g4");
}

#[test]
fn multipv_numbers_its_lines() {
    let mut engine = Engine::tiny();
    engine.set("UCI_ShowWDL", "true");
    for (lines, fen, most) in [(4, KIWIPETE, 4), (500, START, 20), (2, START, 2)] {
        engine.set("MultiPV", &lines.to_string());
        engine.send("ucinewgame");
        let answer = search(&mut engine, &Game::new(fen), "go nodes 2000");
        let numbers = Info::all(&answer).into_iter().filter_map(|info| info.multipv);
        assert_eq!(numbers.max(), Some(most));
    }
}

#[test]
fn one_legal_move_is_played_at_once_on_a_clock() {
    let _turn = turn::alone();
    let mut engine = Engine::tiny();
    engine.ready();
    let game = Game::new(ONLY_MOVE);
    assert_eq!(game.position.legal_moves().len(), 1);
    engine.send(&game.command());
    let sent = engine.send("go wtime 60000 btime 60000");
    let (lines, end) = engine.read_timed(is_best);
    game.check(&lines);
    assert!(end - sent < Duration::from_millis(500), "{:?}", end - sent);
}

#[test]
fn no_legal_move_gives_none() {
    let mut engine = Engine::random();
    engine.ready();
    let (mated, stalemated) = (Game::new(MATED), Game::new(STALEMATED));
    for command in ["go nodes 10", "go depth 3", "go movetime 20", "go wtime 100 btime 100"] {
        let lines = search(&mut engine, &mated, command);
        assert_eq!(lines.last().unwrap(), "bestmove (none)");
        assert_eq!(Info::last(&lines).score, Score::Mate(0));
        let lines = search(&mut engine, &stalemated, command);
        assert_eq!(lines.last().unwrap(), "bestmove (none)");
        assert_eq!(Info::last(&lines).score, Score::Cp(0));
    }
}

#[test]
fn stop_without_a_search_says_nothing() {
    let mut engine = Engine::random();
    engine.ready();
    assert_eq!(engine.reply("stop"), [""; 0]);
    assert_eq!(engine.reply("ponderhit"), [""; 0]);
    // Nor does it end the next search before it began.
    engine.send("stop");
    let lines = search(&mut engine, &Game::new(START), "go nodes 300");
    assert!(Info::last(&lines).nodes >= 300);
}

#[test]
fn stop_is_answered_quickly() {
    let _turn = turn::alone();
    let mut engine = Engine::tiny();
    engine.ready();
    for fen in [START, KIWIPETE, START] {
        engine.send(&Game::new(fen).command());
        engine.send("go infinite");
        engine.read_until(|line| Info::parse(line).is_some());
        let sent = engine.send("stop");
        let (_, end) = engine.read_timed(is_best);
        assert!(end - sent < Duration::from_millis(120), "{:?}", end - sent);
        // Also before the first line, whenever that is.
        engine.send("go infinite");
        let sent = engine.send("stop");
        let (_, end) = engine.read_timed(is_best);
        assert!(end - sent < Duration::from_millis(120), "{:?}", end - sent);
    }
}

#[test]
fn isready_is_answered_during_a_search() {
    let mut engine = Engine::random();
    engine.send("go infinite");
    engine.read_until(|line| Info::parse(line).is_some());
    for _ in 0..3 {
        assert!(!engine.ready().iter().any(|line| is_best(line)));
    }
    engine.stop();
}
