//! `trainer import-pgn`.

use crate::import::{Filter, GameSettings, OutputFlags, PgnSettings, Sources, Variant, import_pgn};
use crate::shards::{Outcome, SearchKind};
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Imports games from PGN files, plain, .zst or .gz, of any size.
///
/// Main lines become records; comments such as [%eval 0.35] become value
/// targets. Broken games are reported by file and line and left out. Games with
/// the same start and the same moves are kept once within a run, at 8 bytes of
/// memory per game; shards that are in the folder already are not compared.
#[derive(Args)]
pub struct Flags {
    /// The files, in order; - is standard input
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
    /// The least rating of both players
    #[arg(long, value_name = "ELO")]
    min_elo: Option<u16>,
    /// The highest rating of both players
    #[arg(long, value_name = "ELO")]
    max_elo: Option<u16>,
    /// Wanted results, of 1-0, 0-1, 1/2-1/2 and *
    #[arg(long, value_delimiter = ',', value_parser = parse_result, value_name = "RESULTS",
          default_value = "1-0,0-1,1/2-1/2,*")]
    results: Vec<Outcome>,
    /// Only games whose Termination tag contains one of these, in any case
    #[arg(long, value_delimiter = ',', value_name = "WORDS")]
    termination: Vec<String>,
    /// No games whose Termination tag contains one of these, e.g. "time forfeit,abandoned"
    #[arg(long, value_delimiter = ',', value_name = "WORDS")]
    skip_termination: Vec<String>,
    /// Wanted variants
    #[arg(long, value_delimiter = ',', default_value = "standard,chess960")]
    variants: Vec<Variant>,
    /// The shortest game, in half-moves
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_plies: u32,
    /// The longest game, in half-moves
    #[arg(long, value_name = "N", default_value_t = u32::MAX, hide_default_value = true)]
    max_plies: u32,
    /// The share of games to keep, 0 to 1, drawn by a hash of the game
    #[arg(long, value_name = "FRACTION", default_value_t = 1.0, value_parser = parse_fraction)]
    sample: f64,
    /// Changes which games --sample draws
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Stops after so many kept games
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Gives the first half-moves of each game the weight 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip_plies: u32,
    /// What chose the moves: people, or nobody known
    #[arg(long, value_enum, default_value = "human")]
    kind: Kind,
    /// Keeps games that occur more than once
    #[arg(long)]
    keep_duplicates: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Human,
    None,
}

fn parse_result(text: &str) -> Result<Outcome, String> {
    Outcome::parse(text).ok_or_else(|| "expected 1-0, 0-1, 1/2-1/2 or *".to_string())
}

fn parse_fraction(text: &str) -> Result<f64, String> {
    let fraction = text.parse().ok().filter(|fraction| (0.0..=1.0).contains(fraction));
    fraction.ok_or_else(|| "expected a number from 0 to 1".to_string())
}

pub fn run(flags: Flags) -> Result<()> {
    let filter = Filter {
        min_elo: flags.min_elo,
        max_elo: flags.max_elo,
        results: flags.results,
        terminations: flags.termination,
        skipped_terminations: flags.skip_termination,
        variants: flags.variants,
        min_plies: flags.min_plies as usize,
        max_plies: flags.max_plies as usize,
        sample: flags.sample,
        seed: flags.seed,
    };
    let kind = match flags.kind {
        Kind::Human => SearchKind::Human,
        Kind::None => SearchKind::None,
    };
    let settings = PgnSettings {
        game: GameSettings { filter, kind, skip_plies: flags.skip_plies as usize },
        keep_duplicates: flags.keep_duplicates,
        limit: flags.limit,
        threads: flags.output.threads(),
    };
    let sources = Sources::new(flags.files)?;
    let mut output = flags.output.open(&sources, serde_json::to_string(&settings)?)?;
    let (report, sink) = output.parts();
    let summary = import_pgn(&sources, &settings, report, sink)?;
    flags.output.finish(output, &summary)
}
