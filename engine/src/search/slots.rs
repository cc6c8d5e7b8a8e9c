//! The moves of a node: 4 bytes each, seven to a cell, best prior first.
//!
//! A slot holds the move and its prior until the move is first visited; then
//! it holds the child, which has taken move and prior over. Moves are visited in
//! the order of their priors, so a walk over the slots meets the children, then
//! the next candidate, and can stop there. The children's cells are named in
//! one place, so the processor fetches many of them at once; following links
//! from sibling to sibling took more than twice as long.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::arena::{Arena, CellPool, NEXT, NIL, Purpose};
use super::memory::prefetch;
use crate::chess::PackedMove;

const PER_CELL: usize = 7;

/// Cells that the position with most legal moves (218) needs.
pub const MOST_CELLS: usize = 218_usize.div_ceil(PER_CELL);

/// Set in a slot that holds a child; a packed move never has this bit.
const CHILD_BIT: u32 = 1 << 15;

/// A move and its prior: 2 bytes each.
///
/// The prior keeps the 16 bits below the two highest of an `f32`, which are
/// zero for numbers up to one: a relative error under 0.1 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge(pub u32);

impl Edge {
    pub fn new(m: PackedMove, prior: f32) -> Edge {
        Edge(u32::from(m.0) | u32::from(encode_prior(prior)) << 16)
    }

    pub fn packed_move(self) -> PackedMove {
        PackedMove(self.0 as u16)
    }

    pub fn prior(self) -> f32 {
        decode_prior((self.0 >> 16) as u16)
    }
}

pub fn encode_prior(prior: f32) -> u16 {
    let bits = prior.clamp(0.0, 1.0).to_bits();
    // Half a unit first: rounding instead of cutting off.
    ((bits + (1 << 13)) >> 14).min(0x3f80_0000 >> 14) as u16
}

pub fn decode_prior(code: u16) -> f32 {
    f32::from_bits(u32::from(code) << 14)
}

/// A prior as the tree and the cache keep it.
pub fn rounded_prior(prior: f32) -> f32 {
    decode_prior(encode_prior(prior))
}

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Child(u32),
    Unvisited(Edge),
}

/// A place in a node's list of moves.
#[derive(Clone, Copy)]
pub struct Slot<'a>(&'a AtomicU32);

impl Slot<'_> {
    /// Puts a finished child in the place of its move. False when another
    /// worker was faster.
    pub fn fill(self, edge: Edge, child: u32) -> bool {
        self.0.compare_exchange(edge.0, child_word(child), Release, Relaxed).is_ok()
    }

    /// Takes a child out of the tree: its move counts as unvisited again.
    pub fn vacate(self, edge: Edge) {
        self.0.store(edge.0, Relaxed);
    }
}

/// The index moves around the marking bit; 31 bits are left for it.
fn child_word(index: u32) -> u32 {
    (index & !0x7fff) << 1 | CHILD_BIT | index & 0x7fff
}

fn child_index(word: u32) -> u32 {
    word >> 1 & !0x7fff | word & 0x7fff
}

/// A walk over the slots of one node.
pub struct Slots<'a> {
    arena: &'a Arena,
    cell: u32,
    place: usize,
}

impl<'a> Slots<'a> {
    pub fn new(arena: &'a Arena, first: u32) -> Slots<'a> {
        let mut slots = Slots { arena, cell: first, place: 0 };
        slots.enter(first);
        slots
    }

    /// Goes to the next cell and calls all its children into the processor's
    /// cache at once.
    #[inline]
    fn enter(&mut self, cell: u32) {
        (self.cell, self.place) = (cell, 0);
        for slot in &self.arena.cell(cell).0[..PER_CELL] {
            let word = slot.load(Relaxed);
            if word & CHILD_BIT == 0 {
                break;
            }
            prefetch(self.arena.cell(child_index(word)));
        }
    }
}

impl<'a> Iterator for Slots<'a> {
    type Item = (Slot<'a>, Content);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.place == PER_CELL {
            self.enter(self.arena.cell(self.cell).0[NEXT].load(Relaxed));
        }
        if self.cell == NIL {
            return None;
        }
        let slot = &self.arena.cell(self.cell).0[self.place];
        self.place += 1;
        match slot.load(Acquire) {
            // No move goes from a1 to a1: an empty slot ends the list.
            0 => None,
            word if word & CHILD_BIT != 0 => Some((Slot(slot), Content::Child(child_index(word)))),
            word => Some((Slot(slot), Content::Unvisited(Edge(word)))),
        }
    }
}

/// Writes edges into fresh cells; returns the first cell, or `None` if the
/// pool ran dry (then nothing was taken).
pub fn write(arena: &Arena, pool: &mut CellPool, edges: &[Edge]) -> Option<u32> {
    if !pool.ensure(arena, Purpose::Moves, edges.len().div_ceil(PER_CELL)) {
        return None;
    }
    let mut first = NIL;
    let mut last = NIL;
    for chunk in edges.chunks(PER_CELL) {
        let index = pool.take(arena, Purpose::Moves)?;
        for (slot, edge) in arena.cell(index).0.iter().zip(chunk) {
            slot.store(edge.0, Relaxed);
        }
        if last == NIL {
            first = index;
        } else {
            arena.cell(last).0[NEXT].store(index, Relaxed);
        }
        last = index;
    }
    Some(first)
}

/// Number of cells that hold `count` edges.
pub fn cells(count: u32) -> u32 {
    count.div_ceil(PER_CELL as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_keep_their_size() {
        for p in [1.0, 0.5, 0.123_456, 1e-3, 1e-6] {
            assert!((decode_prior(encode_prior(p)) / p - 1.0).abs() < 1e-3, "{p}");
        }
        assert_eq!(decode_prior(encode_prior(0.0)), 0.0);
    }

    #[test]
    fn slots_turn_from_moves_to_children() {
        let arena = Arena::new(0).unwrap();
        let mut pool = CellPool::default();
        for count in [1, 7, 8, 218] {
            let edges: Vec<Edge> = (1..=count).map(|i| Edge::new(PackedMove(i), 0.5)).collect();
            let first = write(&arena, &mut pool, &edges).unwrap();
            let read: Vec<Content> = Slots::new(&arena, first).map(|(_, c)| c).collect();
            let expected: Vec<Content> = edges.iter().map(|e| Content::Unvisited(*e)).collect();
            assert_eq!(read, expected);
            let (slot, _) = Slots::new(&arena, first).next().unwrap();
            assert!(slot.fill(edges[0], 77));
            assert!(!slot.fill(edges[0], 78), "the first worker keeps the place");
            assert_eq!(Slots::new(&arena, first).next().unwrap().1, Content::Child(77));
        }
        assert_eq!(cells(218) as usize, MOST_CELLS);
    }

    #[test]
    fn child_indices_survive_the_marking_bit() {
        for index in [1, 0x7fff, 0x8000, 0x1_2345, 0x7fff_ffff] {
            assert_eq!(child_index(child_word(index)), index);
            assert_ne!(child_word(index) & CHILD_BIT, 0);
        }
    }
}
