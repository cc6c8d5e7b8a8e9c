//! How much of the network's own speed self-play keeps, and who uses the
//! processors.
//!
//! A 6x64 int8 network plays itself at 64 visits a move, as `trainer selfplay`
//! lets it; before and after, the network is measured alone, with as many threads
//! and positions in a batch. Random weights play long games, so that games per
//! second mean little: `ARBOR_BENCH_NET` names a trained network instead. Build
//! the engine first: `cargo build --release --workspace`, then
//! `cargo bench --workspace --bench selfplay`.

use benches::engine_binary;
use benches::small_network::{calibration, small};
use engine::eval::{Backend, BackendSettings, EvaluatorSource, Network, Workload, open_backend};
use engine::selfplay::Settings as SearchSettings;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trainer::export::{Metadata, quantize};
use trainer::selfplay::{Plan, Settings, selfplay};
use trainer::uci::EngineCommand;

/// Enough for the batches to be full most of the time: the last games play on by
/// themselves.
const GAMES: u64 = 400;
const VISITS: u32 = 64;

/// Positions in a batch, and games of each thread.
const BATCH: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo test` runs benches with --test: nothing to check here.
    if std::env::args().any(|arg| arg == "--test") {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let network = match std::env::var_os("ARBOR_BENCH_NET") {
        Some(path) => PathBuf::from(path),
        None => random_network(folder.path())?,
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let alone = network_alone(&network, threads)?;
    let begun = Instant::now();
    let before = cpu_seconds().unwrap_or_default();
    let settings = settings(&network, folder.path())?;
    let played = selfplay(&settings)?;
    let seconds = begun.elapsed().as_secs_f64();
    let after = cpu_seconds().unwrap_or_default();
    let alone = (alone + network_alone(&network, threads)?) / 2.0;
    let machine = &played.telemetry.machine;
    let evaluations = machine.evaluations as f64 / machine.seconds;
    let (trainer, engine) = (after.0 - before.0, after.1 - before.1);
    let percent = |part: f64, whole: f64| 100.0 * part / whole;
    let fill = percent(machine.evaluations as f64, machine.room as f64);
    println!("{GAMES} games at {VISITS} visits, {threads} threads");
    println!("games per second:     {:.2}", GAMES as f64 / seconds);
    println!("evaluations:          {evaluations:.0} per second");
    println!("the network alone:    {alone:.0} ({:.1} % kept)", percent(evaluations, alone));
    println!("batch fill:           {fill:.1} %");
    if engine > 0.0 {
        let all = seconds * threads as f64;
        println!("engine, of all CPUs:  {:.1} %", percent(engine, all));
        println!("engine, with trainer: {:.1} %", percent(engine, engine + trainer));
    }
    Ok(())
}

fn random_network(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let (architecture, weights) = small();
    let ranges = calibration(&architecture);
    let bytes = quantize(&architecture, &weights, &ranges, &Metadata::default())?;
    let path = folder.join("small.onnx");
    std::fs::write(&path, bytes)?;
    Ok(path)
}

fn settings(network: &Path, folder: &Path) -> Result<Settings, Box<dyn Error>> {
    let engine = engine_binary()?.display().to_string();
    Ok(Settings {
        engine: EngineCommand::parse(&engine).ok_or("no engine")?,
        network: Some(network.to_path_buf()),
        options: vec![("Batch".to_string(), BATCH.to_string())],
        out: folder.join("games"),
        plan: Plan {
            games: GAMES,
            seed: 1,
            generation: None,
            openings: "book".parse()?,
            search: SearchSettings { visits: VISITS, ..SearchSettings::default() },
        },
        shard_games: 512,
        watch_network: false,
        processes: 1,
        patience: Duration::from_secs(60),
    })
}

/// Positions per second of all threads together.
fn network_alone(path: &Path, threads: usize) -> Result<f64, Box<dyn Error>> {
    let opened = open_backend(&BackendSettings {
        backend: Backend::Auto,
        network: Some(Arc::new(Network::open(path)?)),
        runtime_library: None,
        device_id: 0,
        fp16: false,
        seed: 0,
    })?;
    let source: &dyn EvaluatorSource = opened.source.as_ref();
    let speeds = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut evaluator = source.create(BATCH)?;
                    Workload::new().measure(evaluator.as_mut(), BATCH, Duration::from_secs(3))
                })
            })
            .collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect::<Vec<_>>()
    });
    let mut sum = 0.0;
    for speed in speeds {
        sum += speed?.positions_per_second;
    }
    Ok(sum)
}

/// Of this process, and of its children that have ended; known on Linux only.
fn cpu_seconds() -> Option<(f64, f64)> {
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which may hold anything, comes the third field.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let seconds = |at: usize| Some(fields.get(at - 3)?.parse::<f64>().ok()? / TICKS);
    Some((seconds(14)? + seconds(15)?, seconds(16)? + seconds(17)?))
}
