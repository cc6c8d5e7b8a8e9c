//! What the workers share: jobs, the network of the day, the way out.

use super::protocol::{Job, Reply, Totals};
use crate::encode::Encoder;
use crate::eval::EvaluatorSource;
use crate::search::EvalCache;
use crate::tablebase::Tablebases;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A network that games are played with.
pub struct Player {
    /// Counts the networks; keys of the cache depend on it.
    pub number: u64,
    pub network: String,
    pub encoder: Encoder,
    pub source: Arc<dyn EvaluatorSource>,
}

pub struct Host<'a> {
    pub cache: EvalCache,
    pub tablebases: Option<&'a Tablebases>,
    queue: Mutex<Queue>,
    news: Condvar,
    player: Mutex<Arc<Player>>,
    out: Mutex<&'a mut (dyn Write + Send)>,
    /// Nobody reads any more, or the user has had enough.
    aborted: AtomicBool,
    pub counters: Counters,
    started: Instant,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    closed: bool,
}

#[derive(Default)]
pub struct Counters {
    pub games: AtomicU64,
    pub batches: AtomicU64,
    pub evaluations: AtomicU64,
    pub room: AtomicU64,
    pub network_nanoseconds: AtomicU64,
    pub by_thread: Vec<AtomicU64>,
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Host<'a> {
    pub fn new(
        player: Player,
        cache: EvalCache,
        tablebases: Option<&'a Tablebases>,
        threads: usize,
        out: &'a mut (dyn Write + Send),
    ) -> Host<'a> {
        let by_thread = (0..threads).map(|_| AtomicU64::new(0)).collect();
        Host {
            cache,
            tablebases,
            queue: Mutex::default(),
            news: Condvar::new(),
            player: Mutex::new(Arc::new(player)),
            out: Mutex::new(out),
            aborted: AtomicBool::new(false),
            counters: Counters { by_thread, ..Counters::default() },
            started: Instant::now(),
        }
    }

    pub fn add(&self, job: Job) {
        lock(&self.queue).jobs.push_back(job);
        self.news.notify_one();
    }

    /// No more jobs will come.
    pub fn close(&self) {
        lock(&self.queue).closed = true;
        self.news.notify_all();
    }

    pub fn abort(&self) {
        self.aborted.store(true, Relaxed);
        self.close();
    }

    pub fn is_aborted(&self) -> bool {
        self.aborted.load(Relaxed)
    }

    /// The next job. Waits for one only if `idle`; `None` then means the end.
    pub fn take(&self, idle: bool) -> Option<Job> {
        let mut queue = lock(&self.queue);
        loop {
            if self.is_aborted() {
                return None;
            }
            let job = queue.jobs.pop_front();
            if job.is_some() || !idle || queue.closed {
                return job;
            }
            let waited = self.news.wait_timeout(queue, Duration::from_millis(200));
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub fn player(&self) -> Arc<Player> {
        Arc::clone(&lock(&self.player))
    }

    pub fn set_player(&self, player: Player) {
        *lock(&self.player) = Arc::new(player);
    }

    /// Writes a line at once. A reader that is gone ends everything.
    pub fn say(&self, reply: &Reply) {
        let mut line = serde_json::to_vec(reply).unwrap_or_default();
        line.push(b'\n');
        let mut out = lock(&self.out);
        if out.write_all(&line).and_then(|()| out.flush()).is_err() {
            drop(out);
            self.abort();
        }
    }

    pub fn totals(&self) -> Totals {
        let counters = &self.counters;
        let by_thread: Vec<u64> = counters.by_thread.iter().map(|n| n.load(Relaxed)).collect();
        Totals {
            seconds: self.started.elapsed().as_secs_f64(),
            games: counters.games.load(Relaxed),
            batches: counters.batches.load(Relaxed),
            evaluations: counters.evaluations.load(Relaxed),
            room: counters.room.load(Relaxed),
            simulations: by_thread.iter().sum(),
            network_seconds: counters.network_nanoseconds.load(Relaxed) as f64 / 1e9,
            by_thread,
        }
    }
}
