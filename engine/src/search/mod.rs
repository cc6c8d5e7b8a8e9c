//! Monte-Carlo tree search with a network, in batches and parallel workers.
//!
//! In: a [`Request`] (position, limits, parameters) and one evaluator per
//! worker. Out: [`Event`]s, the last of which is the move to play.

mod arena;
mod backup;
mod budget;
mod cache;
mod choose;
mod expand;
mod frozen;
mod iteration;
mod memory;
mod monitor;
mod node;
mod params;
mod pending;
mod random;
mod recycle;
mod report;
mod root;
mod score;
mod select;
mod shared;
mod signals;
mod slots;
mod tree;
mod worker;

#[cfg(test)]
mod tests;

pub use cache::EvalCache;
pub use expand::{by_rules, by_tablebase, is_repetition, softmax};
pub use params::{Cpuct, Params};
pub use random::Random;
pub use report::{Event, Info, MoveStat, PvLine, ShownScore, wdl_permille};
pub use score::Score;
pub use signals::Signals;
pub use slots::rounded_prior;
pub use worker::IMMEDIATE_LIMIT;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use shakmaty::{Move, Position};

use crate::chess::{Line, Ply};
use crate::eval::{EvalError, Evaluator};
use crate::tablebase::Tablebases;
use crate::time::{Limits, Reserve, plan};
use budget::Budget;
use choose::{choose, ranked_root_moves};
use frozen::Frozen;
use monitor::Monitor;
use pending::Pending;
use report::principal_variation;
use root::RootFacts;
use shared::{Counters, Shared};
use tree::Tree;
use worker::Worker;

/// Receives the events of a search.
pub type Sink<'a> = &'a (dyn Fn(Event) + Sync);

/// The evaluation cache has this part of `Hash`, the tree the rest. An entry
/// takes 128 bytes; a node of a typical tree about 90, since most have no moves.
const CACHE_SHARE: usize = 2;

/// Searches that must end sooner use one worker.
const SHORTEST_TOGETHER: Duration = Duration::from_millis(10);

/// Everything one search needs to know.
pub struct Request<'a> {
    pub line: &'a Line,
    pub limits: &'a Limits,
    pub params: &'a Params,
    pub tablebases: Option<&'a Tablebases>,
    /// What the network sees of a line, as a key.
    pub cache_key: &'a (dyn Fn(&[Ply]) -> u64 + Sync),
    pub signals: &'a Signals,
    /// When `go` arrived.
    pub started: Instant,
    pub overhead: Duration,
    pub multipv: usize,
    /// Report statistics of every root move.
    pub verbose: bool,
}

/// Totals of a finished search, for benches and tests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Visits made by this search.
    pub visits: u64,
    /// Visits the root brought along from earlier searches.
    pub carried: u64,
    pub evaluations: u64,
    pub batches: u64,
    pub cache_hits: u64,
    pub tablebase_hits: u64,
    pub recyclings: u64,
    /// Time all workers together spent waiting for the network.
    pub network_time: Duration,
    pub elapsed: Duration,
}

/// The tree and the cache, kept from move to move.
pub struct Search {
    tree: Tree,
    cache: EvalCache,
    /// Keys of the positions up to the root; empty when the tree is not for reuse.
    root_keys: Vec<u64>,
    /// How late searches react to a deadline.
    reaction: Duration,
}

impl Search {
    /// A search with `hash_mb` megabytes; `None` when the system has not got them.
    pub fn new(hash_mb: usize) -> Option<Search> {
        let bytes = hash_mb << 20;
        Some(Search {
            tree: Tree::new(bytes - bytes / CACHE_SHARE)?,
            cache: EvalCache::new(bytes / CACHE_SHARE)?,
            root_keys: Vec::new(),
            reaction: Duration::from_millis(5),
        })
    }

    /// Forgets the tree; evaluations stay.
    pub fn clear_tree(&mut self) {
        self.tree.reset();
        self.root_keys.clear();
    }

    /// Forgets everything, as after a change of network.
    pub fn clear(&mut self) {
        self.clear_tree();
        self.cache.clear();
    }

    /// Searches and reports. Exactly one [`Event::Best`] comes, last of all.
    pub fn run(
        &mut self,
        request: &Request<'_>,
        evaluators: &mut [Box<dyn Evaluator>],
        sink: Sink<'_>,
    ) -> Totals {
        let position = &request.line.last().position;
        if position.legal_moves().is_empty() {
            sink(Event::Info(report::game_over(position, request.started.elapsed())));
            wait_for_release(request.limits, request.signals);
            sink(Event::Best { best: None, ponder: None, mode: position.castles().mode() });
            return Totals::default();
        }
        self.cache.new_generation();
        let facts = match self.prepare_root(request, evaluators) {
            Ok(facts) => facts,
            Err(error) => {
                sink(Event::Note(format!("the network failed: {error}; playing without thought")));
                self.clear_tree();
                wait_for_release(request.limits, request.signals);
                let fallback = position.legal_moves().first().copied();
                sink(Event::Best { best: fallback, ponder: None, mode: position.castles().mode() });
                return Totals::default();
            }
        };
        self.think(request, evaluators, sink, &facts)
    }

