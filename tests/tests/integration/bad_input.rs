//! Whatever comes in: one clear line per bad one, and the engine plays on.

use std::time::Duration;

use crate::driver::{Engine, best_and_ponder, is_best, is_remark};
use crate::game::{Game, KIWIPETE, START};
use crate::info::Info;

const START_BOARD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// A line that is refused with one remark; the position stays.
fn refused(engine: &mut Engine, bytes: &[u8]) -> String {
    engine.send_bytes(bytes);
    engine.send_bytes(b"\n");
    let lines = engine.ready();
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(100)]);
    assert!(lines.len() == 1 && is_remark(&lines[0]), "{shown:?} gave {lines:#?}");
    assert!(lines[0].len() < 1000, "{shown:?}: an answer of {} bytes", lines[0].len());
    assert!(!lines[0].contains(char::is_control), "{:?}", lines[0]);
    lines[0].clone()
}

#[test]
fn nonsense_gets_one_line_each() {
    let mut engine = Engine::random();
    engine.send(&Game::new(KIWIPETE).command());
    engine.ready();
    for line in [
        "joho",
        "Uci",
        "go depth",
        "go depth many",
        "go wtime 1e5",
        "go nodes 0x10",
        "position",
        "position fen",
        "position startpos e2e4",
        "position e2e4",
        "debug",
        "debug maybe",
        "setoption",
        "setoption Hash 3",
        "setoption name",
        "setoption name value 3",
        "register later",
        "\u{1b}[2J",
        "\u{feff}uci",
        "日本語",
        "setoption name \u{1b}[2J\u{7} value \u{8}",
        "setoption name Backend value \u{1b}[2J\u{7}",
        "position fen \u{7}\u{1b}",
        "position startpos moves \u{7}\u{1b}",
    ] {
        refused(&mut engine, line.as_bytes());
    }
    assert_eq!(engine.fen(), KIWIPETE);
    engine.quit();
}

#[test]
fn empty_lines_say_nothing() {
    let mut engine = Engine::random();
    engine.ready();
    for line in ["", " ", "\t", "\r", "   \r"] {
        assert_eq!(engine.reply(line), [""; 0]);
    }
    // Windows line ends and generous spaces are no mistake.
    engine.send_bytes(b"  isready \r\n");
    assert_eq!(engine.read_until(|_| true), ["readyok"]);
    engine.send_bytes(b"position   startpos\t moves  e2e4 \r\n");
    assert!(engine.fen().contains(" b KQkq"));
}

#[test]
fn bytes_of_every_value() {
    let mut engine = Engine::random();
    engine.ready();
    let all: Vec<u8> = (0..=255).collect();
    engine.send_bytes(&all);
    engine.send_bytes(b"\n");
    // The line feed among them makes two lines.
    let lines = engine.ready();
    assert!(lines.len() == 2 && lines.iter().all(|line| is_remark(line)), "{lines:#?}");
    for bytes in
        [&b"\xff\xfe go"[..], b"position fen \xc3\x28", b"setoption name \xf0\x28 value \xff"]
    {
        refused(&mut engine, bytes);
    }
    for value in (0..=255).filter(|byte| !b" \t\n\r\x0b\x0c".contains(byte)) {
        refused(&mut engine, &[value, b'x']);
    }
    assert_eq!(engine.fen(), START);
}

#[test]
fn lines_of_a_megabyte() {
    let mut engine = Engine::random();
    engine.send(&Game::new(KIWIPETE).command());
    engine.ready();
    let megabyte = "x".repeat(1 << 20);
    for start in [
        "",
        "setoption name ",
        "setoption name Hash value ",
        "setoption name Backend value ",
        "position fen ",
        "position startpos moves ",
        "go depth ",
        "debug ",
    ] {
        refused(&mut engine, format!("{start}{megabyte}").as_bytes());
    }
    refused(&mut engine, "go depth ".repeat(100_000).as_bytes());
    refused(&mut engine, format!("position startpos moves {}", "e2e4 ".repeat(200_000)).as_bytes());
    assert_eq!(engine.fen(), KIWIPETE);
    assert_eq!(engine.reply(&" ".repeat(3 << 20)), [""; 0]);
}

#[test]
fn a_very_long_game_is_no_mistake() {
    let mut engine = Engine::random();
    let knights = " g1f3 g8f6 f3g1 f6g8".repeat(1000);
    assert_eq!(engine.reply(&format!("position startpos moves{knights}")).len(), 1, "network note");
    assert!(engine.fen().starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq"));
    assert!(is_best(engine.go("go nodes 50").last().unwrap()));
}

#[test]
fn illegal_positions_change_nothing() {
    let mut engine = Engine::random();
    engine.send(&Game::new(KIWIPETE).command());
    engine.ready();
    for (line, named) in [
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "empty"),
        ("position fen 8/8/8/8/8/8/8/K7 w - - 0 1", "king"),
        ("position fen kk6/8/8/8/8/8/8/K7 w - - 0 1", "king"),
        ("position fen k7/8/8/8/8/8/8/RK6 w - - 0 1", "check"),
        ("position fen kP6/8/8/8/8/8/8/K7 w - - 0 1", "pawn"),
        ("position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "FEN"),
        ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1", "FEN"),
        ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "FEN"),
        ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", "FEN"),
        ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - -1 1", "FEN"),
        ("position startpos moves e2e5", "e2e5"),
        ("position startpos moves e2e4 e7e5 e1e3 b8c6", "e1e3"),
        ("position startpos moves e2e4 e2e4", "move 2"),
        ("position startpos moves 0000", "0000"),
        ("position startpos moves e7e8q", "e7e8q"),
        ("position startpos moves Nf3", "Nf3"),
        ("position startpos moves e1g1", "e1g1"),
    ] {
        let remark = refused(&mut engine, line.as_bytes());
        assert!(remark.contains(named), "{line}: {remark}");
        assert_eq!(engine.fen(), KIWIPETE, "after {line}");
    }
    let answer = engine.go("go nodes 40");
    Game::new(KIWIPETE).check(&answer);
}

