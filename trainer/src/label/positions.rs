//! The roots: which positions are labeled, in an order that never changes.

use super::chance::{Purpose, play_randomly, random_position, stream};
use super::input::{InputKind, files};
use super::list::{ListLine, read_list};
use super::{LabelError, PositionSettings};
use crate::import::{GameSettings, PgnSettings, Report, Sources, import_pgn};
use crate::interrupt;
use crate::shards::{Reader, Record, Replay, ReplayError};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Position};
use std::collections::HashSet;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};

/// Lines of a list that are never parted by a split for validation: neighbors
/// often come from one game.
const LINES_PER_GROUP: u64 = 256;

/// A position to be labeled.
#[derive(Clone, Debug)]
pub struct Root {
    pub position: Chess,
    pub group: u64,
    pub source: String,
}

/// How files are read: it never changes what is found.
#[derive(Clone, Copy)]
pub struct Reading {
    pub threads: usize,
    /// Broken places are shown.
    pub loud: bool,
}

pub struct Positions<'a> {
    settings: &'a PositionSettings,
    files: Vec<PathBuf>,
}

impl<'a> Positions<'a> {
    pub fn new(settings: &'a PositionSettings) -> Result<Positions<'a>, LabelError> {
        Ok(Positions { settings, files: files(&settings.inputs)? })
    }

    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Shows all roots in order, until `sink` breaks or the user interrupts.
    pub fn visit(
        &self,
        reading: Reading,
        sink: &mut dyn FnMut(Root) -> ControlFlow<()>,
    ) -> Result<(), LabelError> {
        let mut walk = Walk {
            settings: self.settings,
            reading,
            sink,
            seen: HashSet::new(),
            records: 0,
            lines: 0,
            offered: 0,
        };
        for path in &self.files {
            let outcome = match InputKind::of(path) {
                InputKind::Pgn => walk.games(path),
                InputKind::Shards => walk.shard(path),
                InputKind::List => walk.list(path),
            };
            match outcome {
                Err(Stop::Enough) => return Ok(()),
                Err(Stop::Failed(error)) => return Err(error),
                Ok(()) => {}
            }
        }
        let _ = walk.random_games();
        Ok(())
    }
}

/// Why the walk ends early.
enum Stop {
    Enough,
    Failed(LabelError),
}

impl<E: Into<LabelError>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Failed(error.into())
    }
}

struct Walk<'a, 's> {
    settings: &'a PositionSettings,
    reading: Reading,
    sink: &'s mut dyn FnMut(Root) -> ControlFlow<()>,
    /// Keys of all roots so far, 8 bytes each.
    seen: HashSet<u64>,
    records: u64,
    lines: u64,
    /// Positions that had their place in the thinning.
    offered: u64,
}

impl Walk<'_, '_> {
    fn games(&mut self, path: &Path) -> Result<(), Stop> {
        let sources = Sources::new(vec![path.to_path_buf()])?;
        let settings = PgnSettings {
            game: GameSettings::default(),
            // Positions are told apart later.
            keep_duplicates: true,
            limit: None,
            threads: self.reading.threads,
        };
        let mut report = self.report(&sources, path)?;
        let mut game = 0;
        let summary = import_pgn(&sources, &settings, &mut report, |record| {
            game += 1;
            self.record(record, path, game)
        });
        self.close(report, path)?;
        self.warn(&summary?.failures);
        Ok(())
    }

    fn shard(&mut self, path: &Path) -> Result<(), Stop> {
        for (row, record) in Reader::open(path)?.records()?.enumerate() {
            self.record(&record?, path, row)?;
        }
        Ok(())
    }

    fn list(&mut self, path: &Path) -> Result<(), Stop> {
        let sources = Sources::new(vec![path.to_path_buf()])?;
        let mut report = self.report(&sources, path)?;
        let read = |source| LabelError::Read { path: path.to_path_buf(), source };
        let name = sources.name(0);
        let (mut usable, mut enough) = (0, false);
        let outcome = read_list(sources.open(0).map_err(read)?, |ListLine { number, position }| {
            match position {
                Ok(position) => {
                    usable += 1;
                    enough = self.line(&position, &name, number).is_break();
                }
                Err(cause) => report.broken(&sources.path(0), number, &cause),
            }
            !enough
        });
        self.close(report, path)?;
        match outcome {
            _ if enough => Err(Stop::Enough),
            Err(source) => Err(read(source).into()),
            Ok(()) if usable == 0 => {
                let name = path.display();
                Err(LabelError::NoPositions(format!("{name} has no line with a FEN")).into())
            }
            Ok(()) => Ok(()),
        }
    }

