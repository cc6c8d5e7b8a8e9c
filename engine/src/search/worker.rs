//! A worker: gathers leaves into a batch, asks the network, books the answers.
//!
//! One iteration is `Worker::iterate`, in `iteration`. Positions that need no
//! network are booked at once and take no place in the batch.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::arena::{CellPool, Purpose};
use super::backup;
use super::cache::Inserted;
use super::expand;
use super::random::Random;
use super::recycle::recycle;
use super::shared::Shared;
use super::slots::{Edge, MOST_CELLS};
use crate::chess::{Line, PackedMove};
use crate::eval::{Answers, EvalError, Evaluator, Value};

/// Share of the arena that one recycling aims to reclaim.
const RECYCLE_SHARE: f32 = 0.25;

/// Visits that a worker with a quick network makes before it looks up at clock,
/// limits and totals, which it shares with other workers. To look up after each
/// of them, and to walk down from the root anew, cost a tenth to a quarter of
/// the speed of two threads.
const STRIDE: usize = 16;

/// Leaves booked without the network before a worker looks at the stop flag.
pub const IMMEDIATE_LIMIT: usize = 64;

/// A leaf that waits for its answer.
pub(super) struct Leaf {
    pub path: Range<usize>,
    /// Which answer of the batch is its own; twins share one.
    pub answer: usize,
    /// What its fifty-move clock leaves of a value.
    pub fresh: f32,
}

/// A position in the batch.
pub(super) struct Asked {
    pub key: u64,
    pub moves: Range<usize>,
}

/// Where an iteration ended.
pub(super) enum Arrival {
    /// Booked; took no place in the batch.
    Booked,
    Queued,
    /// Someone else is on that leaf.
    Collision,
    /// No memory for another node.
    Full,
}

pub struct Worker<'a> {
    pub(super) number: usize,
    pub(super) shared: &'a Shared<'a>,
    pub(super) evaluator: &'a mut dyn Evaluator,
    pub(super) batch: usize,
    /// Visits after which it looks up, once the batch under way is done.
    stride: usize,
    /// The game up to the root, then the path to the current node.
    pub(super) line: Line,
    pub(super) root_len: usize,
    pub(super) path: Vec<u32>,
    pub(super) pool: CellPool,
    pub(super) leaves: Vec<Leaf>,
    pub(super) asked: Vec<Asked>,
    /// Paths and moves of the leaves, end to end.
    pub(super) paths: Vec<u32>,
    pub(super) moves: Vec<PackedMove>,
    pub(super) collisions: Vec<Range<usize>>,
    pub(super) priors: Vec<f32>,
    pub(super) edges: Vec<Edge>,
    pub(super) answers: Answers,
    pub(super) random: Random,
    pub(super) tally: Tally,
}

/// What a worker did since it last told the others.
#[derive(Default)]
pub(super) struct Tally {
    pub visits: u64,
    pub depth_sum: u64,
    pub deepest: u32,
    pub cache_hits: u64,
    batches: u64,
    evaluations: u64,
    network_time: Duration,
    slowest_batch: Duration,
}

