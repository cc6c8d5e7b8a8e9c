//! `trainer openings`.

use super::engine_command;
use crate::openings::{MakeSettings, make};
use anyhow::{Result, bail};
use clap::{Args, Subcommand, value_parser};
use std::path::PathBuf;

/// Makes opening books.
#[derive(Args)]
pub struct Flags {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Make(Make),
}

/// Makes a book of balanced openings, each line different, with names where they have one.
///
/// A line begins with a named opening and goes on with moves that the teacher holds for nearly as
/// good as its best. The same seed gives the same book if the
/// teacher's answers are the same.
#[derive(Args)]
struct Make {
    /// The file for the book, one line of EPD for each opening
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Any UCI engine with MultiPV: a path, or a command with arguments
    #[arg(long, value_name = "COMMAND", default_value = "stockfish")]
    teacher: String,
    /// Lines to make
    #[arg(long, value_name = "N", default_value_t = 2400)]
    count: usize,
    /// Plies of a line, from and to
    #[arg(long, value_name = "MIN-MAX", default_value = "4-10")]
    plies: String,
    /// For everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Nodes of the search that judges a line
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,
    /// Nodes of the searches that find its moves
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = value_parser!(u64).range(1..))]
    walk_nodes: u64,
    /// Best moves to choose from
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = value_parser!(u16).range(1..=64))]
    choices: u16,
    /// Centipawns by which a move may be worse than the best
    #[arg(long, value_name = "CP", default_value_t = 40)]
    spread: u16,
    /// Centipawns by which a line may favor a side
    #[arg(long, value_name = "CP", default_value_t = 60)]
    balance: u16,
    /// Largest part of the lines that may begin with the same two plies
    #[arg(long, value_name = "SHARE", default_value_t = 0.06)]
    share: f64,
    /// How many teachers work at the same time [default: all cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    processes: Option<u16>,
}

pub fn run(flags: Flags) -> Result<()> {
    let Action::Make(flags) = flags.action;
    let teacher = engine_command("--teacher", &flags.teacher)?;
    let plies = flags.plies.split_once('-').unwrap_or((&flags.plies, &flags.plies));
    let (Ok(shortest), Ok(longest)) = (plies.0.parse(), plies.1.parse()) else {
        bail!("--plies {}: expected two numbers such as 4-10", flags.plies);
    };
    if shortest > longest || longest > 40 {
        bail!("--plies {}: from the shorter to the longer, at most 40", flags.plies);
    }
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let settings = MakeSettings {
        teacher,
        processes: flags.processes.map_or_else(cores, usize::from),
        count: flags.count,
        shortest,
        longest,
        seed: flags.seed,
        nodes: flags.nodes,
        walk_nodes: flags.walk_nodes,
        choices: flags.choices.into(),
        spread: flags.spread.into(),
        balance: flags.balance.into(),
        share: flags.share,
    };
    let made = make(&settings, &flags.out)?;
    println!(
        "{}: {} lines, {} of them with a name, from {} tries",
        flags.out.display(),
        made.lines,
        made.named,
        made.tried
    );
    Ok(())
}
