//! `trainer label`.

use super::engine_command;
use crate::interrupt;
use crate::label::{
    Basis, PolicySettings, PositionSettings, SearchSettings, Settings, TeacherSettings, label,
};
use crate::uci::Limit;
use anyhow::{Context, Result, bail};
use clap::{ArgGroup, Args, value_parser};
use std::path::PathBuf;
use std::time::Duration;

/// Labels positions with a teacher engine.
///
/// Positions come from PGN, from lists (FEN, EPD, or CSV with the FEN first), from shards or
/// from random play; each is labeled once. Interrupted or killed, the same command goes on
/// where it was. The labels are the same for any number of processes if the teacher's answer
/// depends on nothing but the position: one thread, --nodes or --depth, and --new-game.
#[derive(Args)]
#[command(group = ArgGroup::new("search").required(true).args(["nodes", "depth", "movetime"]))]
pub struct Flags {
    /// PGN, lists of positions, shards or folders of them; .zst and .gz are unpacked
    inputs: Vec<PathBuf>,
    /// Any UCI engine: a path, or a command with arguments
    #[arg(long, value_name = "COMMAND")]
    teacher: String,
    /// The folder for the shards
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Searches so many nodes
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Searches so deep
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Searches for so long, in milliseconds
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Scores so many moves; the policy is then soft
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..))]
    multipv: u16,
    /// What the weights of a soft policy are made from
    #[arg(long, value_enum, default_value_t = Basis::Expected)]
    policy_from: Basis,
    /// A move that is worse by so much has 1/e of the weight [default: 0.05 of a point, or 50
    /// centipawns]
    #[arg(long, value_name = "T")]
    policy_temperature: Option<f64>,
    /// After a position, plays the best move and labels on, for so many plies
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    follow: u16,
    /// How often the move played is a random one, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, requires = "follow")]
    follow_random: f64,
    /// An option of the teacher; may be given several times
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// How many teachers work at the same time [default: all cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    processes: Option<u16>,
    /// A teacher that says nothing for so long, in seconds, is restarted; the time of --movetime
    /// comes on top
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0)]
    timeout: f64,
    /// Tells the teacher before each position that it is a new game, which clears its memory
    #[arg(long)]
    new_game: bool,
    /// Positions from random games
    #[arg(long, value_name = "N", default_value_t = 0)]
    random: u64,
    /// The share of input positions that are first disturbed by one or two random moves, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    random_plies: f64,
    /// Takes input positions with at most so many men, kings and pawns included: endgames
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(3..=32))]
    max_men: Option<u32>,
    /// Takes every N-th position of each game, beginning anywhere, and of all lists
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u64).range(1..))]
    every: u64,
    /// The share of positions to take, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    sample: f64,
    /// Takes no more positions than this
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// For everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Positions per shard, those that follow not counted
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = value_parser!(u64).range(1..))]
    part_size: u64,
}

pub fn run(flags: Flags) -> Result<()> {
    let summary = label(&settings(flags)?)?;
    println!("{summary}");
    if interrupt::requested() {
        eprintln!("interrupted: the same command goes on from here");
    } else if summary.records == 0 && summary.skipped > 0 {
        bail!("the teacher labeled none of the positions");
    }
    Ok(())
}

fn settings(flags: Flags) -> Result<Settings> {
    let command = engine_command("--teacher", &flags.teacher)?;
    for (name, share) in [
        ("--follow-random", flags.follow_random),
        ("--random-plies", flags.random_plies),
        ("--sample", flags.sample),
    ] {
        if !(0.0..=1.0).contains(&share) {
            bail!("{name} {share}: a share is from 0 to 1");
        }
    }
    let basis = flags.policy_from;
    let temperature = flags.policy_temperature.unwrap_or(basis.default_temperature());
    if !(temperature.is_finite() && temperature > 0.0) {
        bail!("--policy-temperature {temperature}: it must be above 0");
    }
    let patience = Duration::try_from_secs_f64(flags.timeout)
        .ok()
        .filter(|patience| !patience.is_zero())
        .with_context(|| format!("--timeout {}: it is in seconds, above 0", flags.timeout))?;
    let limit = match (flags.nodes, flags.depth, flags.movetime) {
        (Some(nodes), _, _) => Limit::Nodes(nodes),
        (_, Some(depth), _) => Limit::Depth(depth),
        (_, _, Some(time)) => Limit::MoveTime(Duration::from_millis(time)),
        _ => bail!("name one of --nodes, --depth and --movetime"),
    };
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Settings {
        teacher: TeacherSettings {
            command,
            options: flags.options.iter().map(|text| option(text)).collect::<Result<_>>()?,
            processes: flags.processes.map_or_else(cores, usize::from),
            patience,
        },
        search: SearchSettings {
            limit,
            multipv: flags.multipv.into(),
            policy: PolicySettings { basis, temperature },
            follow: flags.follow.into(),
            follow_random: flags.follow_random,
            new_game: flags.new_game,
        },
        positions: PositionSettings {
            inputs: flags.inputs,
            random: flags.random,
            random_plies: flags.random_plies,
            most_men: flags.max_men,
            every: flags.every,
            sample: flags.sample,
            limit: flags.limit,
            seed: flags.seed,
        },
        out: flags.out,
        part_size: flags.part_size,
    })
}

/// A button has no value.
fn option(text: &str) -> Result<(String, String)> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    if name.eq_ignore_ascii_case("MultiPV") {
        bail!("--option {text}: give the number of lines as --multipv");
    }
    Ok((name.trim().to_string(), value.trim().to_string()))
}
