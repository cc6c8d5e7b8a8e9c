//! The first words between GUI and engine.

use std::time::Duration;

use crate::driver::{Engine, is_remark};
use crate::turn;

fn introduction(engine: &mut Engine) -> (Vec<String>, Duration) {
    let sent = engine.send("uci");
    let (lines, arrived) = engine.read_timed(|line| line == "uciok");
    (lines, arrived - sent)
}

fn option_names(lines: &[String]) -> Vec<&str> {
    let options = lines.iter().filter_map(|line| line.strip_prefix("option name "));
    options.map(|rest| rest.split(" type ").next().unwrap()).collect()
}

#[test]
fn uciok_comes_at_once_and_before_any_network() {
    let _turn = turn::alone();
    let mut engine = Engine::start(&[]);
    let (lines, first) = introduction(&mut engine);
    assert!(first < Duration::from_secs(1), "{first:?} with the start of the process");
    let (again, second) = introduction(&mut engine);
    assert!(second < Duration::from_millis(100), "{second:?}");
    assert_eq!(lines, again);
    assert!(lines[0].starts_with("id name Arbor "), "{}", lines[0]);
    assert!(lines[1].starts_with("id author "), "{}", lines[1]);
    assert!(!lines.iter().any(|line| is_remark(line)), "{lines:#?}");
    engine.quit();
}

#[test]
fn a_network_that_cannot_be_loaded_does_not_disturb_the_handshake() {
    let mut engine = Engine::start(&["--net", "/no/such/file.onnx"]);
    let (lines, _) = introduction(&mut engine);
    assert!(!lines.iter().any(|line| is_remark(line)), "{lines:#?}");
}

#[test]
fn option_names_suit_the_parsers_of_guis() {
    let mut engine = Engine::random();
    let (lines, _) = introduction(&mut engine);
    let names = option_names(&lines);
    for name in &names {
        for word in name.split(' ') {
            let word = word.to_lowercase();
            let reserved = ["name", "type", "default", "min", "max", "var", "value"];
            assert!(!reserved.contains(&word.as_str()), "{name}");
        }
    }
    // GUIs hide what they do not know of this prefix.
    let standard = ["UCI_Chess960", "UCI_AnalyseMode", "UCI_ShowWDL", "UCI_Opponent"];
    for name in names.iter().filter(|name| name.to_lowercase().starts_with("uci_")) {
        assert!(standard.contains(name), "{name}");
    }
    for wanted in ["Move Overhead", "Threads", "Hash", "SyzygyPath", "UCI_ShowWDL"] {
        assert!(names.contains(&wanted), "lichess-bot sets {wanted}");
    }
    for wanted in ["MultiPV", "Ponder", "UCI_Chess960", "VerboseMoveStats"] {
        assert!(names.contains(&wanted), "GUIs look for {wanted}");
    }
}

/// GUIs keep these numbers in 32 bits, and some stop at larger ones.
#[test]
fn bounds_of_numbers_fit_32_bits() {
    let mut engine = Engine::random();
    let (lines, _) = introduction(&mut engine);
    let mut seen = 0;
    for line in lines.iter().filter(|line| line.contains(" type spin ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let value = |key: &str| -> i64 {
            let at = words.iter().position(|word| *word == key).unwrap();
            words[at + 1].parse().unwrap()
        };
        let (min, default, max) = (value("min"), value("default"), value("max"));
        assert!(min <= default && default <= max, "{line}");
        assert!(i32::try_from(min).is_ok() && i32::try_from(max).is_ok(), "{line}");
        seen += 1;
    }
    assert!(seen >= 5);
}

#[test]
fn the_wdl_option_is_off_until_set() {
    let mut engine = Engine::random();
    engine.send("position startpos");
    assert!(!engine.go("go nodes 50").iter().any(|line| line.contains(" wdl ")));
    engine.set("UCI_ShowWDL", "true");
    assert!(engine.go("go nodes 100").iter().any(|line| line.contains(" wdl ")));
    engine.set("uci_showwdl", "false");
    assert!(!engine.go("go nodes 150").iter().any(|line| line.contains(" wdl ")));
}
