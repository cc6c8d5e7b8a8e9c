//! The engine: owns network, tree and tables, does jobs one after another on a
//! thread of its own, and raises [`Event`]s. It knows nothing of UCI.
//!
//! In: jobs from a [`Handle`]. Out: events to a listener.

mod loaded;
mod network_file;

pub use loaded::Loaded;
pub use network_file::{LoadError, default_file, open_network};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::chess::{Line, Ply};
use crate::options::Settings;
use crate::search::{Event, Request, Search, Signals, Totals};
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
    searching: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Handle {
    pub fn start(listener: Listener) -> Handle {
        let (jobs, inbox) = channel();
        let signals = Arc::new(Signals::default());
        let searching = Arc::new(AtomicBool::new(false));
        let worker = (Arc::clone(&signals), Arc::clone(&searching));
        let thread = std::thread::spawn(move || serve(&inbox, listener, &worker.0, &worker.1));
        Handle { jobs: Some(jobs), signals, searching, thread: Some(thread) }
    }

    /// From `go` until the best move is out.
    pub fn is_searching(&self) -> bool {
        self.searching.load(SeqCst)
    }

    /// Calls `ready` once everything the settings ask for is loaded.
    pub fn prepare(&self, settings: Settings, ready: impl FnOnce() + Send + 'static) {
        self.send(Job::Prepare(Box::new(settings), Box::new(ready)));
    }

    pub fn go(&self, order: Order) {
        self.signals.reset();
        self.searching.store(true, SeqCst);
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

fn serve(
    inbox: &Receiver<Job>,
    listener: Listener,
    signals: &Signals,
    searching: &Arc<AtomicBool>,
) {
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
                engine.go(&order, signals, &move |event| {
                    if matches!(event, Event::Best { .. }) {
                        searching.store(false, SeqCst);
                    }
                    listener(event);
                });
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

    /// Searches; the last event is the best move.
    pub fn go(
        &mut self,
        order: &Order,
        signals: &Signals,
        sink: &(dyn Fn(Event) + Sync),
    ) -> Totals {
        let ready = self.prepare(&order.settings);
        let (Some(loaded), Some((_, search)), true) = (&mut self.loaded, &mut self.search, ready)
        else {
            // Something must be answered, but not a move that looks like one.
            let mode = shakmaty::CastlingMode::Standard;
            sink(Event::Best { best: None, ponder: None, mode });
            return Totals::default();
        };
        let params = order.settings.params(loaded.network.as_deref());
        if loaded.policy_temperature.replace(params.policy_temperature)
            != Some(params.policy_temperature)
        {
            // Cached priors have the old temperature in them.
            search.clear();
        }
        let encoder = loaded.encoder;
        let key = move |plies: &[Ply]| encoder.cache_key(plies);
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
