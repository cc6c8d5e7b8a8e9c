//! Without ONNX Runtime the engine still plays, with its own arithmetic.

use std::path::Path;
use std::process::Command;

use crate::driver::{Engine, binary, binary_in, is_progress, tiny_net};
use crate::game::{Game, START};
use crate::scratch::Scratch;

/// Plays with Backend auto on the native backend, with so many remarks about the
/// library; then the explicit `cpu` fails with a message that names `cause`.
fn falls_back(mut engine: Engine, cause: &str, expected: usize) {
    let lines = engine.ready();
    let remarks: Vec<&String> =
        lines.iter().filter(|line| line.contains("ONNX Runtime is not used")).collect();
    assert_eq!(remarks.len(), expected, "{lines:#?}");
    assert!(remarks.iter().all(|remark| remark.contains(cause)), "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("on native")), "{lines:#?}");
    let game = Game::new(START);
    engine.send(&game.command());
    game.check(&engine.go("go nodes 50"));
    engine.set("Backend", "cpu");
    let lines = engine.ready();
    let causes: Vec<_> = lines.iter().filter(|line| !is_progress(line)).collect();
    assert!(causes.len() == 1 && causes[0].contains(cause), "{lines:#?}");
    assert_eq!(engine.go("go nodes 10").last().unwrap(), "bestmove (none)");
    engine.set("Backend", "rust");
    engine.send(&game.command());
    game.check(&engine.go("go nodes 50"));
}

fn command(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    command.args(["--net", &tiny_net(), "--batch", "8"]);
    command
}

#[test]
fn a_named_library_that_does_not_exist() {
    let engine = Engine::spawn(command(binary()).env("ORT_DYLIB_PATH", "/no/such/library.so"));
    falls_back(engine, "/no/such/library.so", 1);
}

#[test]
fn a_named_library_that_is_garbage() {
    let scratch = Scratch::new();
    for (name, content) in
        [("text.so", &b"hello"[..]), ("garbage.so", &[0xa5; 8192]), ("empty.so", b"")]
    {
        let file = scratch.file(name, content);
        let engine = Engine::spawn(command(binary()).env("ORT_DYLIB_PATH", &file));
        falls_back(engine, name, 1);
    }
}

#[test]
fn the_binary_alone() {
    let scratch = Scratch::new();
    let mut command = command(&binary_in(scratch.path()));
    command.env("ARBOR_CACHE", scratch.path().join("cache")).env_remove("ORT_DYLIB_PATH");
    let mut probe = Engine::spawn(&mut command);
    probe.set("Backend", "cpu");
    let lines = probe.ready();
    if lines.iter().any(|line| line.contains("on ONNX Runtime")) {
        println!("skipped: the system has an ONNX Runtime of its own");
        return;
    }
    falls_back(Engine::spawn(&mut command), "no ONNX Runtime library found", 0);
}

#[test]
fn a_home_without_a_cache_is_enough() {
    let scratch = Scratch::new();
    let mut command = command(binary());
    command.env_remove("ARBOR_CACHE").env_remove("XDG_CACHE_HOME").env("HOME", scratch.path());
    let mut engine = Engine::spawn(&mut command);
    let game = Game::new(START);
    engine.send(&game.command());
    game.check(&engine.go("go nodes 50"));
}
