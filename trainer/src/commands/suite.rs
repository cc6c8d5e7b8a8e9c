//! `trainer suite`.

use super::arena::programs;
use crate::import::Sources;
use crate::interrupt;
use crate::players::{PlayerEntry, PlayerSpec, TimeControl, fitting_concurrency, resolve};
use crate::progress;
use crate::suite::{
    Attempt, Comparison, Problem, Report, Settings, Suite, is_shards, read, read_rated,
    run as solve,
};
use crate::uci::Limit;
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, value_parser};
use serde::Serialize;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Runs players over test suites.
///
/// Suites are EPD files with bm and am, or Lichess puzzles as CSV, plain, .zst or .gz. A puzzle is
/// solved when every move of its line is found, or a mate; from the puzzles' ratings follows one of
/// the player. Shards, or folders of them, are suites too if their labels value many moves
/// (`trainer label --multipv 256`): then it is counted what each move gives away, which compares
/// networks and settings in minutes. Players are named as for `trainer arena`.
#[derive(Args)]
pub struct Flags {
    /// Who solves, e.g. net:a.onnx?Threads=1
    player: PlayerEntry,
    /// The suites
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Somebody else, who is then compared with the player problem by problem; may be given several
    /// times
    #[arg(long, value_name = "PLAYER")]
    against: Vec<PlayerEntry>,
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
    /// The player less the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Comparison>,
}

/// A line of the file of attempts.
#[derive(Serialize)]
struct LogLine<'a> {
    player: &'a str,
    #[serde(flatten)]
    attempt: &'a Attempt,
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
    let programs = programs(flags.engine.as_deref(), &flags.stockfish);
    let players = [&flags.player].into_iter().chain(&flags.against);
    let players = players
        .map(|entry| resolve(entry, &programs).map_err(|cause| anyhow!(cause)))
        .collect::<Result<Vec<_>>>()?;
    let mut log = flags.attempts.as_deref().map(create).transpose()?;
    let mut outcomes = Vec::new();
    'suites: for file in &flags.files {
        let name = file.display().to_string();
        let suite = open(file, flags.skip_bad)?;
        let problems: Vec<_> = suite.problems.into_iter().step_by(flags.every.into()).collect();
        let mut first: Option<Vec<Attempt>> = None;
        for player in &players {
            let attempts = attempts(&flags, limit, player, &problems)?;
            for attempt in &attempts {
                if let Some((path, file)) = &mut log {
                    let line = serde_json::to_string(&LogLine { player: &player.name, attempt })?;
                    writeln!(file, "{line}").with_context(|| path.display().to_string())?;
                }
            }
            let report = Report::new(&problems, &attempts);
            let report = if flags.unsolved { report.with_unsolved(&attempts) } else { report };
            let difference = first.as_ref().map(|first| Comparison::new(&attempts, first));
            if !flags.json {
                println!("{name}: {} at {}\n{report}", player.name, flags.tc);
                if let Some(difference) = &difference {
                    println!("{} less {}: {difference}\n", player.name, players[0].name);
                }
            }
            outcomes.push(Outcome {
                suite: name.clone(),
                player: player.name.clone(),
                limit: flags.tc,
                skipped: suite.skipped,
                report,
                difference,
            });
            if interrupt::requested() {
                eprintln!("interrupted after {} of {} problems", attempts.len(), problems.len());
                break 'suites;
            }
            first.get_or_insert(attempts);
        }
    }
    if flags.json {
        println!("{}", serde_json::to_string_pretty(&outcomes)?);
    }
    Ok(())
}

fn open(file: &Path, skip_bad: bool) -> Result<Suite> {
    if is_shards(file) {
        return Ok(read_rated(file.to_path_buf())?);
    }
    let name = file.display().to_string();
    let sources = Sources::new(vec![file.to_path_buf()])?;
    let reader = BufReader::new(sources.open(0).with_context(|| name.clone())?);
    Ok(read(&name, reader, skip_bad)?)
}

fn attempts(
    flags: &Flags,
    limit: Limit,
    player: &PlayerSpec,
    problems: &[Problem],
) -> Result<Vec<Attempt>> {
    let fitting = fitting_concurrency(std::slice::from_ref(player));
    let threads = flags.concurrency.map_or(fitting, usize::from);
    let settings = Settings { limit, threads, seed: flags.seed };
    let bar = progress::bar(Some(problems.len() as u64), "problems");
    // A problem that was begun is finished.
    let never = Arc::new(AtomicBool::new(false));
    let start = || player.start(Duration::from_secs(flags.patience), &never);
    let mut solved = 0;
    let attempts = solve(problems, settings, &start, &interrupt::requested, &mut |attempt| {
        solved += u64::from(attempt.solved);
        bar.inc(1);
        bar.set_message(format!("{solved} solved"));
    })?;
    bar.finish_and_clear();
    Ok(attempts)
}

fn create(path: &Path) -> Result<(PathBuf, std::fs::File)> {
    let file = std::fs::File::create(path).with_context(|| path.display().to_string())?;
    Ok((path.to_path_buf(), file))
}
