//! `trainer sweep`.

use super::arena::programs;
use crate::cycle::{LoopConfig, PRESETS, Sweep};
use crate::interrupt;
use crate::players::TimeControl;
use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, value_parser};
use std::path::PathBuf;

/// Runs several learning loops, and lets what came of them play each other.
///
/// The loops run one after the other; then their best networks, random and greedy play a round
/// robin. Killed or stopped by Ctrl-C, the same command goes on where it was.
#[derive(Args)]
pub struct Flags {
    /// Presets of `trainer loop`
    #[arg(value_name = "PRESET", required = true, value_parser = PossibleValuesParser::new(PRESETS.map(|(name, _)| name)))]
    presets: Vec<String>,
    /// Folder for the loops and the round robin
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Generations of each, instead of the presets'
    #[arg(long, value_name = "N")]
    generations: Option<u32>,
    /// Changes a setting of all, e.g. selfplay.games=100; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Games of every two players in the round robin
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = value_parser!(u64).range(2..))]
    games: u64,
    /// Time control of the round robin, as in `trainer arena`
    #[arg(long, default_value = "nodes=64")]
    tc: TimeControl,
    /// For everything random [default: the presets']
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Our engine [default: beside this program]
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,
    /// Prints the round robin as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(flags: Flags) -> Result<()> {
    let mut loops: Vec<LoopConfig> = Vec::new();
    for name in &flags.presets {
        let mut config =
            LoopConfig::preset(name, &flags.set).with_context(|| format!("preset {name}"))?;
        config.out = flags.out.clone();
        config.seed = flags.seed.unwrap_or(config.seed);
        config.generations = flags.generations.unwrap_or(config.generations);
        if loops.iter().any(|other| other.name == config.name) {
            bail!("{name} is there twice");
        }
        loops.push(config);
    }
    let sweep = Sweep {
        loops,
        out: flags.out.join("round-robin"),
        games: flags.games,
        tc: flags.tc,
        seed: flags.seed.unwrap_or(0),
        programs: programs(flags.engine.as_deref(), "stockfish"),
    };
    match sweep.run()? {
        Some(report) if flags.json => println!("{}", serde_json::to_string_pretty(&report)?),
        Some(report) => println!("{report}"),
        None => {}
    }
    if interrupt::requested() {
        eprintln!("interrupted: the same command goes on");
    }
    Ok(())
}
