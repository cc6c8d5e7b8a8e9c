//! Memory of the tree: one block of 32-byte cells, allocated once.
//!
//! A cell is a node or seven moves of one. One size for both means that any freed
//! cell serves any need: memory never fragments, so `Hash` can be a hard bound.
//! Discarded subtrees wait on a garbage list and are taken apart only when
//! cells are wanted, which makes dropping a subtree of any size instant.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::node::{FIRST_SLOTS, GARBAGE};
use super::slots::{Content, Slots};

/// "No cell": index 0 is never handed out.
pub const NIL: u32 = 0;

/// Cells a worker takes from the arena at a time, to visit the lock rarely.
const REFILL: usize = 512;

pub const CELL_BYTES: usize = 32;

/// Slots have 31 bits for an index: 64 GiB.
const MOST_CELLS: usize = 1 << 31;

/// Word of a free cell and of a cell of moves that links to the next one.
pub const NEXT: usize = 7;

/// Eight words; `node` and `edges` give them their meaning.
pub struct Cell(pub [AtomicU32; 8]);

pub struct Arena {
    cells: Box<[Cell]>,
    lists: Mutex<Lists>,
}

struct Lists {
    /// Cells from here to the end were never used.
    untouched: u32,
    free_head: u32,
    free_len: u32,
    /// Roots of discarded subtrees.
    garbage: u32,
}

/// A worker's own stock of free cells.
#[derive(Default)]
pub struct CellPool(Vec<u32>);

impl Arena {
    /// Room for at least 4,096 cells, so that the smallest `Hash` still works.
    pub fn new(bytes: usize) -> Arena {
        let count = (bytes / CELL_BYTES).clamp(4096, MOST_CELLS);
        // SAFETY: an all-zero bit pattern is a valid array of `AtomicU32`.
        // Zeroed pages come untouched from the system, so a large `Hash` costs
        // neither start-up time nor resident memory until it is used.
        let cells = unsafe { Box::<[Cell]>::new_zeroed_slice(count).assume_init() };
        let lists = Lists { untouched: 1, free_head: NIL, free_len: 0, garbage: NIL };
        Arena { cells, lists: Mutex::new(lists) }
    }

    pub fn cell(&self, index: u32) -> &Cell {
        &self.cells[index as usize]
    }

    pub fn capacity(&self) -> usize {
        self.cells.len()
    }

    /// Cells in use, discarded ones that were not taken apart yet included.
    pub fn used(&self) -> usize {
        let lists = self.lock();
        (lists.untouched - lists.free_len) as usize
    }

    /// Drops every cell at once.
    pub fn clear(&self) {
        *self.lock() = Lists { untouched: 1, free_head: NIL, free_len: 0, garbage: NIL };
    }

    /// Gives a node and all below it to the garbage list. Nothing may refer to
    /// it any more.
    pub fn discard(&self, node: u32) {
        self.push_garbage(&mut self.lock(), node);
    }

    /// Gives the moves in the cells from `first` on and all below them back.
    pub fn discard_moves(&self, first: u32) {
        self.crush_moves(&mut self.lock(), first);
    }

    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn word(&self, cell: u32, word: usize) -> &AtomicU32 {
        &self.cell(cell).0[word]
    }

    fn push_garbage(&self, lists: &mut Lists, node: u32) {
        self.word(node, GARBAGE).store(lists.garbage, Relaxed);
        lists.garbage = node;
    }

    fn crush_moves(&self, lists: &mut Lists, first: u32) {
        for (_, content) in Slots::new(self, first) {
            match content {
                Content::Child(child) => self.push_garbage(lists, child),
                Content::Unvisited(_) => break,
            }
        }
        let mut cell = first;
        while cell != NIL {
            let next = self.word(cell, NEXT).load(Relaxed);
            self.free_one(lists, cell);
            cell = next;
        }
    }

    fn free_one(&self, lists: &mut Lists, cell: u32) {
        self.word(cell, NEXT).store(lists.free_head, Relaxed);
        lists.free_head = cell;
        lists.free_len += 1;
    }

    /// Takes one discarded node apart: its children become garbage, its moves
    /// and itself free cells.
    fn crush_one(&self, lists: &mut Lists) -> bool {
        let node = lists.garbage;
        if node == NIL {
            return false;
        }
        lists.garbage = self.word(node, GARBAGE).load(Relaxed);
        self.crush_moves(lists, self.word(node, FIRST_SLOTS).load(Relaxed));
        self.free_one(lists, node);
        true
    }

    fn refill(&self, pool: &mut Vec<u32>) {
        let mut lists = self.lock();
        while (lists.free_len as usize) < REFILL && self.crush_one(&mut lists) {}
        while pool.len() < REFILL && lists.free_head != NIL {
            let cell = lists.free_head;
            lists.free_head = self.word(cell, NEXT).load(Relaxed);
            lists.free_len -= 1;
            pool.push(cell);
        }
        let missing = REFILL.saturating_sub(pool.len());
        let fresh = missing.min(self.cells.len() - lists.untouched as usize) as u32;
        let range = lists.untouched..lists.untouched + fresh;
        lists.untouched += fresh;
        // Popped from the back: neighbors in memory are handed out in order.
        pool.splice(0..0, range.rev());
    }
}

impl CellPool {
    /// True when at least `count` cells are at hand, after asking the arena.
    pub fn ensure(&mut self, arena: &Arena, count: usize) -> bool {
        if self.0.len() < count {
            arena.refill(&mut self.0);
        }
        self.0.len() >= count
    }

    /// Puts a cell back that was not needed after all.
    pub fn give_back(&mut self, index: u32) {
        self.0.push(index);
    }

    /// A cell with all words zero. Call [`ensure`](Self::ensure) before.
    pub fn take(&mut self, arena: &Arena) -> Option<u32> {
        let index = self.0.pop()?;
        for word in &arena.cell(index).0 {
            word.store(0, Relaxed);
        }
        Some(index)
    }

    /// Gives all cells back.
    pub fn release(&mut self, arena: &Arena) {
        let mut lists = arena.lock();
        for cell in self.0.drain(..) {
            arena.free_one(&mut lists, cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::PackedMove;
    use crate::search::slots::{self, Edge};

    #[test]
    fn freed_cells_come_back_and_the_bound_holds() {
        let arena = Arena::new(0);
        let mut pool = CellPool::default();
        let mut taken = Vec::new();
        while pool.ensure(&arena, 1) {
            taken.push(pool.take(&arena).unwrap());
        }
        assert_eq!(taken.len(), arena.capacity() - 1);
        assert_eq!(arena.used(), arena.capacity());
        // A parent with eight children: crushing it frees them and its moves.
        let edges: Vec<Edge> = (1..=8).map(|i| Edge::new(PackedMove(i), 0.1)).collect();
        arena.clear();
        pool.0.clear();
        let parent = {
            pool.ensure(&arena, 1);
            pool.take(&arena).unwrap()
        };
        let first = slots::write(&arena, &mut pool, &edges).unwrap();
        arena.word(parent, FIRST_SLOTS).store(first, Relaxed);
        for ((slot, _), edge) in Slots::new(&arena, first).zip(&edges) {
            assert!(slot.fill(*edge, pool.take(&arena).unwrap()));
        }
        while pool.ensure(&arena, 1) {
            pool.take(&arena);
        }
        arena.discard(parent);
        assert!(pool.ensure(&arena, 11), "a parent, two cells of moves, eight children");
        assert!(!pool.ensure(&arena, 12));
    }
}
