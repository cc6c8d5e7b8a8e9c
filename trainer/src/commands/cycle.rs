//! `trainer loop`.

use super::arena::programs;
use crate::config::Format;
use crate::cycle::{HELP, Loop, LoopConfig, PRESETS};
use crate::interrupt;
use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

/// Lets a network teach itself: self-play, training and matches, again and again.
///
/// Killed or stopped by Ctrl-C, the same command goes on where it was.
#[derive(Args)]
pub struct Flags {
    /// The loop's settings, YAML or TOML
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    config: Option<PathBuf>,
    /// Settings that come with the trainer
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(PRESETS.map(|(name, _)| name)))]
    preset: Option<String>,
    /// Changes a setting, e.g. selfplay.games=100; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Our engine [default: beside this program]
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,
    /// Generations, instead of the config's
    #[arg(long, value_name = "N")]
    generations: Option<u32>,
    /// Lists all settings and presets
    #[arg(long)]
    help_config: bool,
}

pub fn run(flags: Flags) -> Result<()> {
    if flags.help_config {
        print!("{HELP}");
        return Ok(());
    }
    let mut config = match (&flags.config, &flags.preset) {
        (Some(path), _) => {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            LoopConfig::parse(&text, Format::of(path)?, path, &flags.set)?
        }
        (None, Some(name)) => LoopConfig::preset(name, &flags.set)?,
        (None, None) => bail!("--config FILE or --preset NAME says what to do"),
    };
    config.generations = flags.generations.unwrap_or(config.generations);
    let mut cycle = Loop::open(config, programs(flags.engine.as_deref(), "stockfish"))?;
    cycle.run()?;
    let state = cycle.state();
    let finished = state.finished();
    let accepted = finished.iter().filter(|generation| generation.accepted).count();
    let best = state.best;
    println!("{} generations, {accepted} accepted; the best is {best}", finished.len());
    if interrupt::requested() {
        eprintln!("interrupted: the same command goes on");
    }
    Ok(())
}