    fn line(&mut self, position: &Chess, name: &str, number: u64) -> ControlFlow<()> {
        self.lines += 1;
        let block = format!("{name} {}", number / LINES_PER_GROUP);
        let group = Record { start_fen: block, ..Record::default() }.id();
        self.offer((self.lines - 1).is_multiple_of(self.settings.every), position, group, name)
    }

    /// Every position of a game that it can be played on from.
    fn record(&mut self, record: &Record, path: &Path, row: usize) -> Result<(), Stop> {
        let every = self.settings.every;
        let mut random = stream(self.settings.seed, Purpose::Offset, self.records);
        let offset = (random.unit() * every as f64) as u64;
        self.records += 1;
        let broken = |error: ReplayError| LabelError::Row {
            path: path.to_path_buf(),
            row,
            cause: error.to_string(),
        };
        let mut replay = Replay::new(record).map_err(broken)?;
        while let Some(step) = replay.advance().map_err(broken)? {
            let wanted = step.index as u64 % every == offset;
            let position = &step.line.last().position;
            if self.offer(wanted, position, record.group, &record.source).is_break() {
                return Err(Stop::Enough);
            }
        }
        Ok(())
    }

    /// N distinct positions, however many games that takes.
    fn random_games(&mut self) -> ControlFlow<()> {
        let (mut game, mut found) = (0, 0);
        while found < self.settings.random {
            let mut random = stream(self.settings.seed, Purpose::Game, game);
            game += 1;
            let position = random_position(&mut random);
            let before = self.seen.len();
            self.admit(position, random.next_u64(), "random")?;
            found += (self.seen.len() - before) as u64;
        }
        Continue(())
    }

    /// Thins out and disturbs.
    fn offer(
        &mut self,
        wanted: bool,
        position: &Chess,
        group: u64,
        source: &str,
    ) -> ControlFlow<()> {
        let men = position.board().occupied().count() as u32;
        if !wanted || self.settings.most_men.is_some_and(|most| men > most) {
            return Continue(());
        }
        let (settings, index) = (self.settings, self.offered);
        self.offered += 1;
        if settings.sample < 1.0
            && stream(settings.seed, Purpose::Sample, index).unit() >= settings.sample
        {
            return Continue(());
        }
        let mut disturbed = None;
        if settings.random_plies > 0.0 {
            let mut random = stream(settings.seed, Purpose::Disturb, index);
            if random.unit() < settings.random_plies {
                let plies = if random.unit() < 0.5 { 1 } else { 2 };
                disturbed = play_randomly(position, plies, &mut random);
            }
        }
        self.admit(disturbed.unwrap_or_else(|| position.clone()), group, source)
    }

    /// Hands on what was not there before.
    fn admit(&mut self, position: Chess, group: u64, source: &str) -> ControlFlow<()> {
        if interrupt::requested() {
            return Break(());
        }
        let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
        if position.is_game_over() || !self.seen.insert(key) {
            return Continue(());
        }
        (self.sink)(Root { position, group, source: source.to_string() })?;
        let full = self.settings.limit.is_some_and(|limit| self.seen.len() as u64 >= limit);
        if full { Break(()) } else { Continue(()) }
    }

    fn report(&self, sources: &Sources, path: &Path) -> Result<Report, Stop> {
        if !self.reading.loud {
            return Ok(Report::silent());
        }
        Report::create(sources, None)
            .map_err(|source| LabelError::Read { path: path.to_path_buf(), source }.into())
    }

    fn close(&self, report: Report, path: &Path) -> Result<(), Stop> {
        report
            .finish()
            .map_err(|source| LabelError::Read { path: path.to_path_buf(), source }.into())
    }

    fn warn(&self, failures: &[String]) {
        if self.reading.loud {
            failures.iter().for_each(|failure| eprintln!("warning: {failure}"));
        }
    }
}
