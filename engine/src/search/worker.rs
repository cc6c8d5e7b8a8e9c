//! A worker: gathers leaves into a batch, asks the network, books the answers.
//!
//! One iteration is [`Worker::iterate`]. Positions that need no network are
//! booked at once and take no place in the batch.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use shakmaty::MoveList;

use super::arena::{CellPool, Purpose};
use super::backup;
use super::budget::Budget;
use super::expand::{self, Settled};
use super::frozen::Frozen;
use super::params::Params;
use super::pending::Pending;
use super::random::Random;
use super::recycle::recycle;
use super::score::Score;
use super::select::{self, Pick, Place};
use super::slots::{Edge, MOST_CELLS, Slot};
use super::tree::Tree;
use super::{Signals, Totals, cache::EvalCache, node::Node};
use crate::chess::{Line, PackedMove, Ply};
use crate::eval::{Answers, EvalError, Evaluator, Value};
use crate::tablebase::Tablebases;

/// Share of the arena that one recycling aims to reclaim.
const RECYCLE_SHARE: f32 = 0.25;

/// Leaves booked without the network before a worker looks at the stop flag.
const IMMEDIATE_LIMIT: usize = 64;

/// What all workers of one search share.
pub struct Shared<'a> {
    pub tree: &'a Tree,
    pub cache: &'a EvalCache,
    pub params: &'a Params,
    pub tablebases: Option<&'a Tablebases>,
    pub cache_key: &'a (dyn Fn(&[Ply]) -> u64 + Sync),
    pub signals: &'a Signals,
    pub halted: AtomicBool,
    /// Times are counted from here.
    pub epoch: Instant,
    /// Microseconds after `epoch` at which every worker stops.
    pub deadline: AtomicU64,
    pub frozen: Frozen,
    pub pending: Pending,
    pub budget: Budget,
    /// Worth of a draw for the side to move at the root (bits of an `f32`).
    pub root_draw_value: AtomicU32,
    pub counters: Counters,
}

impl Shared<'_> {
    pub fn halt(&self) {
        self.halted.store(true, Relaxed);
    }

    pub fn set_deadline(&self, end: Instant) {
        let micros = end.saturating_duration_since(self.epoch).as_micros() as u64;
        self.deadline.store(micros, Relaxed);
    }

    /// How far past the deadline it is now.
    pub fn lateness(&self) -> Duration {
        let deadline = Duration::from_micros(self.deadline.load(Relaxed));
        self.epoch.elapsed().saturating_sub(deadline)
    }

    pub fn is_over(&self) -> bool {
        self.halted.load(Relaxed)
            || self.signals.is_stopped()
            || self.epoch.elapsed().as_micros() as u64 >= self.deadline.load(Relaxed)
    }
}

/// Totals of one search.
#[derive(Default)]
pub struct Counters {
    pub visits: AtomicU64,
    pub depth_sum: AtomicU64,
    pub deepest: AtomicU32,
    pub tablebase_hits: AtomicU64,
    pub cache_hits: AtomicU64,
    pub evaluations: AtomicU64,
    pub batches: AtomicU64,
    /// Nanoseconds all workers spent waiting for the network.
    pub network_time: AtomicU64,
    /// The longest batch so far, in microseconds.
    pub slowest_batch: AtomicU64,
    pub recyclings: AtomicU64,
}

impl Counters {
    pub fn totals(&self, carried: u64, elapsed: Duration) -> Totals {
        Totals {
            visits: self.visits.load(Relaxed),
            carried,
            evaluations: self.evaluations.load(Relaxed),
            batches: self.batches.load(Relaxed),
            cache_hits: self.cache_hits.load(Relaxed),
            tablebase_hits: self.tablebase_hits.load(Relaxed),
            recyclings: self.recyclings.load(Relaxed),
            network_time: Duration::from_nanos(self.network_time.load(Relaxed)),
            elapsed,
        }
    }
}

/// A leaf that waits for its answer.
struct Leaf {
    path: std::ops::Range<usize>,
    /// Which answer of the batch is its own; twins share one.
    answer: usize,
}

