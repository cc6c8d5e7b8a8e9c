//! The engine: owns network, tree and tables, does jobs one after another on a
//! thread of its own, and raises [`Event`]s. It knows nothing of UCI.
//!
//! In: jobs from a [`Handle`]. Out: events to a listener.

mod loaded;
mod network_file;

pub use loaded::Loaded;
pub use network_file::{BUILT_IN, LoadError, open_network};

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use shakmaty::Position;

use crate::chess::{Line, Ply};
use crate::options::Settings;
use crate::search::{Event, Request, Search, Signals, Sink, Totals, wait_for_release};
use crate::tablebase::Tablebases;
use crate::time::Limits;

/// Memory used when the system refuses what `Hash` asks for.
const FALLBACK_HASH_MB: usize = 64;

/// Hears everything the engine has to say.
pub type Listener = Arc<dyn Fn(Event) + Send + Sync>;

enum Job {
    /// Load what the settings ask for, then call back.
    Prepare(Box<Settings>, Box<dyn FnOnce() + Send>),
    Go(Box<Order>),
    NewGame,
    ClearHash,
}

/// One `go`.
pub struct Order {
    pub settings: Settings,
    pub line: Line,
    pub limits: Limits,
    pub started: Instant,
}

/// The way to talk to the engine from another thread.
pub struct Handle {
    jobs: Option<Sender<Job>>,
    signals: Arc<Signals>,
    searching: Arc<Searching>,
    thread: Option<JoinHandle<()>>,
}

/// Whether a `go` waits for its best move.
#[derive(Default)]
struct Searching {
    now: Mutex<bool>,
    changed: Condvar,
}

