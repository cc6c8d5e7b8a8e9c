//! `trainer selfplay`.

use super::engine_command;
use crate::config::Format;
use crate::cycle::HELP;
use crate::interrupt;
use crate::players::Programs;
use crate::selfplay::{OpeningSettings, Plan, Played, Settings, selfplay};
use anyhow::{Context, Result, bail};
use clap::{Args, value_parser};
use engine::selfplay::Settings as SearchSettings;
use std::path::PathBuf;
use std::time::Duration;

/// Lets the engine play itself, and writes the games as shards.
///
/// Killed or stopped by Ctrl-C, the same command goes on where it was; more --games make a finished
/// run longer. The games do not depend on how many are played at once.
#[derive(Args)]
pub struct Flags {
    /// Our engine [default: beside this program], or any UCI engine: a path, or a command with
    /// arguments. Another engine's moves and scores become targets; --visits are its nodes, and the
    /// temperature is the share of random moves, a tenth at 1
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// The network that plays [default: the engine's]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Games to play
    #[arg(long, value_name = "N", required_unless_present = "help_config", value_parser = value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// The folder for the shards
    #[arg(long, value_name = "DIR", required_unless_present = "help_config")]
    out: Option<PathBuf>,
    /// Visits of a full search [default: 64, or the config's]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    visits: Option<u32>,
    /// Where games begin: start, book, book:FILE, random:PLIES or shards:PATH
    #[arg(long, value_name = "CHOICE", default_value = "book")]
    openings: OpeningSettings,
    /// Settings of the search as YAML or TOML; `trainer selfplay --help-config` lists them
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// For everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The generation that the games belong to, for windows of training data
    #[arg(long, value_name = "N")]
    generation: Option<u32>,
    /// An option of the engine, e.g. Threads=2; may be given several times
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Games in a shard
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = value_parser!(u64).range(1..))]
    shard_games: u64,
    /// Games that begin after the network's file has changed use the new one
    #[arg(long)]
    watch_net: bool,
    /// An engine that says nothing for so long, in seconds, is restarted
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u64).range(15..=86_400))]
    patience: u64,
    /// Engines other than ours that play at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..))]
    processes: u16,
    /// Lists the settings of the search
    #[arg(long)]
    help_config: bool,
    /// Prints what the games were like as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(flags: Flags) -> Result<()> {
    if flags.help_config {
        print!("{HELP}");
        return Ok(());
    }
    let json = flags.json;
    let settings = settings(flags)?;
    let games = settings.plan.games;
    let played = selfplay(&settings)?;
    if json {
        println!("{}", serde_json::to_string_pretty(&played.telemetry)?);
    } else {
        print(&played);
    }
    if played.games < games && interrupt::requested() {
        eprintln!("interrupted: {} games are there, the same command goes on", played.games);
    }
    Ok(())
}

fn settings(flags: Flags) -> Result<Settings> {
    let engine = match &flags.engine {
        Some(text) => engine_command("--engine", text)?,
        None => Programs::default().engine_command(),
    };
    let mut search = match &flags.config {
        Some(path) => {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            Format::of(path)?.parse(&text, path)?
        }
        None => SearchSettings::default(),
    };
    search.visits = flags.visits.unwrap_or(search.visits);
    let mut options = Vec::new();
    for option in &flags.options {
        match option.split_once('=') {
            Some((name, value)) => options.push((name.to_string(), value.to_string())),
            None => bail!("--option {option}: expected NAME=VALUE"),
        }
    }
    Ok(Settings {
        engine,
        network: flags.net,
        options,
        out: flags.out.unwrap_or_default(),
        plan: Plan {
            games: flags.games.unwrap_or_default(),
            seed: flags.seed,
            generation: flags.generation,
            openings: flags.openings,
            search,
        },
        shard_games: flags.shard_games as usize,
        watch_network: flags.watch_net,
        processes: usize::from(flags.processes),
        patience: Duration::from_secs(flags.patience),
    })
}

fn print(played: &Played) {
    println!("{} games", played.games);
    for (name, value) in played.telemetry.metrics() {
        println!("  {name:32} {value:.3}");
    }
    if played.restarts > 0 {
        println!("  the engine was restarted {} times", played.restarts);
    }
}