    fn think(
        &mut self,
        request: &Request<'_>,
        evaluators: &mut [Box<dyn Evaluator>],
        sink: Sink<'_>,
        facts: &RootFacts,
    ) -> Totals {
        let begin = Instant::now();
        let white = request.line.last().turn().is_white();
        let reserve = Reserve { overhead: request.overhead, reaction: self.reaction };
        let plan = plan(request.limits, white, reserve);
        // In so short a time helpers bring little, and waiting for them to
        // wake and to end on a busy machine can cost the game.
        let open_end = request.limits.ponder || request.limits.infinite;
        let alone = !open_end && plan.is_some_and(|plan| plan.hard < SHORTEST_TOGETHER);
        let workers = if alone { evaluators.len().min(1) } else { evaluators.len() };
        let evaluators = &mut evaluators[..workers];
        let batch = evaluators.iter().map(|e| e.capacity()).max().unwrap_or(1);
        let shared = Shared {
            tree: &self.tree,
            cache: &self.cache,
            params: request.params,
            tablebases: request.tablebases,
            cache_key: request.cache_key,
            halted: AtomicBool::new(false),
            signals: request.signals,
            epoch: request.started,
            deadline: AtomicU64::new(u64::MAX),
            frozen: Frozen::default(),
            pending: Pending::new(evaluators.len(), batch),
            budget: Budget::new(self.visit_budget(request.limits)),
            root_draw_value: AtomicU32::new(0),
            counters: Counters::default(),
        };
        shared.counters.tablebase_hits.store(facts.probes as u64, Relaxed);
        let mut monitor = Monitor::new(request, &shared, plan, facts.result, sink);
        let outcome = run_workers(&shared, request, evaluators, &mut monitor);
        if let Err(error) = &outcome {
            sink(Event::Note(format!("the network failed: {error}")));
        }
        // Time that went before the search began (into loading, say) is not its lag.
        let late = shared.lateness().min(begin.elapsed());
        monitor.report(Instant::now());
        wait_for_release(request.limits, request.signals);
        let totals = shared.counters.totals(facts.carried, request.started.elapsed());
        let slowest = Duration::from_micros(shared.counters.slowest_batch.load(Relaxed));
        // One slow batch is remembered for a few moves: better a little early
        // often than late once.
        self.reaction = self.reaction.mul_f32(0.6).max(slowest).max(late);
        sink(Event::Totals(totals));
        self.announce(request, sink);
        if outcome.is_err() {
            // A worker that broke off may have left its marks in the tree.
            self.clear_tree();
        }
        totals
    }

    /// `nodes` counts the visits that the root brought along.
    fn visit_budget(&self, limits: &Limits) -> u64 {
        let carried = u64::from(self.tree.root().visits());
        limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(carried))
    }

    fn announce(&self, request: &Request<'_>, sink: Sink<'_>) {
        let position = &request.line.last().position;
        let moves = ranked_root_moves(&self.tree);
        let mut random = Random::new(request.params.seed ^ request.line.last().key);
        let moves_before = position.fullmoves().get() - 1;
        let ply = moves_before.saturating_mul(2).saturating_add(position.turn().is_black().into());
        let chosen = moves.get(choose(&moves, request.params, ply, &mut random));
        let pv: Vec<Move> =
            chosen.map_or_else(Vec::new, |m| principal_variation(&self.tree, request.line, m));
        let best = pv.first().copied().or_else(|| self.highest_prior(position));
        sink(Event::Best { best, ponder: pv.get(1).copied(), mode: position.castles().mode() });
    }

    /// For searches that were stopped before any move had a visit.
    fn highest_prior(&self, position: &shakmaty::Chess) -> Option<Move> {
        let root = self.tree.root();
        let edge = root.unvisited(&self.tree.arena).next();
        edge.map(|edge| edge.packed_move().unpack(position))
            .or_else(|| position.legal_moves().first().copied())
    }
}

/// `infinite` and `ponder` searches keep their answer until they are asked.
pub fn wait_for_release(limits: &Limits, signals: &Signals) {
    if limits.is_unbounded() && !limits.ponder {
        signals.wait(false);
    } else if limits.ponder {
        signals.wait(!limits.infinite);
    }
}

/// The calling thread is the main worker; the others run beside it.
fn run_workers(
    shared: &Shared<'_>,
    request: &Request<'_>,
    evaluators: &mut [Box<dyn Evaluator>],
    monitor: &mut Monitor<'_>,
) -> Result<(), EvalError> {
    let Some((main, helpers)) = evaluators.split_first_mut() else {
        return Err(EvalError("no evaluator".into()));
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = helpers
            .iter_mut()
            .enumerate()
            .map(|(i, evaluator)| {
                let line = request.line.clone();
                scope.spawn(move || Worker::new(i + 1, shared, evaluator.as_mut(), line).run(|| {}))
            })
            .collect();
        // Whatever ends the main worker, a panic included, ends the others.
        let _halt = HaltOnDrop(shared);
        let mut worker = Worker::new(0, shared, main.as_mut(), request.line.clone());
        let mut result = worker.run(|| monitor.look_up());
        // The main worker ends first only if there is nothing left to do.
        shared.halt();
        for helper in helpers {
            let joined = helper.join();
            let outcome = joined.unwrap_or_else(|_| Err(EvalError("a worker panicked".into())));
            result = result.and(outcome);
        }
        result
    })
}

struct HaltOnDrop<'a>(&'a Shared<'a>);

impl Drop for HaltOnDrop<'_> {
    fn drop(&mut self) {
        self.0.halt();
    }
}
