//! `Debug Log File` has both directions.

use crate::driver::{Engine, is_remark};
use crate::scratch::Scratch;

#[test]
fn everything_read_and_written_is_in_the_log() {
    let scratch = Scratch::new();
    let path = scratch.path().join("a log.txt");
    let mut engine = Engine::random();
    engine.set("Debug Log File", &path.display().to_string());
    engine.send("position startpos");
    let printed = engine.go("go nodes 50");
    engine.send("joho");
    let refused = engine.ready();
    engine.set("Debug Log File", "<empty>");
    engine.send("position startpos moves e2e4");
    engine.ready();
    let log = std::fs::read_to_string(&path).unwrap();
    let has = |direction: &str, line: &str| {
        log.lines().any(|logged| logged.ends_with(&format!(" {direction} {line}")))
    };
    for line in ["position startpos", "go nodes 50", "joho", "isready"] {
        assert!(has(">", line), "{line} is not in\n{log}");
    }
    for line in printed.iter().chain(&refused).map(String::as_str).chain(["readyok"]) {
        assert!(has("<", line), "{line} is not in\n{log}");
    }
    assert!(!log.contains("e2e4"), "logged after the end:\n{log}");
    // Appends, does not overwrite.
    engine.set("Debug Log File", &path.display().to_string());
    engine.ready();
    assert!(std::fs::read_to_string(&path).unwrap().starts_with(&log));
}

#[test]
fn a_log_that_cannot_be_opened_gives_one_line() {
    let mut engine = Engine::random();
    engine.ready();
    let lines = engine.reply("setoption name Debug Log File value /no/such/folder/log.txt");
    assert!(lines.len() == 1 && is_remark(&lines[0]), "{lines:#?}");
    assert!(lines[0].contains("/no/such/folder/log.txt"), "{lines:#?}");
    // It is said once, not with every later command.
    assert_eq!(engine.reply("setoption name MultiPV value 2"), [""; 0]);
    assert_eq!(engine.reply("debug on"), [""; 0]);
}
