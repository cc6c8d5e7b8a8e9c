//! Networks and backends that are not there or do not work: the message says
//! what is missing, nothing else is taken instead, and the engine lives on.

use crate::driver::{Engine, is_best, is_progress, is_remark, tiny_net};
use crate::game::{Game, START};
use crate::scratch::Scratch;

/// `isready` and `go` with settings that cannot work.
fn failure(engine: &mut Engine) -> String {
    let mut lines = engine.ready();
    lines.retain(|line| !is_progress(line));
    assert!(lines.len() == 1 && is_remark(&lines[0]), "{lines:#?}");
    let answer = engine.go("go nodes 10");
    assert_eq!(answer.last().unwrap(), "bestmove (none)", "{answer:#?}");
    assert!(answer.contains(&lines[0]), "the reason is missing: {answer:#?}");
    lines[0].clone()
}

/// Back to a network that works.
fn recovers(engine: &mut Engine) {
    engine.set("Backend", "cpu");
    engine.set("Net", &tiny_net());
    let game = Game::new(START);
    engine.send(&game.command());
    game.check(&engine.go("go nodes 50"));
}

#[test]
fn a_missing_file_is_named() {
    let mut engine = Engine::start(&["--backend", "cpu", "--batch", "8"]);
    engine.set("Net", "/no/such folder/net.onnx");
    assert!(failure(&mut engine).contains("/no/such folder/net.onnx"));
    recovers(&mut engine);
    // And the other way round: what worked does not stand in for what does not.
    engine.set("Net", "/no/such/second.onnx");
    assert!(failure(&mut engine).contains("/no/such/second.onnx"));
    engine.quit();
}

#[test]
fn corrupt_files_are_named() {
    let scratch = Scratch::new();
    let good = std::fs::read(tiny_net()).unwrap();
    let mut flipped = good.clone();
    for i in (0..flipped.len()).step_by(37) {
        flipped[i] ^= 0x55;
    }
    let files = [
        ("empty.onnx", Vec::new()),
        ("text.onnx", b"hello, I am not a network\n".to_vec()),
        ("zeros.onnx", vec![0; 4096]),
        ("cut.onnx", good[..good.len() / 2].to_vec()),
        ("flipped.onnx", flipped),
    ];
    for backend in ["native", "cpu", "rust"] {
        let mut engine = Engine::start(&["--backend", backend, "--batch", "8"]);
        for (name, content) in &files {
            let path = scratch.file(name, content);
            engine.set("Net", &path.display().to_string());
            let remark = failure(&mut engine);
            assert!(remark.contains(name), "{backend}: {remark}");
        }
        engine.set("Net", &scratch.path().display().to_string());
        failure(&mut engine);
        recovers(&mut engine);
    }
}

#[test]
fn a_backend_asked_for_by_name_is_never_replaced() {
    for (backend, named) in [
        ("cuda", "CUDA"),
        ("tensorrt", "TensorRT"),
        ("openvino", "OpenVINO"),
        ("coreml", "CoreML"),
        ("directml", "DirectML"),
    ] {
        let mut engine = Engine::start(&["--net", &tiny_net(), "--batch", "8"]);
        engine.set("Backend", backend);
        let lines = engine.ready();
        if lines.iter().any(|line| line.contains("ready in")) {
            println!("skipped: {backend} works here");
            continue;
        }
        let causes: Vec<_> = lines.iter().filter(|line| !is_progress(line)).collect();
        assert!(causes.len() == 1 && causes[0].contains(named), "{backend}: {lines:#?}");
        let answer = engine.go("go nodes 10");
        assert_eq!(answer.last().unwrap(), "bestmove (none)");
        recovers(&mut engine);
    }
}

#[test]
fn the_named_backends_that_are_always_there_play() {
    for backend in ["native", "cpu", "rust", "random", "auto"] {
        let mut engine = Engine::start(&["--net", &tiny_net(), "--batch", "8"]);
        engine.set("Backend", backend);
        let lines = engine.ready();
        assert!(lines.iter().all(|line| is_remark(line)), "{lines:#?}");
        let game = Game::new(START);
        engine.send(&game.command());
        let answer = engine.go("go nodes 100");
        game.check(&answer);
        assert!(is_best(answer.last().unwrap()));
    }
}
