//! `trainer arena`.

use crate::arena::{
    Adjudication, DrawRule, Finished, Format, MatchSettings, OpeningSettings, RunSettings, WinRule,
    run as play,
};
use crate::config;
use crate::openings::Book;
use crate::players::{PlayerEntry, PlayerSpec, Programs, TimeControl, resolve};
use crate::provenance;
use crate::statistics::{Model, Sprt};
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, value_parser};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Plays engines and networks against each other and says how strong each is.
///
/// Players are net:FILE (our engine with that network), cmd:COMMAND (any UCI engine),
/// stockfish:ELO (Stockfish held down to a rating, which anchors the others), and the baselines
/// random, greedy, mcts and alphabeta. Options follow as ?NAME=VALUE&NAME=VALUE; name, tc and
/// anchor are the player's own, others go to the engine: net:a.onnx?Threads=1&name=A. Games come
/// in pairs, each opening with both colors. Interrupted or killed, the same command goes on where
/// it was, and with more --games a finished match goes on as well.
#[derive(Args)]
pub struct Flags {
    #[command(flatten)]
    plan: Plan,
    /// File of settings, YAML or TOML, named as the flags are; flags count over it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the match [default: matches/ and a name made of players and settings]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Games at the same time [default: as the processors have room for the players' threads]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    concurrency: Option<u16>,
    /// A player that is silent for so long beyond its time, in seconds, has lost
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u64).range(1..=86_400))]
    patience: u64,
    /// Our engine, for net: players [default: beside this program]
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,
    /// Stockfish, for stockfish: players
    #[arg(long, value_name = "COMMAND", default_value = "stockfish")]
    stockfish: String,
    /// Prints the result as JSON
    #[arg(long)]
    json: bool,
    /// Shows no progress
    #[arg(long)]
    quiet: bool,
}

/// What can be said in a file as well.
#[derive(Args, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Plan {
    /// Who plays
    #[arg(value_name = "PLAYER")]
    players: Vec<PlayerEntry>,
    /// Who plays whom [default: match, or round-robin for more than two players]
    #[arg(long)]
    format: Option<Format>,
    /// Games of each pairing, an even number [default: 100, or 20000 with --sprt]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(..=10_000_000))]
    games: Option<u64>,
    /// Seconds and increment such as 10+0.1, 40/60, movetime=0.5, nodes=800 or depth=6
    /// [default: 10+0.1]
    #[arg(long, value_name = "TIME")]
    tc: Option<TimeControl>,
    /// Overstepping of the time that is forgiven, in milliseconds [default: 50]
    #[arg(long, value_name = "MS")]
    margin: Option<u64>,
    /// Openings in EPD or PGN, book for the built-in one, none for the start position
    /// [default: book]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Plies to take of PGN games [default: all]
    #[arg(long, value_name = "N")]
    opening_plies: Option<usize>,
    /// Takes the openings in the order of the file instead of shuffled by the seed
    #[arg(long)]
    in_order: bool,
    /// For everything random [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Ends the match when it is decided whether the first player is stronger by the first or by
    /// the second number of Elo, e.g. 0,10
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// Chance to accept ELO1 wrongly [default: 0.05]
    #[arg(long, value_name = "SHARE")]
    alpha: Option<f64>,
    /// Chance to accept ELO0 wrongly [default: 0.05]
    #[arg(long, value_name = "SHARE")]
    beta: Option<f64>,
    /// What ELO0 and ELO1 are measured in [default: logistic]
    #[arg(long)]
    sprt_model: Option<Model>,
    /// A draw after MOVE when both players score their last COUNT moves within CP centipawns of
    /// equality, e.g. 40,8,10
    #[arg(long, value_name = "MOVE,COUNT,CP")]
    draw: Option<String>,
    /// A win when both players agree for COUNT moves each that one is ahead by CP centipawns, e.g.
    /// 4,600
    #[arg(long, value_name = "COUNT,CP")]
    win: Option<String>,
    /// A draw after so many moves
    #[arg(long, value_name = "N")]
    max_moves: Option<u32>,
    /// Folders with Syzygy tablebases, which end games
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
}

pub fn run(flags: Flags) -> Result<()> {
    let programs = programs(flags.engine.as_deref(), &flags.stockfish);
    let plan = match &flags.config {
        None => flags.plan,
        Some(path) => flags.plan.over(read(path)?),
    };
    let settings = plan.settings(&programs)?;
    settings.check()?;
    let out = flags.out.unwrap_or_else(|| Path::new("matches").join(title(&settings)));
    let run = RunSettings {
        out,
        concurrency: flags.concurrency.map(usize::from),
        patience: Duration::from_secs(flags.patience),
        command: std::env::args().collect(),
        progress: !flags.quiet,
    };
    let (report, finished) = play(&settings, &run)?;
    match flags.json {
        true => println!("{}", serde_json::to_string_pretty(&report)?),
        false => println!("{report}\ngames and journal: {}", run.out.display()),
    }
    if finished == Finished::Interrupted {
        eprintln!("interrupted: the same command goes on from here");
    }
    Ok(())
}