#[test]
fn absurd_numbers_are_not_taken_at_their_word() {
    let mut engine = Engine::random();
    engine.ready();
    let game = Game::new(START);
    let huge = "9".repeat(40);
    for command in [
        format!("go nodes {huge} movetime 20"),
        format!("go depth {huge} movetime 20"),
        format!("go mate {huge} movetime 20"),
        format!("go movetime {huge} nodes 20"),
        format!("go wtime {huge} btime {huge} winc {huge} binc {huge} nodes 20"),
        format!("go wtime {huge} btime {huge} movestogo {huge} nodes 20"),
        "go movetime 18446744073709551615 nodes 20".to_string(),
        format!("go wtime -{huge} btime -{huge} winc -{huge}"),
        "go movetime -1".to_string(),
        "go nodes -1".to_string(),
        "go depth -1".to_string(),
    ] {
        engine.send("ucinewgame");
        engine.send(&game.command());
        let lines = engine.go(&command);
        game.check(&lines);
        assert_eq!(engine.ready(), [""; 0], "{command}");
    }
    // Counters of a FEN that no game has.
    for counters in ["150 200", "99999999999 1", "0 99999999999", "0 0"] {
        engine.send(&format!("position fen {START_BOARD} {counters}"));
        let lines = engine.go("go nodes 20");
        assert!(game.read(&best_and_ponder(lines.last().unwrap()).0).is_some(), "{lines:#?}");
    }
}

#[test]
fn bad_values_name_the_option_and_the_wanted_range() {
    let mut engine = Engine::random();
    engine.ready();
    for (option, value, wanted) in [
        ("Hash", "0", "1 to "),
        ("Hash", "-5", "1 to "),
        ("Hash", "99999999999999999999", "1 to "),
        ("Hash", "lots", "whole number"),
        ("Hash", "", "whole number"),
        ("Threads", "513", "0 to 512"),
        ("MultiPV", "0", "1 to 500"),
        ("Move Overhead", "1.5", "whole number"),
        ("Ponder", "maybe", "true or false"),
        ("UCI_Chess960", "1", "true or false"),
        ("CPuct", "NaN", "number"),
        ("CPuct", "inf", "number"),
        ("CPuct", "-1", "number"),
        ("Backend", "abacus", "cuda"),
        ("Nonsense", "1", "no such option"),
    ] {
        let line = format!("setoption name {option} value {value}");
        let remark = refused(&mut engine, line.as_bytes());
        assert!(remark.contains(option) && remark.contains(wanted), "{remark}");
    }
    assert!(is_best(engine.go("go nodes 10").last().unwrap()));
}

#[test]
fn commands_that_must_wait_for_the_search_are_refused() {
    let mut engine = Engine::random();
    engine.send(&Game::new(KIWIPETE).command());
    engine.ready();
    engine.send("go infinite");
    let mut lines = engine.read_until(|line| Info::parse(line).is_some());
    for command in [
        "go nodes 10",
        "go infinite",
        "position startpos",
        "setoption name Hash value 64",
        "setoption name MultiPV value 3",
        "ucinewgame",
        "joho",
    ] {
        let during = engine.reply(command);
        assert_eq!(
            during.iter().filter(|line| is_remark(line)).count(),
            1,
            "{command}: {during:?}"
        );
        assert!(!during.iter().any(|line| is_best(line)), "{command} ended the search");
        lines.extend(during);
    }
    lines.extend(engine.stop());
    Game::new(KIWIPETE).check(&lines);
    assert_eq!(engine.ready(), [""; 0]);
    assert_eq!(engine.fen(), KIWIPETE);
}

#[test]
fn unknown_words_after_go_are_passed_over() {
    let mut engine = Engine::random();
    engine.ready();
    for command in ["go quickly nodes 30 please", "go nodes 30 searchmoves e2e5 e2e4 e7e5"] {
        let lines = engine.go(command);
        Game::new(START).check(&lines);
        assert_eq!(lines.iter().filter(|line| is_remark(line)).count(), 1, "{lines:#?}");
        engine.send("ucinewgame");
    }
}

#[test]
fn the_end_of_input_ends_the_engine() {
    for during in [None, Some("go infinite"), Some("go ponder wtime 100 btime 100")] {
        let mut engine = Engine::tiny();
        if let Some(command) = during {
            engine.send(command);
            engine.read_until(|line| Info::parse(line).is_some());
        }
        engine.close_input();
        let (status, _) = engine.wait_exit(Duration::from_secs(2)).expect("it hangs");
        assert_eq!(status.code(), Some(0), "{during:?}");
    }
}

#[test]
fn quit_ends_a_search() {
    let mut engine = Engine::random();
    engine.send("go infinite");
    engine.read_until(|line| Info::parse(line).is_some());
    engine.quit();
}

/// As in `echo "go nodes 100" | engine`.
#[test]
fn a_last_line_without_its_end_counts() {
    let mut engine = Engine::random();
    engine.ready();
    engine.send_bytes(b"position startpos\njoho");
    engine.close_input();
    let (status, lines) = engine.wait_exit(Duration::from_secs(2)).expect("it hangs");
    assert!(status.success() && lines.len() == 1 && lines[0].contains("joho"), "{lines:?}");
}
