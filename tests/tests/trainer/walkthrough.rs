//! From labeled positions to a game: every step with the real binaries.

use crate::driver::{engine, run_in, run_ok, run_refused};
use crate::fixtures::shards;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, EnPassantMode, Position};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn data_to_network_to_game() {
    let began = Instant::now();
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    shards(folder, 6000);
    let train =
        ["train", "--preset", "nano", "--data", "shards", "--steps", "80", "--name", "first"];
    let output = run_ok(folder, &train);
    assert!(output.contains("finished 80 steps"), "{output}");

    let output = run_ok(folder, &["export-onnx", "runs/first", "--out", "first.onnx"]);
    assert!(output.contains("checked on 256 positions"), "{output}");
    for (flag, file) in [("--fp16", "half.onnx"), ("--int8", "int8.onnx")] {
        let output = run_ok(folder, &["export-onnx", "runs/first", "--out", file, flag]);
        assert!(output.contains("same first move"), "{output}");
    }

    let listed = run_ok(folder, &["nets", ".", "--no-speed"]);
    for file in ["first.onnx", "half.onnx", "int8.onnx", "basic18"] {
        assert!(listed.contains(file), "{listed}");
    }
    for file in ["first.onnx", "half.onnx", "int8.onnx"] {
        let plies = play(&folder.join(file), "cpu", 40);
        assert!(plies > 10, "{file}: only {plies} plies");
    }
    assert!(began.elapsed() < Duration::from_secs(120), "took {:?}", began.elapsed());
}

#[test]
fn data_to_dense_network_to_game() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    shards(folder, 3000);
    let mut train = vec!["train", "--preset", "nano", "--data", "shards", "--steps", "30"];
    train.extend(["--name", "wide"]);
    let settings = ["encoder=threats", "body=dense", "hidden=64", "moves_left=true"];
    let settings = settings.map(|setting| format!("model.{setting}"));
    train.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    train.extend(["--set", "schedule.warmup=5", "--set", "data.batch_size=64"]);
    let output = run_ok(folder, &train);
    assert!(output.contains("finished 30 steps"), "{output}");

    for (flag, file) in [(None, "wide.onnx"), (Some("--fp16"), "half.onnx")] {
        let mut export = vec!["export-onnx", "runs/wide", "--out", file];
        export.extend(flag);
        let output = run_ok(folder, &export);
        assert!(output.contains("256 positions"), "{output}");
    }
    let export = ["export-onnx", "runs/wide", "--out", "int8.onnx", "--int8"];
    let errors = run_refused(folder, &export);
    assert!(errors.contains("a dense network has none"), "{errors}");

    let listed = run_ok(folder, &["nets", ".", "--no-speed"]);
    assert!(listed.contains("threats exchange3716 wdl"), "{listed}");
    for (file, backend) in [
        ("wide.onnx", "native"),
        ("half.onnx", "native"),
        ("wide.onnx", "rust"),
        ("half.onnx", "cpu"),
    ] {
        let plies = play(&folder.join(file), backend, 20);
        assert!(plies > 10, "{file} on {backend}: only {plies} plies");
    }
}

/// A game of the network against itself; every move must be legal.
fn play(net: &Path, backend: &str, plies: usize) -> usize {
    let mut command = Command::new(engine());
    command.arg("--net").arg(net).args(["--backend", backend, "--threads", "1"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut position = Chess::default();
    let mut played = 0;
    while played < plies && !position.is_game_over() {
        let fen = Fen::from_position(&position, EnPassantMode::Legal);
        writeln!(input, "position fen {fen}\ngo nodes 40").unwrap();
        let best = lines
            .by_ref()
            .map(|line| line.unwrap())
            .inspect(|line| assert!(!line.contains("error"), "{line}"))
            .find_map(|line| line.strip_prefix("bestmove ").map(str::to_string))
            .unwrap();
        let text = best.split(' ').next().unwrap();
        let m = text.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(m);
        played += 1;
    }
    writeln!(input, "quit").unwrap();
    assert!(child.wait().unwrap().success());
    played
}

#[test]
fn every_command_has_help() {
    let folder = std::env::temp_dir();
    let top = run_ok(&folder, &["--help"]);
    for command in ["import-pgn", "import-epd", "label", "inspect", "train", "export-onnx", "nets"]
    {
        assert!(top.contains(command), "{top}");
        assert!(run_in(&folder, &[command, "--help"]).status.success(), "{command}");
    }
}
