//! `engine leaves`: positions in, and positions out that a search of them asks
//! the network about.
//!
//! A network that has learned from games is poor at what its own search looks at
//! most: moves that only seem to be good, and what refutes them. Labeled by a
//! teacher (`trainer label`), these positions show a network its mistakes.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use shakmaty::{EnPassantMode, Move, fen::Fen};

use crate::chess::{Line, Ply, parse_fen};
use crate::encode::Encoder;
use crate::engine::Loaded;
use crate::eval::{Answers, EvalError, Evaluator, EvaluatorSource};
use crate::options::Settings;
use crate::search::{Params, Random, Request, Search, Signals};
use crate::time::Limits;

/// Positions evaluated at once.
const BATCH: usize = 8;

#[derive(Clone, Copy, Debug)]
pub struct Leaves {
    /// Visits of each search.
    pub nodes: u64,
    /// One of so many evaluated positions is taken, at random.
    pub every: usize,
}

/// Searches the position of each line, a FEN that may be followed by a semicolon
/// and more, and writes the FENs that were taken. What is taken for a position
/// depends on nothing but that, the settings and the network; with several
/// threads the positions take turns in any order. Lines that are no FEN are
/// named on standard error and passed over.
pub fn leaves(
    settings: &Settings,
    leaves: Leaves,
    input: impl BufRead + Send,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    let loaded = Loaded::open(settings, &|text| eprintln!("{text}")).map_err(io::Error::other)?;
    let job = Job {
        settings,
        leaves,
        params: settings.params(loaded.network.as_deref()),
        encoder: loaded.encoder,
        source: loaded.source,
    };
    let lines = Mutex::new(input.lines().enumerate());
    let out = Mutex::new(out);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..settings.threads_or_cores())
            .map(|_| scope.spawn(|| job.work(&lines, &out)))
            .collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(io::Error::other("a worker panicked")))
        })
    })
}

/// What all workers know.
struct Job<'a> {
    settings: &'a Settings,
    leaves: Leaves,
    params: Params,
    encoder: Encoder,
    source: Arc<dyn EvaluatorSource>,
}

type Numbered<I> = std::iter::Enumerate<io::Lines<I>>;

impl Job<'_> {
    fn work(
        &self,
        lines: &Mutex<Numbered<impl BufRead>>,
        out: &Mutex<&mut (dyn Write + Send)>,
    ) -> io::Result<()> {
        let memory = self.settings.hash_mb;
        let mut search = Search::new(memory)
            .ok_or_else(|| io::Error::other(format!("Hash: no {memory} MB to be had")))?;
        let taken = Arc::new(Mutex::new(Taken::default()));
        let mut evaluators: Vec<Box<dyn Evaluator>> = vec![Box::new(Watched {
            inner: self.source.create(BATCH).map_err(io::Error::other)?,
            every: self.leaves.every.max(1),
            taken: Arc::clone(&taken),
        })];
        loop {
            let Some((number, text)) = lock(lines).next() else { return Ok(()) };
            let text = text?;
            let text = text.split(';').next().unwrap_or_default().trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let line = match parse_fen(text, self.settings.chess960) {
                Ok(position) => Line::new(position),
                Err(error) => {
                    eprintln!("line {}: {text}: {error}", number + 1);
                    continue;
                }
            };
            lock(&taken).random = Random::new(self.settings.seed() ^ line.last().key);
            self.search(&mut search, &line, &mut evaluators);
            let mut out = lock(out);
            for fen in lock(&taken).fens.drain(..) {
                writeln!(out, "{fen}")?;
            }
        }
    }

    fn search(&self, search: &mut Search, line: &Line, evaluators: &mut [Box<dyn Evaluator>]) {
        let boards = self.settings.cache_history;
        // Nothing is to depend on the positions before.
        search.clear();
        search.run(
            &Request {
                line,
                limits: &Limits { nodes: Some(self.leaves.nodes), ..Limits::default() },
                params: &self.params,
                tablebases: None,
                cache_key: &|plies: &[Ply]| self.encoder.cache_key_over(plies, boards),
                signals: &Signals::default(),
                started: Instant::now(),
                overhead: Duration::ZERO,
                multipv: 1,
                verbose: false,
            },
            evaluators,
            &|_| {},
        );
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Taken {
    random: Random,
    fens: Vec<Fen>,
}

impl Default for Taken {
    fn default() -> Taken {
        Taken { random: Random::new(0), fens: Vec::new() }
    }
}

/// An evaluator that takes note of some of the positions it is asked about.
struct Watched {
    inner: Box<dyn Evaluator>,
    every: usize,
    taken: Arc<Mutex<Taken>>,
}

impl Evaluator for Watched {
    fn capacity(&self) -> usize {
        self.inner.capacity()
    }

    fn push(&mut self, plies: &[Ply], moves: &[Move]) {
        let mut taken = lock(&self.taken);
        if let Some(ply) = plies.last()
            && taken.random.below(self.every) == 0
        {
            taken.fens.push(Fen::from_position(&ply.position, EnPassantMode::Legal));
        }
        drop(taken);
        self.inner.push(plies, moves);
    }

    fn run(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        self.inner.run(answers)
    }

    fn is_quick(&self) -> bool {
        self.inner.is_quick()
    }
}
