//! `engine bench`: the same searches on every run, for signatures and speed.
//!
//! One thread, a fixed batch and a limit in depth, so that the node count tells
//! whether the search behaves as before: any change of search, encoding or
//! network shows.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::chess::{Line, parse_fen};
use crate::engine::{Engine, Order};
use crate::options::{Settings, Values};
use crate::search::{Event, Signals, Totals};
use crate::time::Limits;

/// Openings, middlegames and endgames with all kinds of moves.
pub const POSITIONS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/pp3ppp/4pn2/2pp4/2PP4/2N1PN2/PP3PPP/R1BQKB1R b KQkq - 0 5",
    "r2q1rk1/pp2ppbp/2np1np1/8/3NP1b1/2N1B3/PPPQBPPP/R4RK1 w - - 6 10",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "2rq1rk1/1p1bppbp/p2p1np1/n7/3NP3/1BN1BP2/PPPQ2PP/2KR3R w - - 4 14",
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 b - - 1 16",
    "3r1rk1/p3qppp/1pn1p3/2p1P3/2P5/2P1PN2/P3QPPP/3R1RK1 b - - 2 19",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
    "8/5pk1/3p2p1/3Pp2p/2P1P2P/3K2P1/8/8 w - - 1 40",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/1P6/8/8/5p2/3K4/4P3/6r1 w - - 0 60",
];

const BATCH: &str = "8";

/// How deep to search each position.
#[derive(Clone, Copy, Debug)]
pub struct BenchSettings {
    /// Mean leaf depth to reach.
    pub depth: u32,
    /// Visits after which a position is given up, whatever its depth.
    pub nodes: u64,
}

impl Default for BenchSettings {
    fn default() -> BenchSettings {
        BenchSettings { depth: 6, nodes: 20_000 }
    }
}

/// Runs the bench; the last lines are `N nodes` and `N nps`.
pub fn bench(values: &Values, bench: BenchSettings, out: &mut dyn Write) -> io::Result<()> {
    let mut values = values.clone();
    for (name, value) in [("Threads", "1"), ("Batch", BATCH), ("Hash", "64")] {
        values.set(name, value).map_err(io::Error::other)?;
    }
    let settings = Settings::new(&values);
    let mut engine = Engine::new(Arc::new(|event| {
        if let Event::Note(text) = event {
            eprintln!("{text}");
        }
    }));
    if !engine.prepare(&settings) {
        return Err(io::Error::other("the bench needs a network"));
    }
    let mut sum = Totals::default();
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for (number, fen) in POSITIONS.iter().enumerate() {
        let (visits, totals) = search(&mut engine, &settings, fen, bench)?;
        writeln!(out, "position {:>2}  {visits:>7} nodes  {fen}", number + 1)?;
        nodes += visits;
        time += totals.elapsed;
        sum.network_time += totals.network_time;
        sum.evaluations += totals.evaluations;
        sum.batches += totals.batches;
    }
    let seconds = time.as_secs_f64().max(1e-9);
    let outside = 100.0 * (1.0 - sum.network_time.as_secs_f64() / seconds);
    let fill = sum.evaluations as f64 / sum.batches.max(1) as f64;
    writeln!(out, "time outside the network {outside:.1} %, {fill:.1} positions a batch")?;
    writeln!(out, "{nodes} nodes")?;
    writeln!(out, "{:.0} nps", nodes as f64 / seconds)
}

fn search(
    engine: &mut Engine,
    settings: &Settings,
    fen: &str,
    bench: BenchSettings,
) -> io::Result<(u64, Totals)> {
    let position = parse_fen(fen, false).map_err(io::Error::other)?;
    engine.clear_hash();
    let limits = Limits { depth: Some(bench.depth), nodes: Some(bench.nodes), ..Limits::default() };
    let order = Order {
        settings: settings.clone(),
        line: Line::new(position),
        limits,
        started: Instant::now(),
    };
    let nodes = AtomicU64::new(0);
    let totals = engine.go(&order, &Signals::default(), &|event| {
        if let Event::Info(info) = event {
            nodes.store(info.nodes, Relaxed);
        }
    });
    Ok((nodes.into_inner(), totals))
}
