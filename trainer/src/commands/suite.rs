//! `trainer suite`.

use super::arena::programs;
use crate::import::Sources;
use crate::interrupt;
use crate::players::{PlayerEntry, TimeControl, fitting_concurrency, resolve};
use crate::progress;
use crate::suite::{Report, Settings, read, run as solve};
use crate::uci::Limit;
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, value_parser};
use serde::Serialize;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Runs a player over tactical test suites.
///
/// Suites are EPD files with bm and am, or Lichess puzzles as CSV, plain, .zst or .gz. A puzzle is
/// solved when every move of its line is found, or a mate; from the puzzles' ratings follows one of
/// the player. Players are named as for `trainer arena`.
#[derive(Args)]
pub struct Flags {
    /// Who solves, e.g. net:a.onnx?Threads=1
    player: PlayerEntry,
    /// The suites
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Per move: movetime=1 (seconds), nodes=800 or depth=6
    #[arg(long, value_name = "LIMIT", default_value = "movetime=1")]
    tc: TimeControl,
    /// Problems at the same time [default: as the processors have room for the player's threads]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    concurrency: Option<u16>,
    /// Solves every N-th problem only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..))]
    every: u16,
    /// For players that are random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Passes over lines that are no problems
    #[arg(long)]
    skip_bad: bool,
    /// Lists what was not solved
    #[arg(long)]
    unsolved: bool,
    /// Writes every attempt to this file, one line of JSON each
    #[arg(long, value_name = "FILE")]
    attempts: Option<PathBuf>,
    /// Our engine, for net: players [default: beside this program]
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,
    /// Stockfish, for stockfish: players
    #[arg(long, value_name = "COMMAND", default_value = "stockfish")]
    stockfish: String,
    /// A player that is silent for so long beyond its time, in seconds, has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u64).range(1..=86_400))]
    patience: u64,
    /// Prints the result as JSON
    #[arg(long)]
    json: bool,
}

/// One suite's result.
#[derive(Serialize)]
struct Outcome {
    suite: String,
    player: String,
    limit: TimeControl,
    skipped: u64,
    #[serde(flatten)]
    report: Report,
}

pub fn run(flags: Flags) -> Result<()> {
    let limit = match flags.tc {
        TimeControl::MoveTime(time) => Limit::MoveTime(time),
        TimeControl::Nodes(nodes) => Limit::Nodes(nodes),
        TimeControl::Depth(depth) => Limit::Depth(depth),
        TimeControl::Clock { .. } => {
            bail!("--tc {}: a suite has no clock; use movetime, nodes or depth", flags.tc)
        }
    };
    let player = resolve(&flags.player, &programs(flags.engine.as_deref(), &flags.stockfish))
        .map_err(|cause| anyhow!(cause))?;
    let fitting = fitting_concurrency(std::slice::from_ref(&player));
    let settings = Settings {
        limit,
        threads: flags.concurrency.map_or(fitting, usize::from),
        seed: flags.seed,
    };
    // A problem that was begun is finished.
    let never = Arc::new(AtomicBool::new(false));
    let mut log = flags.attempts.as_deref().map(create).transpose()?;
    let mut outcomes = Vec::new();
    for file in &flags.files {
        let name = file.display().to_string();
        let sources = Sources::new(vec![file.clone()])?;
        let reader = BufReader::new(sources.open(0).with_context(|| name.clone())?);
        let suite = read(&name, reader, flags.skip_bad)?;
        let problems: Vec<_> = suite.problems.into_iter().step_by(flags.every.into()).collect();
        let bar = progress::bar(Some(problems.len() as u64), "problems");
        let start = || player.start(Duration::from_secs(flags.patience), &never);
        let mut solved = 0;
        let attempts = solve(&problems, settings, &start, &interrupt::requested, &mut |attempt| {
            solved += u64::from(attempt.solved);
            bar.inc(1);
            bar.set_message(format!("{solved} solved"));
        })?;
        bar.finish_and_clear();
        for attempt in &attempts {
            if let Some((path, file)) = &mut log {
                let line = serde_json::to_string(attempt)?;
                writeln!(file, "{line}").with_context(|| path.display().to_string())?;
            }
        }
        let report = Report::new(&problems, &attempts);
        let report = if flags.unsolved { report.with_unsolved(&attempts) } else { report };
        if !flags.json {
            println!("{name}: {} at {}\n{report}", player.name, flags.tc);
        }
        outcomes.push(Outcome {
            suite: name,
            player: player.name.clone(),
            limit: flags.tc,
            skipped: suite.skipped,
            report,
        });
        if interrupt::requested() {
            eprintln!("interrupted after {} of {} problems", attempts.len(), problems.len());
            break;
        }
    }
    if flags.json {
        println!("{}", serde_json::to_string_pretty(&outcomes)?);
    }
    Ok(())
}

fn create(path: &Path) -> Result<(PathBuf, std::fs::File)> {
    let file = std::fs::File::create(path).with_context(|| path.display().to_string())?;
    Ok((path.to_path_buf(), file))
}