/// A position in the batch.
struct Asked {
    key: u64,
    moves: std::ops::Range<usize>,
}

enum Arrival {
    /// Booked; took no place in the batch.
    Booked,
    Queued,
    /// Someone else is on that leaf.
    Collision,
    /// No memory for another node.
    Full,
}

pub struct Worker<'a> {
    number: usize,
    shared: &'a Shared<'a>,
    evaluator: &'a mut dyn Evaluator,
    batch: usize,
    /// The game up to the root, then the path to the current node.
    line: Line,
    root_len: usize,
    path: Vec<u32>,
    pool: CellPool,
    leaves: Vec<Leaf>,
    asked: Vec<Asked>,
    /// Paths and moves of the leaves, end to end.
    paths: Vec<u32>,
    moves: Vec<PackedMove>,
    collisions: Vec<std::ops::Range<usize>>,
    priors: Vec<f32>,
    edges: Vec<Edge>,
    answers: Answers,
    random: Random,
    depth_sum: u64,
    deepest: u32,
    finished: u64,
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
            depth_sum: 0,
            deepest: 0,
            finished: 0,
        }
    }

    /// Works until the stop flag is up, the budget spent or the root proven.
    /// `after_batch` runs in between and may raise the flag.
    pub fn run(&mut self, mut after_batch: impl FnMut()) -> Result<(), EvalError> {
        let result = loop {
            if self.shared.is_over() || self.shared.tree.root().score().is_proven() {
                break Ok(());
            }
            let granted = self.shared.budget.take(self.batch + IMMEDIATE_LIMIT);
            if granted == 0 {
                if self.shared.budget.is_spent() {
                    break Ok(());
                }
                // Another worker may give some of its share back.
                std::thread::yield_now();
                continue;
            }
            let outcome = self.one_batch(granted);
            after_batch();
            if let Err(error) = outcome {
                break Err(error);
            }
        };
        self.pool.release(&self.shared.tree.arena);
        result
    }

    fn one_batch(&mut self, granted: usize) -> Result<(), EvalError> {
        let (used, full) = self.gather(granted);
        self.shared.budget.settle(granted, used);
        let outcome = self.evaluate();
        self.settle(outcome.is_ok());
        self.publish_counters();
        if full && used == 0 {
            self.make_room();
        }
        outcome
    }

    /// Fills the batch; says how many visits were started and whether memory
    /// ran out.
    fn gather(&mut self, granted: usize) -> (usize, bool) {
        let _walking = self.shared.tree.walk();
        // Cells may have changed hands since the last walk.
        self.path.clear();
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

    /// One iteration: walk down to a leaf, see what it is, book or queue it.
    fn iterate(&mut self) -> Arrival {
        if !self.has_room() {
            return Arrival::Full;
        }
        let others = self.descend();
        let depth = self.path.len() - 1;
        let leaf = self.shared.tree.node(self.path[depth]);

        if leaf.score().is_proven() {
            return self.book(leaf.score().q(), leaf.draw());
        }
        if depth > 0 && expand::is_repetition(&self.line, depth) {
            return self.book_settled(Settled::Repetition);
        }
        if others > 0 || leaf.is_expanded() {
            return self.collide();
        }
        let key = (self.shared.cache_key)(self.line.plies());
        self.shared.cache.prefetch(key);
        let moves = self.line.legal_moves();
        if let Some(settled) = self.settle_without_network(&moves) {
            return self.book_settled(settled);
        }
        if let Some(value) = self.recall(key, &moves) {
            return self.book(-value.q(), value.draw);
        }
        self.enqueue(key, &moves)
    }

    /// Follows PUCT from the root to a leaf, marking the way. Returns how many
    /// visits were on the leaf already.
    fn descend(&mut self) -> u32 {
        let shared = self.shared;
        let arena = &shared.tree.arena;
        let mut index = shared.tree.root_index();
        let mut depth = 0;
        loop {
            self.step_to(depth, index);
            let node = Node::at(arena, index);
            let others = node.enter();
            if !node.is_expanded() || node.score().is_proven() {
                self.path.truncate(depth + 1);
                self.line.truncate(self.root_len + depth);
                return others;
            }
            index = match self.pick(node, index, depth) {
                Pick::Child(child) => child,
                Pick::New(slot, edge) => match self.create_child(slot, edge) {
                    Some(child) => child,
                    None => {
                        // Another worker took this move; look again.
                        node.leave();
                        continue;
                    }
                },
                Pick::Nothing => {
                    self.path.truncate(depth + 1);
                    self.line.truncate(self.root_len + depth);
                    return others;
                }
            };
            depth += 1;
        }
    }

    /// Brings the line to `index` at `depth`. Successive walks share most of
    /// their way, so positions already on the line are kept.
    fn step_to(&mut self, depth: usize, index: u32) {
        if self.path.get(depth) == Some(&index) {
            return;
        }
        self.path.truncate(depth);
        self.path.push(index);
        if depth > 0 {
            self.line.truncate(self.root_len + depth - 1);
            let m = self.shared.tree.node(index).played().unpack(&self.line.last().position);
            self.line.push(m);
        } else {
            self.line.truncate(self.root_len);
        }
    }

    fn pick(&mut self, node: Node<'a>, index: u32, depth: usize) -> Pick<'a> {
        let params = self.shared.params;
        let freeze = params.contempt_freeze;
        if freeze > 0 && depth % 2 == 1 && node.visits() >= freeze {
            let arena = &self.shared.tree.arena;
            if let Some(child) = self.shared.frozen.sample(arena, index, &mut self.random) {
                return Pick::Child(child);
            }
        }
        let at_root = f32::from_bits(self.shared.root_draw_value.load(Relaxed));
        let place = Place {
            is_root: depth == 0,
            draw_value: if depth % 2 == 0 { at_root } else { -at_root },
        };
        select::pick(&self.shared.tree.arena, node, params, place)
    }

    fn create_child(&mut self, slot: Slot<'_>, edge: Edge) -> Option<u32> {
        let arena = &self.shared.tree.arena;
        let index = self.pool.take(arena, Purpose::Node)?;
        Node::at(arena, index).set_edge(edge);
        if slot.fill(edge, index) {
            return Some(index);
        }
        self.pool.give_back(Purpose::Node, index);
        None
    }

    fn settle_without_network(&self, moves: &MoveList) -> Option<Settled> {
        let position = &self.line.last().position;
        if let Some(score) = expand::by_rules(position, !moves.is_empty()) {
            return Some(Settled::Proven(score));
        }
        let score = expand::by_tablebase(self.shared.tablebases?, position)?;
        self.shared.counters.tablebase_hits.fetch_add(1, Relaxed);
        Some(Settled::Proven(score))
    }

    fn book_settled(&mut self, settled: Settled) -> Arrival {
        let score = match settled {
            Settled::Repetition => Score::Draw,
            Settled::Proven(score) => {
                backup::prove(&self.shared.tree.arena, &self.path, score);
                score
            }
        };
        let draw = if score == Score::Draw { 1.0 } else { 0.0 };
        self.book(score.q(), draw)
    }

    fn book(&mut self, q: f32, draw: f32) -> Arrival {
        backup::book(&self.shared.tree.arena, &self.path, q, draw);
        self.count(self.path.len());
        Arrival::Booked
    }

    fn count(&mut self, path_len: usize) {
        self.finished += 1;
        self.depth_sum += path_len as u64 - 1;
        self.deepest = self.deepest.max(path_len as u32 - 1);
    }

    fn collide(&mut self) -> Arrival {
        let start = self.paths.len();
        self.paths.extend(&self.path);
        self.collisions.push(start..self.paths.len());
        Arrival::Collision
    }

    /// Expands the leaf from the cache, if it knows the position.
    fn recall(&mut self, key: u64, moves: &MoveList) -> Option<Value> {
        self.priors.clear();
        self.priors.resize(moves.len(), 0.0);
        let value = self.shared.cache.get(key, &mut self.priors)?;
        let leaf = self.shared.tree.node(*self.path.last()?);
        expand::attach_moves(
            &self.shared.tree.arena,
            &mut self.pool,
            leaf,
            moves.iter().map(|m| PackedMove::new(*m)),
            &self.priors,
            &mut self.edges,
        );
        self.shared.counters.cache_hits.fetch_add(1, Relaxed);
        Some(value)
    }

    /// Puts the leaf into the batch. A twin (same position by another way)
    /// shares the place; one in another worker's batch is left to that worker.
    fn enqueue(&mut self, key: u64, moves: &MoveList) -> Arrival {
        let twin = self.asked.iter().position(|asked| asked.key == key);
        if twin.is_none() && !self.shared.pending.announce(self.number, self.asked.len(), key) {
            return self.collide();
        }
        let answer = twin.unwrap_or_else(|| {
            self.evaluator.push(self.line.plies(), moves);
            let start = self.moves.len();
            self.moves.extend(moves.iter().map(|m| PackedMove::new(*m)));
            self.asked.push(Asked { key, moves: start..self.moves.len() });
            self.asked.len() - 1
        });
        let start = self.paths.len();
        self.paths.extend(&self.path);
        self.leaves.push(Leaf { path: start..self.paths.len(), answer });
        Arrival::Queued
    }

    fn evaluate(&mut self) -> Result<(), EvalError> {
        self.answers.clear();
        if self.asked.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        self.evaluator.run(&mut self.answers)?;
        let took = start.elapsed();
        let counters = &self.shared.counters;
        counters.network_time.fetch_add(took.as_nanos() as u64, Relaxed);
        counters.slowest_batch.fetch_max(took.as_micros() as u64, Relaxed);
        counters.batches.fetch_add(1, Relaxed);
        counters.evaluations.fetch_add(self.asked.len() as u64, Relaxed);
        if self.answers.len() == self.asked.len() {
            return Ok(());
        }
        let (asked, got) = (self.asked.len(), self.answers.len());
        Err(EvalError(format!("the network answered {got} of {asked} positions")))
    }

    /// Books all leaves of the batch and takes back the collisions.
    fn settle(&mut self, answered: bool) {
        let _walking = self.shared.tree.walk();
        let arena = &self.shared.tree.arena;
        let mut paths = std::mem::take(&mut self.paths);
        let mut leaves = std::mem::take(&mut self.leaves);
        for leaf in leaves.drain(..) {
            let path = &paths[leaf.path];
            if answered {
                let value = self.expand_answered(path, leaf.answer);
                backup::book(arena, path, -value.q(), value.draw);
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

    /// Gives the leaf its moves from its answer, which goes to the cache too.
    fn expand_answered(&mut self, path: &[u32], answer: usize) -> Value {
        let (value, logits) = self.answers.get(answer);
        self.priors.clear();
        self.priors.extend_from_slice(logits);
        expand::softmax(&mut self.priors, self.shared.params.policy_temperature);
        let Asked { key, moves } = &self.asked[answer];
        let value = self.shared.cache.insert(*key, value, &self.priors);
        let leaf = self.shared.tree.node(path[path.len() - 1]);
        if !leaf.is_expanded() {
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

    fn publish_counters(&mut self) {
        let counters = &self.shared.counters;
        counters.visits.fetch_add(std::mem::take(&mut self.finished), Relaxed);
        counters.depth_sum.fetch_add(std::mem::take(&mut self.depth_sum), Relaxed);
        counters.deepest.fetch_max(self.deepest, Relaxed);
    }

    /// Cells for one more leaf and its moves.
    fn has_room(&mut self) -> bool {
        let arena = &self.shared.tree.arena;
        self.pool.ensure(arena, Purpose::Node, 1)
            && self.pool.ensure(arena, Purpose::Moves, MOST_CELLS)
    }

    fn make_room(&mut self) {
        let tree = self.shared.tree;
        let _held = tree.hold();
        // Another worker may have made room while this one waited.
        if !self.has_room() {
            recycle(tree, RECYCLE_SHARE, || self.shared.is_over());
            self.shared.frozen.clear();
            self.shared.counters.recyclings.fetch_add(1, Relaxed);
        }
    }
}
