//! Matches between networks of loops, as the arena plays them.

use super::LoopError;
use crate::arena::{
    Adjudication, Finished, Format, MatchSettings, OpeningSettings, Report, RunSettings, run,
};
use crate::openings::Book;
use crate::players::{PlayerEntry, Programs, TimeControl, resolve};
use crate::statistics::Sprt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The clock may be overrun by so much.
const MARGIN: Duration = Duration::from_millis(100);

/// A player that is silent for so long has lost.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Contest<'a> {
    /// As `trainer arena` takes them.
    pub players: Vec<String>,
    pub format: Format,
    /// Of every two players.
    pub games: u64,
    pub tc: TimeControl,
    pub sprt: Option<Sprt>,
    pub seed: u64,
    pub out: PathBuf,
    pub programs: &'a Programs,
}

impl Contest<'_> {
    /// Plays it, or goes on with it; `None` after Ctrl-C.
    pub fn play(self) -> Result<Option<Report>, LoopError> {
        let players = self.players.iter().map(|text| {
            let entry: PlayerEntry = text.parse().map_err(LoopError::Player)?;
            resolve(&entry, self.programs).map_err(LoopError::Player)
        });
        let settings = MatchSettings {
            players: players.collect::<Result<_, _>>()?,
            format: self.format,
            pairs: self.games.div_ceil(2),
            time: self.tc,
            margin: MARGIN,
            openings: OpeningSettings { book: Book::open(Path::new("book"), None)?, shuffle: true },
            seed: self.seed,
            sprt: self.sprt,
            adjudication: Adjudication::default(),
        };
        let place = RunSettings {
            out: self.out,
            concurrency: None,
            patience: PATIENCE,
            command: std::env::args().collect(),
            progress: true,
        };
        let (report, finished) = run(&settings, &place)?;
        Ok((finished != Finished::Interrupted).then_some(report))
    }
}

/// A network as a player.
pub fn network(path: &Path, name: &str) -> String {
    format!("net:{}?Threads=1&name={name}", path.display())
}
