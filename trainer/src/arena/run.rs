//! Plays a match: threads take games from the schedule, this one takes them in.

use super::clock::Clock;
use super::game::{Played, Setting, play};
use super::journal::Journal;
use super::judge::Judge;
use super::progress::Progress;
use super::schedule::{Job, Schedule};
use super::seats::Seats;
use super::standings::Standings;
use super::{ArenaError, GameRecord, MatchSettings, Report, RunSettings};
use crate::interrupt;
use crate::players::fitting_concurrency;
use engine::tablebase::Tablebases;
use shakmaty::ByColor;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// How a match came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// All games are played.
    Complete,
    /// The sequential test has decided.
    Decided,
    /// By the user; the same command goes on.
    Interrupted,
}

/// How often signals are looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// Plays what is not played yet.
pub fn run(settings: &MatchSettings, run: &RunSettings) -> Result<(Report, Finished), ArenaError> {
    settings.check()?;
    let players = settings.players.len();
    let openings = &settings.openings;
    let schedule = Schedule::new(settings.format, players, settings.pairs, settings.seed)
        .with_openings(openings.book.openings.len(), openings.shuffle);
    let tables = open_tables(settings)?;
    let mut count = Count::new(settings, Standings::new(players, schedule.pairings()));
    let mut finished = HashSet::new();
    let journal = Journal::open(settings, run, |game| {
        if finished.insert(game.game) {
            count.add(game);
        }
    })?;
    finished.retain(|game| *game < schedule.games());
    let left = schedule.games() - finished.len() as u64;
    warn(settings, &schedule, finished.len(), run);
    let report = |count: &Count| Report::new(settings, &count.standings);
    if count.is_decided() {
        return Ok((report(&count), Finished::Decided));
    }
    if left == 0 {
        return Ok((report(&count), Finished::Complete));
    }
    let before = count.standings.games;
    let progress = Progress::new(finished.len() as u64 + left, before, run.progress);
    let mut host = Host { count, journal, progress };
    let concurrency = run.concurrency.unwrap_or_else(|| fitting_concurrency(&settings.players));
    let floor = Floor {
        settings,
        schedule: &schedule,
        tables: tables.as_ref(),
        finished: &finished,
        next: AtomicU64::new(0),
        stop: Arc::new(AtomicBool::new(false)),
        patience: run.patience,
    };
    let outcome = thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..(concurrency as u64).clamp(1, left) {
            let (floor, sender) = (&floor, sender.clone());
            scope.spawn(move || floor.work(&sender));
        }
        drop(sender);
        let outcome = host.take_in(&receiver, &floor.stop, schedule.games());
        // Whatever the reason, nobody is to think on.
        floor.stop.store(true, Ordering::Relaxed);
        outcome
    });
    host.progress.finish();
    Ok((report(&host.count), outcome?))
}

fn open_tables(settings: &MatchSettings) -> Result<Option<Tablebases>, ArenaError> {
    let Some(paths) = &settings.adjudication.syzygy else { return Ok(None) };
    let (tables, problems) = Tablebases::open(paths);
    match problems.into_iter().next() {
        Some(problem) => Err(ArenaError::Tablebases(problem)),
        None if tables.files() == 0 => Err(ArenaError::Tablebases(format!("none in {paths}"))),
        None => Ok(Some(tables)),
    }
}

fn warn(settings: &MatchSettings, schedule: &Schedule, finished: usize, run: &RunSettings) {
    if finished > 0 && run.progress {
        eprintln!("{}: going on after {finished} games", run.out.display());
    }
    let distinct = schedule.distinct_rounds();
    if settings.pairs > distinct {
        eprintln!(
            "warning: up to {} pairs but {distinct} openings: after those, players that are not \
             random repeat their games, and the statistics take them for new ones",
            settings.pairs
        );
    }
}

/// What the playing threads share.
struct Floor<'a> {
    settings: &'a MatchSettings,
    schedule: &'a Schedule,
    tables: Option<&'a Tablebases>,
    /// Numbers of the games that need not be played any more.
    finished: &'a HashSet<u64>,
    next: AtomicU64,
    stop: Arc<AtomicBool>,
    patience: Duration,
}