/// Where net: and stockfish: players come from.
pub fn programs(engine: Option<&Path>, stockfish: &str) -> Programs {
    let defaults = Programs::default();
    Programs {
        engine: engine.map_or(defaults.engine, Path::to_path_buf),
        stockfish: stockfish.to_string(),
    }
}

fn read(path: &Path) -> Result<Plan> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(config::Format::of(path)?.parse(&text, path)?)
}

impl Plan {
    /// What this one leaves open is as in the file.
    fn over(self, file: Plan) -> Plan {
        Plan {
            players: if self.players.is_empty() { file.players } else { self.players },
            format: self.format.or(file.format),
            games: self.games.or(file.games),
            tc: self.tc.or(file.tc),
            margin: self.margin.or(file.margin),
            openings: self.openings.or(file.openings),
            opening_plies: self.opening_plies.or(file.opening_plies),
            in_order: self.in_order || file.in_order,
            seed: self.seed.or(file.seed),
            sprt: self.sprt.or(file.sprt),
            alpha: self.alpha.or(file.alpha),
            beta: self.beta.or(file.beta),
            sprt_model: self.sprt_model.or(file.sprt_model),
            draw: self.draw.or(file.draw),
            win: self.win.or(file.win),
            max_moves: self.max_moves.or(file.max_moves),
            syzygy: self.syzygy.or(file.syzygy),
        }
    }

    fn settings(self, programs: &Programs) -> Result<MatchSettings> {
        let players: Vec<PlayerSpec> = self
            .players
            .iter()
            .map(|entry| resolve(entry, programs).map_err(|cause| anyhow!(cause)))
            .collect::<Result<_>>()?;
        let sprt = self.sprt()?;
        let games = self.games.unwrap_or(if sprt.is_some() { 20_000 } else { 100 });
        if !games.is_multiple_of(2) {
            bail!("--games {games}: games come in pairs, so it must be an even number");
        }
        let default_format = if players.len() > 2 { Format::RoundRobin } else { Format::Match };
        let default_time = || TimeControl::Clock {
            moves: None,
            base: Duration::from_secs(10),
            increment: Duration::from_millis(100),
        };
        Ok(MatchSettings {
            format: self.format.unwrap_or(default_format),
            pairs: games / 2,
            time: self.tc.unwrap_or_else(default_time),
            margin: Duration::from_millis(self.margin.unwrap_or(50)),
            openings: self.openings()?,
            seed: self.seed.unwrap_or(0),
            sprt,
            adjudication: self.adjudication()?,
            players,
        })
    }

    fn openings(&self) -> Result<OpeningSettings> {
        let path = self.openings.as_deref().unwrap_or(Path::new("book"));
        let book = match path.as_os_str() == "none" {
            true => Book::start_position(),
            false => Book::open(path, self.opening_plies)?,
        };
        Ok(OpeningSettings { book, shuffle: !self.in_order })
    }

    fn sprt(&self) -> Result<Option<Sprt>> {
        let Some(text) = &self.sprt else { return Ok(None) };
        let [elo0, elo1] = numbers::<f64, 2>("--sprt", text)?;
        Ok(Some(Sprt {
            elo0,
            elo1,
            alpha: self.alpha.unwrap_or(Sprt::default_error()),
            beta: self.beta.unwrap_or(Sprt::default_error()),
            model: self.sprt_model.unwrap_or_default(),
        }))
    }

    fn adjudication(&self) -> Result<Adjudication> {
        let draw = |text: &String| -> Result<DrawRule> {
            let [after, moves, score] = numbers::<u16, 3>("--draw", text)?;
            Ok(DrawRule { after: after.into(), moves: moves.max(1).into(), score: score.into() })
        };
        let win = |text: &String| -> Result<WinRule> {
            let [moves, score] = numbers::<u16, 2>("--win", text)?;
            Ok(WinRule { moves: moves.max(1).into(), score: score.max(1).into() })
        };
        Ok(Adjudication {
            draw: self.draw.as_ref().map(draw).transpose()?,
            win: self.win.as_ref().map(win).transpose()?,
            max_moves: self.max_moves,
            syzygy: self.syzygy.clone(),
        })
    }
}

/// So many numbers with commas between them.
fn numbers<T: FromStr, const N: usize>(flag: &str, text: &str) -> Result<[T; N]> {
    let values: Vec<T> = text
        .split(',')
        .map(|part| part.trim().parse())
        .collect::<Result<_, _>>()
        .map_err(|_| anyhow!("{flag} {text}: expected {N} numbers with commas between them"))?;
    values
        .try_into()
        .map_err(|_| anyhow!("{flag} {text}: expected {N} numbers with commas between them"))
}

/// The same for the same settings, so that the same command finds its folder.
fn title(settings: &MatchSettings) -> String {
    let plain = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(24).collect()
    };
    let hash = provenance::hash(settings.identity().to_string().as_bytes());
    let names: Vec<String> =
        settings.players.iter().take(2).map(|player| plain(&player.name)).collect();
    let more = if settings.players.len() > 2 { "-and-others" } else { "" };
    format!("{}{more}-{}", names.join("-"), &hash[..8])
}
