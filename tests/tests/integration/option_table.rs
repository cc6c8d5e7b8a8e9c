//! One table: the `uci` answer, the flags and the README say the same.

use engine::options::{Kind, TABLE, markdown_table};

use crate::driver::{Engine, root, run_ok};

#[test]
fn the_uci_answer_lists_the_table() {
    let mut engine = Engine::random();
    engine.send("uci");
    let lines = engine.read_until(|line| line == "uciok");
    let printed: Vec<&String> = lines.iter().filter(|line| line.starts_with("option ")).collect();
    let wanted: Vec<String> = TABLE.iter().map(|spec| spec.uci()).collect();
    assert_eq!(printed, wanted.iter().collect::<Vec<_>>());
}

#[test]
fn every_option_is_a_flag() {
    let help = run_ok(&["--help"]);
    for spec in TABLE {
        let flag = format!("--{} <", spec.flag());
        assert_eq!(help.contains(&flag), spec.kind != Kind::Button, "{flag}");
    }
    // And no flag is anything else.
    let known = |flag: &str| {
        flag == "help" || flag == "version" || TABLE.iter().any(|spec| spec.flag() == flag)
    };
    for line in help.lines().filter_map(|line| line.trim_start().strip_prefix("--")) {
        let flag = line.split([' ', ',']).next().unwrap();
        assert!(known(flag), "--{flag}");
    }
}

#[test]
fn a_flag_sets_the_default_that_a_gui_can_change() {
    let mut engine = Engine::start(&["--backend", "random", "--multi-pv", "2"]);
    engine.send("position startpos");
    let seconds = |lines: &[String]| lines.iter().filter(|l| l.contains(" multipv 2 ")).count();
    assert!(seconds(&engine.go("go nodes 60")) > 0);
    engine.set("MultiPV", "1");
    assert_eq!(seconds(&engine.go("go nodes 120")), 0);
}

#[test]
fn the_readme_has_the_table() {
    let table = run_ok(&["options"]);
    assert_eq!(table, markdown_table());
    let file = root().join("README.md");
    let readme = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("README.md: {e}"));
    let between = readme
        .split_once("<!-- options -->")
        .and_then(|(_, rest)| rest.split_once("<!-- /options -->"))
        .expect("README.md lacks the markers of the option table");
    assert_eq!(
        between.0.trim(),
        table.trim(),
        "put the output of `engine options` between the markers in README.md"
    );
}
