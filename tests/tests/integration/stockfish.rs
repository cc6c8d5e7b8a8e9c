//! Whole games against Stockfish with real clocks, by `python/play_stockfish.py`.

use std::path::PathBuf;
use std::process::Command;

use engine::eval::cache_folder;

use crate::driver::{binary, root, tiny_net};
use crate::turn;

const GAMES: &str = "4";

/// A Python with the `chess` package, in the cache folder; made if missing.
fn python() -> Option<PathBuf> {
    let folder = cache_folder()?.join("python");
    let binaries = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = binaries.join(if cfg!(windows) { "python.exe" } else { "python" });
    let succeeds = |command: &mut Command| command.output().is_ok_and(|o| o.status.success());
    if succeeds(Command::new(&python).args(["-c", "import chess.engine"])) {
        return Some(python);
    }
    let system = if cfg!(windows) { "python" } else { "python3" };
    let made = succeeds(Command::new(system).args(["-m", "venv"]).arg(&folder))
        && succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet", "chess"]));
    made.then_some(python)
}

/// On the path, or where Debian puts games.
fn stockfish() -> Option<PathBuf> {
    let folders = std::env::split_paths(&std::env::var_os("PATH")?).collect::<Vec<_>>();
    let name = format!("stockfish{}", std::env::consts::EXE_SUFFIX);
    let all = folders.into_iter().chain([PathBuf::from("/usr/games")]);
    all.map(|folder| folder.join(&name)).find(|path| path.is_file())
}

#[test]
fn games_without_forfeits_illegal_moves_or_crashes() {
    let Some(stockfish) = stockfish() else {
        println!("skipped: no stockfish");
        return;
    };
    let Some(python) = python() else {
        println!("skipped: no Python with the chess package, and none could be made");
        return;
    };
    let engine = binary();
    let _turn = turn::alone();
    let output = Command::new(python)
        .arg(root().join("tests/python/play_stockfish.py"))
        .args(["--games", GAMES, "--net", &tiny_net()])
        .arg("--engine")
        .arg(engine)
        .arg("--stockfish")
        .arg(stockfish)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(text.contains(&format!("{GAMES} games")), "{text}");
    println!("{text}");
}
