//! What a match costs besides the players' thinking.
//!
//! Two copies of our engine play games of one node a move, first through the
//! arena, then the same positions over bare pipes; the difference per move is
//! the runner's. Build the engine first: `cargo build --release --workspace`,
//! then `cargo bench --workspace --bench arena`.

use std::time::{Duration, Instant};

use benches::engine_binary;
use benches::uci_child::UciChild;
use trainer::arena::{
    Adjudication, Format, GameRecord, MatchSettings, OpeningSettings, RunSettings, run,
};
use trainer::openings::Book;
use trainer::players::{Programs, TimeControl, resolve};

const GAMES: u64 = 20;
const MOVES: u32 = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo test` runs benches with --test: nothing to check here.
    if std::env::args().any(|arg| arg == "--test") {
        return Ok(());
    }
    let engine = engine_binary()?;
    let folder = tempfile::tempdir()?;
    let command = format!("{} --backend random --threads 1 --hash 16", engine.display());
    let mut players = Vec::new();
    for name in ["a", "b"] {
        let entry = format!("cmd:{command}?name={name}").parse()?;
        players.push(resolve(&entry, &Programs::default())?);
    }
    let settings = MatchSettings {
        players,
        format: Format::Match,
        pairs: GAMES / 2,
        time: TimeControl::Nodes(1),
        margin: Duration::ZERO,
        openings: OpeningSettings { book: Book::open("book".as_ref(), None)?, shuffle: true },
        seed: 1,
        sprt: None,
        adjudication: Adjudication { max_moves: Some(MOVES), ..Adjudication::default() },
    };
    let run_settings = RunSettings {
        out: folder.path().to_path_buf(),
        concurrency: Some(1),
        patience: Duration::from_secs(10),
        command: Vec::new(),
        progress: false,
    };
    let begun = Instant::now();
    let (report, _) = run(&settings, &run_settings)?;
    let through_arena = begun.elapsed().as_secs_f64();
    let journal = std::fs::read_to_string(folder.path().join("match.jsonl"))?;
    let games: Vec<GameRecord> =
        journal.lines().skip(1).map(serde_json::from_str).collect::<Result<_, _>>()?;
    let moves: usize = games.iter().map(|game| game.moves.len()).sum();
    let bare = over_bare_pipes(&command, &games)?;
    let per_move = |seconds: f64| 1000.0 * seconds / moves as f64;
    println!("{} games, {moves} moves of one node each", report.games);
    println!("through the arena: {:.3} ms per move", per_move(through_arena));
    println!("over bare pipes:   {:.3} ms per move", per_move(bare));
    println!("the runner's part: {:.3} ms per move", per_move(through_arena - bare));
    Ok(())
}

/// Seconds for the same moves, asked for without any runner.
fn over_bare_pipes(command: &str, games: &[GameRecord]) -> std::io::Result<f64> {
    let begun = Instant::now();
    let mut players = [UciChild::start(command, &[])?, UciChild::start(command, &[])?];
    for game in games {
        let mut position = format!("position fen {} moves", game.opening.fen);
        for m in &game.opening.moves {
            position.push_str(&format!(" {m}"));
        }
        for (ply, m) in game.moves.iter().enumerate() {
            players[ply % 2].search(&position, "go nodes 1")?;
            position.push_str(&format!(" {}", m.m));
        }
    }
    Ok(begun.elapsed().as_secs_f64())
}
