//! Speed of the whole search, as ratios within one run.
//!
//! - the tree alone (random evaluations), one thread and two;
//! - the share of time outside a network of 6 blocks and 64 channels;
//! - if `ARBOR_BENCH_NET` names a network: nodes/s of our engine with it, and if
//!   `ARBOR_BENCH_RIVAL` holds the command of another UCI engine: its nodes/s on
//!   the same positions, each from a cold start, and the ratio.
//!
//! Run it on a quiet machine: `cargo bench -p benches --bench search`.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::uci_child::UciChild;
use engine::chess::{Line, parse_fen};
use engine::engine::{Engine, Order};
use engine::onnx::{NetworkSpec, random_network};
use engine::options::{Settings, Values};
use engine::search::{Signals, Totals};
use engine::time::Limits;

/// From the opening to a rook ending.
const POSITIONS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r2q1rk1/pp2ppbp/2np1np1/8/3NP1b1/2N1B3/PPPQBPPP/R4RK1 w - - 6 10",
    "2rq1rk1/1p1bppbp/p2p1np1/n7/3NP3/1BN1BP2/PPPQ2PP/2KR3R w - - 4 14",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
];

const TREE_TIME: Duration = Duration::from_secs(3);
const NETWORK_TIME_MS: u64 = 5000;

fn main() -> io::Result<()> {
    // `cargo test` runs benches with --test: nothing to check here.
    if std::env::args().any(|arg| arg == "--test") {
        return Ok(());
    }
    tree_alone()?;
    outside_the_network()?;
    against_a_rival()
}

fn tree_alone() -> io::Result<()> {
    let mut speeds = [0.0; 2];
    for (threads, speed) in ["1", "2"].iter().zip(&mut speeds) {
        let mut bench = Bench::new(&[("Backend", "random"), ("Threads", threads)])?;
        // The first search pays for memory that the system hands out page by
        // page; it is not the tree's speed.
        bench.search(POSITIONS[0], TREE_TIME)?;
        for fen in POSITIONS {
            let totals = bench.search(fen, TREE_TIME)?;
            *speed += totals.visits as f64 / totals.elapsed.as_secs_f64() / POSITIONS.len() as f64;
        }
        println!("tree alone, {threads} thread(s): {speed:.0} nodes/s");
    }
    println!("  two threads are {:.2} x one", speeds[1] / speeds[0]);
    Ok(())
}

fn outside_the_network() -> io::Result<()> {
    let spec = NetworkSpec { blocks: 6, channels: 64, ..NetworkSpec::default() };
    let path = std::env::temp_dir().join("arbor-bench-6x64.onnx");
    std::fs::write(&path, random_network(&spec))?;
    let net = path.to_string_lossy().into_owned();
    for threads in ["1", "2"] {
        let options = [("Net", net.as_str()), ("Threads", threads)];
        let totals = Bench::new(&options)?.search(POSITIONS[2], TREE_TIME)?;
        let workers: f64 = if threads == "1" { 1.0 } else { 2.0 };
        let busy = totals.network_time.as_secs_f64() / (totals.elapsed.as_secs_f64() * workers);
        println!(
            "6x64, {threads} thread(s): {:.0} nodes/s, {:.1} % of the time outside the network",
            totals.visits as f64 / totals.elapsed.as_secs_f64(),
            100.0 * (1.0 - busy)
        );
    }
    std::fs::remove_file(path)
}

fn against_a_rival() -> io::Result<()> {
    let Ok(net) = std::env::var("ARBOR_BENCH_NET") else { return Ok(()) };
    let ours = mean_speed(&engine_command()?, &[("Net", &net), ("Threads", "2")])?;
    println!("{net}, 2 threads: {ours:.0} nodes/s");
    if let Ok(rival) = std::env::var("ARBOR_BENCH_RIVAL") {
        let theirs = mean_speed(&rival, &[])?;
        println!("{rival}: {theirs:.0} nodes/s");
        println!("  ours is {:.2} x theirs", ours / theirs);
    }
    Ok(())
}

/// A process for each position, so that every cache is cold.
fn mean_speed(command: &str, options: &[(&str, &str)]) -> io::Result<f64> {
    let mut sum = 0.0;
    for fen in POSITIONS {
        sum += UciChild::start(command, options)?.nodes_per_second(fen, NETWORK_TIME_MS)?;
    }
    Ok(sum / POSITIONS.len() as f64)
}

/// The engine binary lies two folders above the bench: `release/engine`.
fn engine_command() -> io::Result<String> {
    let bench = std::env::current_exe()?;
    let release = bench.ancestors().nth(2).ok_or_else(|| io::Error::other("no target folder"))?;
    Ok(release.join("engine").to_string_lossy().into_owned())
}

/// The engine with its memory, for several searches.
struct Bench {
    engine: Engine,
    settings: Settings,
}

impl Bench {
    fn new(options: &[(&str, &str)]) -> io::Result<Bench> {
        let mut values = Values::default();
        for (name, value) in options {
            values.set(name, value).map_err(io::Error::other)?;
        }
        let settings = Settings::new(&values);
        let mut engine = Engine::new(Arc::new(|_| {}));
        engine.prepare(&settings);
        Ok(Bench { engine, settings })
    }

    /// A search from an empty tree and cache.
    fn search(&mut self, fen: &str, time: Duration) -> io::Result<Totals> {
        self.engine.clear_hash();
        let order = Order {
            settings: self.settings.clone(),
            line: Line::new(parse_fen(fen, false).map_err(io::Error::other)?),
            limits: Limits { movetime: Some(time), ..Limits::default() },
            started: Instant::now(),
        };
        Ok(self.engine.go(&order, &Signals::default(), &|_| {}))
    }
}
