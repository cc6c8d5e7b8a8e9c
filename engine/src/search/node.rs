//! A node: 32 bytes of statistics and links, all atomic.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | score: mean value or proof |
//! | 4 | mean draw probability |
//! | 4 | visits |
//! | 4 | first edge cell |
//! | 4 | first child |
//! | 4 | next sibling |
//! | 4 | move (2) and prior (2) |
//! | 4 | visits in flight (2), children (1), edges (1) |
//!
//! Children are made in the order of their priors, so "the next unvisited move"
//! is always edge number `children`.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::arena::{Arena, Cell};
use super::edges::Edge;
use super::score::{Score, from_fixed, next_mean, to_fixed};
use crate::chess::PackedMove;

const SCORE: usize = 0;
const DRAW: usize = 1;
const VISITS: usize = 2;
pub const FIRST_EDGES: usize = 3;
pub const FIRST_CHILD: usize = 4;
pub const SIBLING: usize = 5;
const EDGE: usize = 6;
const COUNTS: usize = 7;

const ONE_CHILD: u32 = 1 << 16;
const ONE_EDGE: u32 = 1 << 24;

/// A cell read as a node.
#[derive(Clone, Copy)]
pub struct Node<'a>(&'a Cell);

impl<'a> Node<'a> {
    pub fn at(arena: &'a Arena, index: u32) -> Node<'a> {
        Node(arena.cell(index))
    }

    fn load(self, word: usize) -> u32 {
        self.0.0[word].load(Relaxed)
    }

    /// Names the move that leads here; done once, before others see the node.
    pub fn set_edge(self, edge: Edge) {
        self.0.0[EDGE].store(edge.0, Relaxed);
    }

    pub fn edge(self) -> Edge {
        Edge(self.load(EDGE))
    }

    pub fn played(self) -> PackedMove {
        self.edge().packed_move()
    }

    pub fn prior(self) -> f32 {
        self.edge().prior()
    }

    pub fn visits(self) -> u32 {
        self.load(VISITS)
    }

    pub fn in_flight(self) -> u32 {
        self.load(COUNTS) & 0xffff
    }

    pub fn child_count(self) -> u32 {
        self.load(COUNTS) >> 16 & 0xff
    }

    pub fn edge_count(self) -> u32 {
        self.load(COUNTS) >> 24
    }

    pub fn score(self) -> Score {
        Score::decode(self.load(SCORE))
    }

    pub fn draw(self) -> f32 {
        match self.score() {
            Score::Win(_) | Score::Loss(_) => 0.0,
            Score::Draw => 1.0,
            Score::Estimate(_) => from_fixed(self.load(DRAW) as i32),
        }
    }

    pub fn prove(self, score: Score) {
        self.0.0[SCORE].store(score.encode(), Relaxed);
    }

    pub fn first_edges(self) -> u32 {
        self.0.0[FIRST_EDGES].load(Acquire)
    }

    pub fn is_expanded(self) -> bool {
        self.first_edges() != super::arena::NIL
    }

    pub fn first_child(self) -> u32 {
        self.0.0[FIRST_CHILD].load(Acquire)
    }

    pub fn sibling(self) -> u32 {
        self.0.0[SIBLING].load(Acquire)
    }

    pub fn set_sibling(self, index: u32) {
        self.0.0[SIBLING].store(index, Release);
    }

    pub fn set_first_child(self, index: u32) {
        self.0.0[FIRST_CHILD].store(index, Release);
    }

    /// Publishes the edges; the node counts as expanded from here on.
    pub fn set_edges(self, first: u32, count: usize) {
        self.0.0[COUNTS].fetch_add(count as u32 * ONE_EDGE, Relaxed);
        self.0.0[FIRST_EDGES].store(first, Release);
    }

    /// Takes edges and children away; the statistics stay.
    pub fn strip(self) {
        self.0.0[FIRST_EDGES].store(super::arena::NIL, Relaxed);
        self.0.0[FIRST_CHILD].store(super::arena::NIL, Relaxed);
        self.0.0[COUNTS].fetch_and(0xffff, Relaxed);
    }

    /// Reserves the next unvisited edge for a new child; `None` if another
    /// worker was faster or no edge is left.
    pub fn claim_edge(self, index: u32) -> bool {
        let mut counts = self.load(COUNTS);
        while counts >> 16 & 0xff == index && index < counts >> 24 {
            match self.0.0[COUNTS].compare_exchange_weak(
                counts,
                counts + ONE_CHILD,
                Relaxed,
                Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => counts = now,
            }
        }
        false
    }

    /// Links a finished child in front of the others.
    pub fn push_child(self, child: Node<'_>, child_index: u32) {
        let mut first = self.first_child();
        loop {
            child.set_sibling(first);
            match self.0.0[FIRST_CHILD].compare_exchange_weak(first, child_index, Release, Acquire)
            {
                Ok(_) => return,
                Err(now) => first = now,
            }
        }
    }

    /// Marks a visit under way; returns how many were before.
    pub fn enter(self) -> u32 {
        self.0.0[COUNTS].fetch_add(1, Relaxed) & 0xffff
    }

    /// Takes back a visit that led nowhere.
    pub fn leave(self) {
        self.0.0[COUNTS].fetch_sub(1, Relaxed);
    }

    /// Books a finished visit. A proven score stays as it is.
    pub fn record(self, q: f32, draw: f32) {
        let count = self.0.0[VISITS].fetch_add(1, Relaxed) + 1;
        let sample = to_fixed(q);
        let mut old = self.load(SCORE);
        while !Score::decode(old).is_proven() {
            let new = next_mean(old as i32, sample, count) as u32;
            match self.0.0[SCORE].compare_exchange_weak(old, new, Relaxed, Relaxed) {
                Ok(_) => break,
                Err(now) => old = now,
            }
        }
        // A lost race here costs one sample of a display value.
        let mean = self.load(DRAW) as i32;
        self.0.0[DRAW].store(next_mean(mean, to_fixed(draw), count) as u32, Relaxed);
        self.leave();
    }

    /// Children from the newest to the oldest.
    pub fn children(self, arena: &'a Arena) -> Children<'a> {
        Children { arena, next: self.first_child() }
    }
}

pub struct Children<'a> {
    arena: &'a Arena,
    next: u32,
}

impl<'a> Iterator for Children<'a> {
    type Item = (u32, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == super::arena::NIL {
            return None;
        }
        let index = self.next;
        let node = Node::at(self.arena, index);
        self.next = node.sibling();
        Some((index, node))
    }
}