impl Floor<'_> {
    fn work(&self, sender: &Sender<Result<GameRecord, ArenaError>>) {
        let mut seats = Seats::new(&self.settings.players, self.patience, &self.stop);
        while !self.stop.load(Ordering::Relaxed) {
            let game = self.next.fetch_add(1, Ordering::Relaxed);
            if game >= self.schedule.games() {
                return;
            }
            if self.finished.contains(&game) {
                continue;
            }
            let outcome = match self.play(self.schedule.job(game), &mut seats) {
                Ok(None) => return,
                Ok(Some(record)) => Ok(record),
                Err(error) => Err(error),
            };
            if sender.send(outcome).is_err() {
                return;
            }
        }
    }

    fn play(&self, job: Job, seats: &mut Seats) -> Result<Option<GameRecord>, ArenaError> {
        let specs = ByColor {
            white: &self.settings.players[job.white],
            black: &self.settings.players[job.black],
        };
        let [white, black] = seats.take([job.white, job.black])?;
        let mut players = ByColor { white, black };
        let setting = Setting {
            game: job.game,
            names: specs.map(|spec| spec.name.as_str()),
            opening: &self.settings.openings.book.openings[job.opening],
            seed: job.seed,
        };
        let controls = specs.map(|spec| spec.time.unwrap_or(self.settings.time));
        let clock = Clock::new(controls, self.settings.margin);
        let judge = Judge::new(&self.settings.adjudication, self.tables);
        let played = play(&setting, &mut players, clock, judge, &self.stop);
        let Some(Played { record, failed }) = played else { return Ok(None) };
        for (color, player) in players.zip_color() {
            if failed != Some(color) {
                seats.put_back(color.fold_wb(job.white, job.black), player);
            }
        }
        Ok(Some(record))
    }
}

/// The games that count. A sequential test takes them in the order of the
/// schedule, so that its verdict does not depend on which game ends first.
struct Count<'a> {
    settings: &'a MatchSettings,
    standings: Standings,
    /// Games that ended before an earlier one, with the number of that one.
    waiting: BTreeMap<u64, GameRecord>,
    next: u64,
}

impl<'a> Count<'a> {
    fn new(settings: &'a MatchSettings, standings: Standings) -> Count<'a> {
        Count { settings, standings, waiting: BTreeMap::new(), next: 0 }
    }

    fn add(&mut self, game: GameRecord) {
        if self.settings.sprt.is_none() {
            self.standings.add(&game, self.settings);
            return;
        }
        self.waiting.insert(game.game, game);
        while !self.is_decided()
            && let Some(game) = self.waiting.remove(&self.next)
        {
            self.standings.add(&game, self.settings);
            self.next += 1;
        }
    }

    fn is_decided(&self) -> bool {
        let pairs = self.standings.encounters.first().map(|encounter| encounter.pairs);
        let tested = self.settings.sprt.zip(pairs);
        tested.and_then(|(sprt, pairs)| sprt.decision(&pairs)).is_some()
    }
}

/// Takes the games in.
struct Host<'a> {
    count: Count<'a>,
    journal: Journal,
    progress: Progress,
}

impl Host<'_> {
    fn take_in(
        &mut self,
        games: &Receiver<Result<GameRecord, ArenaError>>,
        stop: &AtomicBool,
        all: u64,
    ) -> Result<Finished, ArenaError> {
        loop {
            match games.recv_timeout(GLANCE) {
                Ok(game) => {
                    self.add(game?)?;
                    if self.count.is_decided() {
                        return Ok(Finished::Decided);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    // The threads may have heard of Ctrl-C before this one.
                    return Ok(match self.count.standings.games < all {
                        true => Finished::Interrupted,
                        false => Finished::Complete,
                    });
                }
            }
            if interrupt::requested() {
                stop.store(true, Ordering::Relaxed);
            }
        }
    }

    fn add(&mut self, game: GameRecord) -> Result<(), ArenaError> {
        let settings = self.count.settings;
        self.journal.append(&game, settings)?;
        if game.ending.is_fault() {
            self.progress.fault(&game);
        }
        self.count.add(game);
        self.progress.update(settings, &self.count.standings);
        Ok(())
    }
}
