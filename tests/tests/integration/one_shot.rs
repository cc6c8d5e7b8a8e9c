//! Commands that answer and end.

use regex::Regex;
use serde_json::Value;
use shakmaty::Position;

use crate::driver::{run, run_ok, run_with, tiny_net};
use crate::game::{Game, KIWIPETE, START};
use crate::turn;

/// The count before the last `nodes`, as OpenBench reads it.
fn nodes(output: &str) -> u64 {
    let lines: Vec<&str> = output.lines().collect();
    let [.., nodes, nps] = lines[..] else { panic!("{output}") };
    assert!(Regex::new(r"^\d+ nodes$").unwrap().is_match(nodes), "{nodes}");
    assert!(Regex::new(r"^\d+ nps$").unwrap().is_match(nps), "{nps}");
    nodes.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn the_bench_signature_is_the_same_on_every_run() {
    let signature = nodes(&run_ok(&["bench"]));
    assert!(signature > 1000);
    assert_eq!(signature, nodes(&run_ok(&["bench"])));
    // Options that must not touch it.
    assert_eq!(signature, nodes(&run_ok(&["bench", "--threads", "4", "--hash", "1"])));
    let quick = ["bench", "--backend", "random", "--nodes", "500", "--depth", "4"];
    assert_eq!(nodes(&run_ok(&quick)), nodes(&run_ok(&quick)));
}

#[test]
fn perft_counts() {
    assert_eq!(nodes(&run_ok(&["perft", START, "4"])), 197_281);
    assert_eq!(nodes(&run_ok(&["perft", KIWIPETE, "3"])), 97_862);
    assert_eq!(nodes(&run_ok(&["perft", START, "0"])), 1);
    assert_eq!(nodes(&run_ok(&["perft", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "3"])), 0);
    let divided = run_ok(&["perft", START, "2"]);
    assert!(divided.contains("e2e4: 20"), "{divided}");
}

#[test]
fn eval_gives_value_and_policy() {
    for fen in [START, KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"] {
        let text = run_ok(&["eval", fen, "--json", "--net", &tiny_net()]);
        let report: Value = serde_json::from_str(&text).unwrap();
        let number = |key: &str| report[key].as_f64().unwrap();
        assert_eq!(report["fen"], fen);
        assert!((number("win") + number("draw") + number("loss") - 1.0).abs() < 1e-4, "{text}");
        assert!((number("win") - number("loss") - number("q")).abs() < 1e-4, "{text}");
        let game = Game::new(fen);
        let policy = report["policy"].as_array().unwrap();
        assert_eq!(policy.len(), game.position.legal_moves().len());
        let mut sum = 0.0;
        for m in policy {
            assert!(game.read(m["uci"].as_str().unwrap()).is_some(), "{m}");
            sum += m["probability"].as_f64().unwrap();
        }
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        let table = run_ok(&["eval", fen, "--net", &tiny_net()]);
        assert!(table.contains("value") && table.contains(policy[0]["uci"].as_str().unwrap()));
    }
}

#[test]
fn backends_agree_on_an_evaluation() {
    let q = |backend: &str| {
        let args = ["eval", KIWIPETE, "--json", "--net", &tiny_net(), "--backend", backend];
        let report: Value = serde_json::from_str(&run_ok(&args)).unwrap();
        assert_eq!(report["policy"].as_array().unwrap().len(), 48);
        report["q"].as_f64().unwrap()
    };
    assert!((q("cpu") - q("rust")).abs() < 1e-4);
    assert!((q("native") - q("rust")).abs() < 1e-4);
}

#[test]
fn doctor_reports() {
    let _turn = turn::alone();
    let report = run_ok(&["doctor", "--net", &tiny_net()]);
    for part in ["Machine", "ONNX Runtime", "Providers", "Network", "Speed"] {
        assert!(report.contains(part), "{part} is missing:\n{report}");
    }
    let version = Regex::new(r"version 1\.\d+\.\d+ from ").unwrap();
    assert!(version.is_match(&report), "{report}");
    assert!(report.contains("basic18"), "{report}");
    // Nothing that is missing ends it early.
    let report = run_ok(&["doctor", "--net", "/no/such.onnx", "--runtime-library", "/no/such.so"]);
    assert!(report.contains("/no/such.onnx") && report.contains("/no/such.so"), "{report}");
}

#[test]
fn backendbench_measures() {
    let args = ["backendbench", "--net", &tiny_net(), "--milliseconds", "20", "--max-batch", "4"];
    let text = run_ok(&[&args[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&text).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let batches: Vec<u64> = rows.iter().map(|row| row["batch"].as_u64().unwrap()).collect();
    assert_eq!(batches, [1, 2, 4]);
    assert!(rows.iter().all(|row| row["positions_per_second"].as_f64().unwrap() > 0.0));
    assert!(run_ok(&args).contains("positions/s"));
}

#[test]
fn wrong_arguments_are_refused_with_a_reason() {
    for (args, named) in [
        (&["frobnicate"][..], "frobnicate"),
        (&["--frobnicate"], "--frobnicate"),
        (&["--hash", "0"], "hash"),
        (&["--hash", "lots", "bench"], "lots"),
        (&["--backend", "abacus", "bench"], "abacus"),
        (&["perft"], "FEN"),
        (&["perft", "x", "3"], "x"),
        (&["perft", START, "many"], "many"),
        (&["perft", "8/8/8/8/8/8/8/8 w - - 0 1", "1"], "king"),
        (&["eval", "hello"], "hello"),
        (&["eval"], "FEN"),
        (&["eval", START, "--net", "/no/such.onnx"], "/no/such.onnx"),
        (&["bench", "--net", "/no/such.onnx"], "/no/such.onnx"),
        (&["bench", "--nodes", "-1"], "-1"),
        (&["backendbench", "--net", "/no/such.onnx"], "/no/such.onnx"),
        (&["backendbench", "--backend", "directml", "--net", &tiny_net()], "DirectML"),
    ] {
        let output = run(args);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{args:?} succeeded");
        assert!(output.status.code().is_some(), "{args:?} crashed: {message}");
        assert!(message.contains(named), "{args:?}: {message}");
        assert!(!message.contains("panicked"), "{args:?}: {message}");
    }
}

#[test]
fn positions_without_moves_can_be_evaluated_or_are_refused() {
    let output =
        run(&["eval", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "--json", "--net", &tiny_net()]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some() && !message.contains("panicked"), "{message}");
}

#[test]
fn help_and_version() {
    let help = run_ok(&["--help"]);
    for command in ["uci", "bench", "backendbench", "doctor", "perft", "eval"] {
        assert!(help.contains(&format!("  {command} ")), "{command}");
    }
    assert!(run_ok(&["--version"]).starts_with("engine "));
}

#[test]
fn leaves_are_what_the_search_looks_at() {
    let leaves = |input: &str, args: &[&str]| {
        let net = tiny_net();
        let fixed = ["leaves", "--net", &net, "--hash", "4", "--nodes", "200"];
        let output = run_with(&[&fixed, args].concat(), input);
        assert!(output.status.success(), "{output:?}");
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.sort_unstable();
        lines
    };
    let list =
        format!("# two positions, one with a label\n{START};e2e4;cp 30\nnonsense\n{KIWIPETE}\n");
    let [all, said] = leaves(&list, &["--every", "1", "--threads", "1"]);
    assert!(said.contains("line 3: nonsense: "), "{said}");
    // Nearly every visit is of a new position; each of them is a legal one.
    assert!((300..=400).contains(&all.lines().count()), "{}", all.lines().count());
    let fens = sorted(&all);
    assert!(fens.windows(2).all(|pair| pair[0] != pair[1]), "no position twice");
    for fen in &fens {
        assert!(!Game::new(fen).position.legal_moves().is_empty(), "{fen}");
    }
    // Another order and another number of threads change nothing.
    let turned = format!("{KIWIPETE}\n{START}\n");
    assert_eq!(sorted(&leaves(&turned, &["--every", "1", "--threads", "2"])[0]), fens);
    // Some of them, and others with another seed.
    let some = |seed: &str| sorted(&leaves(&list, &["--every", "8", "--seed", seed])[0]);
    let (first, second) = (some("0"), some("1"));
    assert!((20..=80).contains(&first.len()), "{}", first.len());
    assert!(first.iter().all(|fen| fens.binary_search(fen).is_ok()));
    assert_ne!(first, second);
}