impl<'a> Worker<'a> {
    pub fn new(
        number: usize,
        shared: &'a Shared<'a>,
        evaluator: &'a mut dyn Evaluator,
        line: Line,
    ) -> Worker<'a> {
        Worker {
            number,
            batch: evaluator.capacity().max(1),
            stride: if evaluator.is_quick() { STRIDE } else { 1 },
            shared,
            evaluator,
            root_len: line.len(),
            line,
            path: Vec::new(),
            pool: CellPool::default(),
            leaves: Vec::new(),
            asked: Vec::new(),
            paths: Vec::new(),
            moves: Vec::new(),
            collisions: Vec::new(),
            priors: Vec::new(),
            edges: Vec::new(),
            answers: Answers::default(),
            random: Random::new(shared.params.seed ^ (number as u64) << 32),
            tally: Tally::default(),
        }
    }

    /// Works until the stop flag is up, the budget spent or the root proven.
    /// `look_up` runs in between and may raise the flag.
    pub fn run(&mut self, mut look_up: impl FnMut()) -> Result<(), EvalError> {
        let result = loop {
            if self.shared.is_over() || self.shared.tree.root().score().is_proven() {
                break Ok(());
            }
            let granted = self.shared.budget.take(self.batch.max(self.stride) + IMMEDIATE_LIMIT);
            if granted == 0 {
                if self.shared.budget.is_spent() {
                    break Ok(());
                }
                // Another worker may give some of its share back.
                std::thread::yield_now();
                continue;
            }
            let outcome = self.make_visits(granted);
            look_up();
            if let Err(error) = outcome {
                break Err(error);
            }
        };
        self.pool.release(&self.shared.tree.arena);
        result
    }

    /// One batch, or as many as make a stride.
    fn make_visits(&mut self, granted: usize) -> Result<(), EvalError> {
        let walking = self.shared.tree.walk();
        // Cells may have changed hands since the last walk.
        self.path.clear();
        let mut used = 0;
        let (outcome, full) = loop {
            let (started, full) = self.gather(granted - used);
            used += started;
            let outcome = self.evaluate();
            self.settle(outcome.is_ok());
            let enough = started == 0 || used == granted || used >= self.stride;
            if enough || full || outcome.is_err() || self.shared.tree.root().score().is_proven() {
                break (outcome, full);
            }
        };
        drop(walking);
        self.shared.budget.settle(granted, used);
        self.publish_tally();
        if full && used == 0 {
            self.make_room();
        }
        outcome
    }

    /// Fills the batch; says how many visits were started and whether memory
    /// ran out.
    fn gather(&mut self, granted: usize) -> (usize, bool) {
        let collision_limit = self.batch.max(4);
        let (mut used, mut booked) = (0, 0);
        while used < granted && self.asked.len() < self.batch && booked < IMMEDIATE_LIMIT {
            match self.iterate() {
                Arrival::Queued => used += 1,
                Arrival::Booked => {
                    used += 1;
                    booked += 1;
                    if self.shared.tree.root().score().is_proven() {
                        break;
                    }
                }
                Arrival::Collision if self.collisions.len() < collision_limit => {}
                Arrival::Collision => break,
                Arrival::Full => return (used, true),
            }
        }
        (used, false)
    }

    fn evaluate(&mut self) -> Result<(), EvalError> {
        self.answers.clear();
        if self.asked.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        self.evaluator.run(&mut self.answers)?;
        let took = start.elapsed();
        let tally = &mut self.tally;
        tally.network_time += took;
        tally.slowest_batch = tally.slowest_batch.max(took);
        tally.batches += 1;
        tally.evaluations += self.asked.len() as u64;
        if self.answers.len() == self.asked.len() {
            return Ok(());
        }
        let (asked, got) = (self.asked.len(), self.answers.len());
        Err(EvalError(format!("the network answered {got} of {asked} positions")))
    }

    /// Books all leaves of the batch and takes back the collisions.
    fn settle(&mut self, answered: bool) {
        let arena = &self.shared.tree.arena;
        let mut paths = std::mem::take(&mut self.paths);
        let mut leaves = std::mem::take(&mut self.leaves);
        for leaf in leaves.drain(..) {
            let path = &paths[leaf.path];
            if answered {
                let value = self.expand_answered(path, leaf.answer);
                let (q, draw) = value.faded(leaf.fresh);
                backup::book(arena, path, -q, draw);
                self.count(path.len());
            } else {
                backup::undo(arena, path);
            }
        }
        for collision in self.collisions.drain(..) {
            backup::undo(arena, &paths[collision]);
        }
        self.shared.pending.withdraw(self.number, self.asked.len());
        paths.clear();
        (self.paths, self.leaves) = (paths, leaves);
        self.asked.clear();
        self.moves.clear();
    }

    /// Stores the answer in the cache; a leaf that was here before gets its moves.
    fn expand_answered(&mut self, path: &[u32], answer: usize) -> Value {
        let (value, logits) = self.answers.get(answer);
        self.priors.clear();
        self.priors.extend_from_slice(logits);
        expand::softmax(&mut self.priors, self.shared.params.policy_temperature);
        let Asked { key, moves } = &self.asked[answer];
        let Inserted { value, stored } = self.shared.cache.insert(*key, value, &self.priors);
        let leaf = self.shared.tree.node(path[path.len() - 1]);
        // A first visit leaves the priors to the cache; see `unfold`.
        if (leaf.visits() > 0 || !stored) && !leaf.is_expanded() {
            expand::attach_moves(
                &self.shared.tree.arena,
                &mut self.pool,
                leaf,
                self.moves[moves.clone()].iter().copied(),
                &self.priors,
                &mut self.edges,
            );
        }
        value
    }

    fn publish_tally(&mut self) {
        let tally = std::mem::take(&mut self.tally);
        let counters = &self.shared.counters;
        counters.visits.fetch_add(tally.visits, Relaxed);
        counters.depth_sum.fetch_add(tally.depth_sum, Relaxed);
        counters.deepest.fetch_max(tally.deepest, Relaxed);
        counters.cache_hits.fetch_add(tally.cache_hits, Relaxed);
        counters.batches.fetch_add(tally.batches, Relaxed);
        counters.evaluations.fetch_add(tally.evaluations, Relaxed);
        counters.network_time.fetch_add(tally.network_time.as_nanos() as u64, Relaxed);
        counters.slowest_batch.fetch_max(tally.slowest_batch.as_micros() as u64, Relaxed);
    }

    /// Cells for one more leaf and its moves.
    pub(super) fn has_room(&mut self) -> bool {
        let arena = &self.shared.tree.arena;
        self.pool.ensure(arena, Purpose::Node, 1)
            && self.pool.ensure(arena, Purpose::Moves, MOST_CELLS)
    }

    fn make_room(&mut self) {
        let tree = self.shared.tree;
        // What this worker hoards may be all that is left.
        self.pool.release(&tree.arena);
        let _held = tree.hold();
        // Another worker may have made room while this one waited.
        if !self.has_room() {
            recycle(tree, RECYCLE_SHARE, || self.shared.is_over());
            self.shared.frozen.clear();
            self.shared.counters.recyclings.fetch_add(1, Relaxed);
        }
    }
}
