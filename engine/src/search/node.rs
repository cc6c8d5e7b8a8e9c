//! A node: one cell of statistics and links, all atomic.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | score: mean value or proof |
//! | 4 | mean draw probability |
//! | 4 | visits |
//! | 4 | first cell of its moves |
//! | 4 | move (2) and prior (2) that lead here |
//! | 4 | visits in flight (2), number of moves (2) |
//! | 4 | link of discarded nodes |
//! | 4 | mean square of the values |
//!
//! Each move takes 4 bytes more, visited or not; see [`slots`](super::slots).

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::arena::{Arena, Cell, NIL};
use super::score::{Score, from_fixed, next_mean, to_fixed};
use super::slots::{Content, Edge, Slots};
use crate::chess::PackedMove;

const SCORE: usize = 0;
const DRAW: usize = 1;
const VISITS: usize = 2;
pub const FIRST_SLOTS: usize = 3;
const EDGE: usize = 4;
const COUNTS: usize = 5;
/// Chains discarded nodes.
pub const GARBAGE: usize = 6;
const SQUARES: usize = 7;

const IN_FLIGHT: u32 = 0xffff;
const ONE_MOVE: u32 = 1 << 16;

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
        self.load(COUNTS) & IN_FLIGHT
    }

    pub fn move_count(self) -> u32 {
        self.load(COUNTS) >> 16
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

    pub fn first_slots(self) -> u32 {
        self.0.0[FIRST_SLOTS].load(Acquire)
    }

    pub fn is_expanded(self) -> bool {
        self.first_slots() != NIL
    }

    /// Publishes the moves; the node counts as expanded from here on.
    pub fn set_moves(self, first: u32, count: usize) {
        self.0.0[COUNTS].fetch_add(count as u32 * ONE_MOVE, Relaxed);
        self.0.0[FIRST_SLOTS].store(first, Release);
    }

    /// Takes moves and children away; the statistics stay.
    pub fn strip(self) {
        self.0.0[FIRST_SLOTS].store(NIL, Relaxed);
        self.0.0[COUNTS].fetch_and(IN_FLIGHT, Relaxed);
    }

    /// Marks a visit under way; returns how many were before. Whoever finds none
    /// also sees what the last visitor wrote, above all its moves.
    pub fn enter(self) -> u32 {
        self.0.0[COUNTS].fetch_add(1, AcqRel) & IN_FLIGHT
    }

    /// Takes back a visit that led nowhere.
    pub fn leave(self) {
        self.0.0[COUNTS].fetch_sub(1, Release);
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
        // A lost race here costs one sample of a value that need not be exact.
        for (word, sample) in [(DRAW, draw), (SQUARES, q * q)] {
            let mean = self.load(word) as i32;
            self.0.0[word].store(next_mean(mean, to_fixed(sample), count) as u32, Relaxed);
        }
        self.leave();
    }

    /// How far the values below differ from each other: their variance.
    pub fn variance(self) -> f32 {
        let q = self.score().q();
        (from_fixed(self.load(SQUARES) as i32) - q * q).max(0.0)
    }

    /// All moves, visited ones first.
    #[inline]
    pub fn slots(self, arena: &'a Arena) -> Slots<'a> {
        Slots::new(arena, self.first_slots())
    }

    /// The visited moves, best prior first.
    pub fn children(self, arena: &'a Arena) -> impl Iterator<Item = (u32, Node<'a>)> {
        self.slots(arena).map_while(|(_, content)| match content {
            Content::Child(index) => Some((index, Node::at(arena, index))),
            Content::Unvisited(_) => None,
        })
    }

    /// The moves that nobody visited yet, best prior first.
    pub fn unvisited(self, arena: &'a Arena) -> impl Iterator<Item = Edge> {
        self.slots(arena).filter_map(|(_, content)| match content {
            Content::Child(_) => None,
            Content::Unvisited(edge) => Some(edge),
        })
    }
}