impl Searching {
    fn get(&self) -> bool {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, value: bool) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = value;
        self.changed.notify_all();
    }

    fn wait_for_end(&self) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        while *now {
            now = self.changed.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Handle {
    pub fn start(listener: Listener) -> Handle {
        let (jobs, inbox) = channel();
        let signals = Arc::new(Signals::default());
        let searching = Arc::new(Searching::default());
        let worker = (Arc::clone(&signals), Arc::clone(&searching));
        let thread = std::thread::spawn(move || serve(&inbox, listener, &worker.0, &worker.1));
        Handle { jobs: Some(jobs), signals, searching, thread: Some(thread) }
    }

    /// From `go` until the best move is out.
    pub fn is_searching(&self) -> bool {
        self.searching.get()
    }

    /// A search that was told to stop is over within a batch: waits for that.
    /// False when a search runs that nobody stopped.
    pub fn wait_if_stopping(&self) -> bool {
        if self.is_searching() && self.signals.is_stopped() {
            self.searching.wait_for_end();
        }
        !self.is_searching()
    }

    /// Calls `ready` once everything the settings ask for is loaded.
    pub fn prepare(&self, settings: Settings, ready: impl FnOnce() + Send + 'static) {
        self.send(Job::Prepare(Box::new(settings), Box::new(ready)));
    }

    pub fn go(&self, order: Order) {
        self.signals.reset();
        self.searching.set(true);
        self.send(Job::Go(Box::new(order)));
    }

    pub fn new_game(&self) {
        self.send(Job::NewGame);
    }

    pub fn clear_hash(&self) {
        self.send(Job::ClearHash);
    }

    pub fn stop(&self) {
        self.signals.stop();
    }

    pub fn ponderhit(&self) {
        self.signals.ponderhit();
    }

    fn send(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // The engine thread outlives the handle's sender, so this succeeds.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for Handle {
    /// Ends a search under way and waits for the thread.
    fn drop(&mut self) {
        self.signals.stop();
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(inbox: &Receiver<Job>, listener: Listener, signals: &Signals, searching: &Arc<Searching>) {
    let mut engine = Engine::new(Arc::clone(&listener));
    for job in inbox {
        match job {
            Job::Prepare(settings, ready) => {
                engine.prepare(&settings);
                ready();
            }
            Job::Go(order) => {
                let searching = Arc::clone(searching);
                let listener = Arc::clone(&listener);
                // The flag falls before the answer is out: a GUI may send its
                // next command the moment it reads the best move.
                let sink = move |event| {
                    if matches!(event, Event::Best { .. }) {
                        searching.set(false);
                    }
                    listener(event);
                };
                engine.go_whatever_happens(&order, signals, &sink);
            }
            Job::NewGame => engine.new_game(),
            Job::ClearHash => engine.clear_hash(),
        }
    }
}

/// What the engine thread owns. Benches and tests use it without the thread.
pub struct Engine {
    listener: Listener,
    search: Option<(usize, Search)>,
    loaded: Option<Loaded>,
    /// Settings whose network failed to load: do not try again on every move.
    failed: Option<Box<(Settings, String)>>,
    tablebases: Option<(String, Tablebases)>,
}

impl Engine {
    pub fn new(listener: Listener) -> Engine {
        Engine { listener, search: None, loaded: None, failed: None, tablebases: None }
    }

    fn note(&self, text: impl Into<String>) {
        (self.listener)(Event::Note(text.into()));
    }

    /// Brings network, threads, memory and tables in line with the settings.
    /// False when there is no network to play with; the reason was reported.
    pub fn prepare(&mut self, settings: &Settings) -> bool {
        self.prepare_memory(settings);
        self.prepare_tablebases(settings);
        self.prepare_network(settings)
    }

    fn prepare_memory(&mut self, settings: &Settings) {
        if self.search.as_ref().is_none_or(|(mb, _)| *mb != settings.hash_mb) {
            // Free the old memory before asking for the new.
            self.search = None;
            let mut search = Search::new(settings.hash_mb);
            if search.is_none() {
                let wanted = settings.hash_mb;
                self.note(format!("Hash: no {wanted} MB to be had, using {FALLBACK_HASH_MB}"));
                search = Search::new(FALLBACK_HASH_MB);
            }
            self.search = search.map(|search| (settings.hash_mb, search));
        }
    }

    fn prepare_tablebases(&mut self, settings: &Settings) {
        let path = &settings.syzygy_path;
        if path.is_empty() {
            self.tablebases = None;
        } else if self.tablebases.as_ref().is_none_or(|(open, _)| open != path) {
            let (tables, problems) = Tablebases::open(path);
            for problem in problems {
                self.note(format!("SyzygyPath: {problem}"));
            }
            let (files, pieces) = (tables.files(), tables.max_pieces());
            self.note(match files {
                0 => format!("SyzygyPath: no tablebase files in {path}"),
                _ => format!("{files} tablebase files, up to {pieces} pieces"),
            });
            self.tablebases = Some((path.clone(), tables));
        }
    }

    fn prepare_network(&mut self, settings: &Settings) -> bool {
        if let Some(loaded) = &mut self.loaded
            && loaded.fits(settings)
        {
            return true;
        }
        if let Some(failed) = &self.failed
            && failed.0 == *settings
        {
            self.note(failed.1.clone());
            return false;
        }
        self.loaded = None;
        self.failed = None;
        let listener = Arc::clone(&self.listener);
        match Loaded::open(settings, &|text| listener(Event::Note(text))) {
            Ok(loaded) => {
                self.loaded = Some(loaded);
                self.clear_hash();
                true
            }
            Err(error) => {
                let message = error.to_string();
                self.note(message.clone());
                self.failed = Some(Box::new((settings.clone(), message)));
                false
            }
        }
    }

    pub fn loaded(&self) -> Option<&Loaded> {
        self.loaded.as_ref()
    }

    pub fn new_game(&mut self) {
        if let Some((_, search)) = &mut self.search {
            search.clear_tree();
        }
    }

    pub fn clear_hash(&mut self) {
        if let Some((_, search)) = &mut self.search {
            search.clear();
        }
    }

    /// Searches, and answers even if the search panics: a GUI must not wait for
    /// ever because of one bug.
    fn go_whatever_happens(&mut self, order: &Order, signals: &Signals, sink: Sink<'_>) {
        let search = AssertUnwindSafe(|| self.go(order, signals, sink));
        if catch_unwind(search).is_err() {
            // Tree and evaluators may be in any state.
            self.search = None;
            self.loaded = None;
            sink(Event::Note("the search failed inside; please report this position".into()));
            let position = &order.line.last().position;
            let best = position.legal_moves().first().copied();
            sink(Event::Best { best, ponder: None, mode: position.castles().mode() });
        }
    }

    /// Searches; the last event is the best move.
    pub fn go(&mut self, order: &Order, signals: &Signals, sink: Sink<'_>) -> Totals {
        let ready = self.prepare(&order.settings);
        let (Some(loaded), Some((_, search)), true) = (&mut self.loaded, &mut self.search, ready)
        else {
            // Something must be answered, but not a move that looks like one.
            wait_for_release(&order.limits, signals);
            let mode = shakmaty::CastlingMode::Standard;
            sink(Event::Best { best: None, ponder: None, mode });
            return Totals::default();
        };
        let params = order.settings.params(loaded.network.as_deref());
        let boards = order.settings.cache_history;
        let cached_for = Some((params.policy_temperature, boards));
        if loaded.cached_for != cached_for {
            loaded.cached_for = cached_for;
            search.clear();
        }
        let encoder = loaded.encoder;
        let key = move |plies: &[Ply]| encoder.cache_key_over(plies, boards);
        let request = Request {
            line: &order.line,
            limits: &order.limits,
            params: &params,
            tablebases: self.tablebases.as_ref().map(|(_, tables)| tables),
            cache_key: &key,
            signals,
            started: order.started,
            overhead: order.settings.overhead,
            multipv: order.settings.multipv,
            verbose: order.settings.verbose,
        };
        search.run(&request, &mut loaded.evaluators, sink)
    }
}
