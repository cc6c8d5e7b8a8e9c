//! Makes a book: walks until there are enough lines that are balanced and new.
//!
//! Lines are numbered and each depends on its number alone, so that the book is
//! the same for any number of teachers, if a teacher's answers are.

use super::eco::name_of;
use super::walk::{Candidate, walk};
use crate::files::write_atomic;
use crate::interrupt;
use crate::progress;
use crate::uci::{Engine, EngineCommand, UciError};
use engine::search::Random;
use serde::Serialize;
use shakmaty::fen::Epd;
use shakmaty::{EnPassantMode, Move, Position};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use thiserror::Error;

#[derive(Clone, Debug, Serialize)]
pub struct MakeSettings {
    #[serde(skip)]
    pub teacher: EngineCommand,
    #[serde(skip)]
    pub processes: usize,
    /// Lines to make.
    pub count: usize,
    /// Plies of a line, from and to.
    pub shortest: usize,
    pub longest: usize,
    pub seed: u64,
    /// Nodes of the search that judges a finished line.
    pub nodes: u64,
    /// Nodes of the searches that find its moves.
    pub walk_nodes: u64,
    /// Moves to choose from, of those that are no worse than the best by more
    /// than `spread` centipawns.
    pub choices: usize,
    pub spread: i32,
    /// Centipawns by which a line may favor a side.
    pub balance: i32,
    /// Largest part of the lines that may begin with the same two plies: what
    /// engines like best would fill the book otherwise.
    pub share: f64,
}

#[derive(Debug, Error)]
pub enum MakeError {
    #[error("teacher")]
    Teacher(#[from] UciError),
    #[error("{teacher} has no option MultiPV: it cannot offer moves to choose from")]
    NoMultiPv { teacher: String },
    #[error(
        "only {found} lines were found in {tried} tries; allow more --plies, --spread, \
         --balance or --share"
    )]
    Exhausted { found: usize, tried: usize },
    #[error("interrupted; nothing was written")]
    Interrupted,
    #[error("{}: cannot be written", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    pub lines: usize,
    pub named: usize,
    pub tried: usize,
}

/// Lines that are walked before new ones are looked for among them.
const ROUND: usize = 64;
/// Tries per line before it is given up.
const MOST_TRIES: usize = 50;
const PATIENCE: Duration = Duration::from_secs(60);

/// Writes the book, one line of EPD for each opening.
pub fn make(settings: &MakeSettings, out: &Path) -> Result<Made, MakeError> {
    let teachers: Vec<Mutex<Engine>> = (0..settings.processes.max(1))
        .map(|_| start(settings).map(Mutex::new))
        .collect::<Result<_, _>>()?;
    let bar = progress::bar(Some(settings.count as u64), "lines");
    let (mut seen, mut text, mut named, mut tried) = (HashSet::new(), String::new(), 0, 0);
    let mut beginnings: HashMap<Vec<Move>, usize> = HashMap::new();
    let largest = (settings.share * settings.count as f64).ceil() as usize;
    while seen.len() < settings.count {
        if interrupt::requested() {
            return Err(MakeError::Interrupted);
        }
        if tried >= settings.count * MOST_TRIES {
            return Err(MakeError::Exhausted { found: seen.len(), tried });
        }
        for candidate in round(settings, &teachers, tried)?.into_iter().flatten() {
            let key = candidate.opening.line().line().last().key;
            let first: Vec<Move> = candidate.opening.moves.iter().take(2).copied().collect();
            let alike = beginnings.entry(first).or_default();
            if seen.len() < settings.count && *alike < largest && seen.insert(key) {
                *alike += 1;
                named += usize::from(describe(&candidate, &mut text));
            }
        }
        tried += ROUND;
        bar.set_position(seen.len() as u64);
    }
    bar.finish_and_clear();
    write_atomic(out, text.as_bytes())
        .map_err(|source| MakeError::Write { path: out.to_path_buf(), source })?;
    Ok(Made { lines: seen.len(), named, tried })
}

fn start(settings: &MakeSettings) -> Result<Engine, MakeError> {
    let mut engine = Engine::start(&settings.teacher, PATIENCE)?;
    if !engine.set_option("MultiPV", &settings.choices.to_string())? {
        return Err(MakeError::NoMultiPv { teacher: engine.name().to_string() });
    }
    engine.ready()?;
    Ok(engine)
}

/// The lines from number `first` on, in order.
fn round(
    settings: &MakeSettings,
    teachers: &[Mutex<Engine>],
    first: usize,
) -> Result<Vec<Option<Candidate>>, MakeError> {
    let share = ROUND.div_ceil(teachers.len());
    let numbers: Vec<usize> = (first..first + ROUND).collect();
    let work: Vec<_> = numbers.chunks(share).zip(teachers).collect();
    let walked: Result<Vec<Vec<_>>, UciError> = std::thread::scope(|scope| {
        let threads: Vec<_> = work
            .into_iter()
            .map(|(numbers, teacher)| scope.spawn(move || walk_all(settings, teacher, numbers)))
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    Ok(walked?.into_iter().flatten().collect())
}

fn walk_all(
    settings: &MakeSettings,
    teacher: &Mutex<Engine>,
    numbers: &[usize],
) -> Result<Vec<Option<Candidate>>, UciError> {
    let mut teacher = teacher.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let seed = |number: usize| settings.seed ^ Random::new(number as u64).next_u64();
    numbers
        .iter()
        .map(|number| walk(&mut teacher, settings, &mut Random::new(seed(*number))))
        .collect()
}

/// Appends the line; whether it has a name.
fn describe(candidate: &Candidate, text: &mut String) -> bool {
    let line = candidate.opening.line();
    let position = line.position();
    let board = Epd::from_position(position, EnPassantMode::Legal);
    let named = name_of(line.line());
    let _ = write!(
        text,
        "{board} hmvc {}; fmvn {}; ce {};",
        position.halfmoves(),
        position.fullmoves(),
        candidate.balance
    );
    if let Some(named) = named {
        let _ = write!(text, " id \"{named}\";");
    }
    let _ = writeln!(text, " c0 \"{}\";", candidate.opening.san());
    named.is_some()
}
