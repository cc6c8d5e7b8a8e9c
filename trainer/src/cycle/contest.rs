//! Matches between networks of loops, as the arena plays them.

use super::LoopError;
use crate::arena::{
    Adjudication, ArenaError, Finished, Format, MatchSettings, OpeningSettings, Report,
    RunSettings, run,
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
        let outcome = match run(&settings, &place) {
            // The loop's settings are what they were, so the players' programs have changed.
            Err(ArenaError::OtherSettings { folder, differences }) => {
                eprintln!("{}: played anew, begun with others: {differences}", folder.display());
                put_aside(&folder)?;
                run(&settings, &place)
            }
            outcome => outcome,
        };
        let (report, finished) = outcome?;
        Ok((finished != Finished::Interrupted).then_some(report))
    }
}

/// Gives a folder the first free name of `NAME-old-1`, `NAME-old-2`, and so on.
fn put_aside(folder: &Path) -> Result<(), LoopError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let aside = (1..).map(|number| folder.with_file_name(format!("{name}-old-{number}")));
    let Some(aside) = aside.into_iter().find(|path| !path.exists()) else { return Ok(()) };
    let failed = |source| LoopError::Write { path: folder.to_path_buf(), source };
    std::fs::rename(folder, aside).map_err(failed)
}

/// A network as a player.
pub fn network(path: &Path, name: &str) -> String {
    format!("net:{}?Threads=1&name={name}", path.display())
}
