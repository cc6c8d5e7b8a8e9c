//! One iteration of the search: [`Worker::iterate`] and its steps.

use std::sync::atomic::Ordering::Relaxed;

use shakmaty::MoveList;

use super::arena::Purpose;
use super::backup;
use super::expand::{self, Settled};
use super::node::Node;
use super::score::Score;
use super::select::{self, Pick, Place};
use super::slots::{Edge, Slot};
use super::worker::{Arrival, Asked, Leaf, Worker};
use crate::chess::PackedMove;
use crate::eval::Value;

impl<'a> Worker<'a> {
    /// One iteration: walk down to a leaf, see what it is, book or queue it.
    pub(super) fn iterate(&mut self) -> Arrival {
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
            self.tally.cache_hits += 1;
            let (q, draw) = value.faded(self.fresh());
            return self.book(-q, draw);
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
            let open = node.is_expanded() || (others == 0 && self.unfold(node, depth));
            if !open || node.score().is_proven() {
                self.end_walk(depth);
                return others;
            }
            let next = match self.pick(node, index, depth) {
                Pick::Child(child) => Some(child),
                // Another worker may expand the child made here before this one
                // enters it, so a second child, and a second cell, may be due.
                Pick::New(..) if !self.pool.ensure(arena, Purpose::Node, 1) => None,
                Pick::New(slot, edge) => match self.create_child(slot, edge) {
                    Some(child) => Some(child),
                    None => {
                        // Another worker took this move; look again.
                        node.leave();
                        continue;
                    }
                },
                Pick::Nothing => None,
            };
            let Some(next) = next else {
                self.end_walk(depth);
                return others;
            };
            index = next;
            depth += 1;
        }
    }

    /// Gives a leaf its moves when it is reached for the second time. Most
    /// leaves never are, so their priors stay in the cache until then; if the
    /// cache has lost them, the network is asked again.
    fn unfold(&mut self, node: Node<'_>, depth: usize) -> bool {
        if node.visits() == 0 || node.score().is_proven() {
            return false;
        }
        self.end_walk(depth);
        if depth > 0 && expand::is_repetition(&self.line, depth) {
            return false;
        }
        let moves = self.line.legal_moves();
        let key = (self.shared.cache_key)(self.line.plies());
        self.recall(key, &moves).is_some()
            && expand::attach_moves(
                &self.shared.tree.arena,
                &mut self.pool,
                node,
                moves.iter().map(|m| PackedMove::new(*m)),
                &self.priors,
                &mut self.edges,
            )
    }

    /// Forgets what an earlier walk left beyond `depth`.
    fn end_walk(&mut self, depth: usize) {
        self.path.truncate(depth + 1);
        self.line.truncate(self.root_len + depth);
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
            draw_value: if depth.is_multiple_of(2) { at_root } else { -at_root },
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

    pub(super) fn count(&mut self, path_len: usize) {
        self.tally.visits += 1;
        self.tally.depth_sum += path_len as u64 - 1;
        self.tally.deepest = self.tally.deepest.max(path_len as u32 - 1);
    }

    fn collide(&mut self) -> Arrival {
        let start = self.paths.len();
        self.paths.extend(&self.path);
        self.collisions.push(start..self.paths.len());
        Arrival::Collision
    }

    /// What the cache knows of the position; its priors are in `priors` then.
    fn recall(&mut self, key: u64, moves: &MoveList) -> Option<Value> {
        self.priors.clear();
        self.priors.resize(moves.len(), 0.0);
        self.shared.cache.get(key, &mut self.priors)
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
        self.leaves.push(Leaf { path: start..self.paths.len(), answer, fresh: self.fresh() });
        Arrival::Queued
    }

    /// What the fifty-move clock leaves of a value here.
    fn fresh(&self) -> f32 {
        self.shared.params.fresh(self.line.last().rule50())
    }
}
