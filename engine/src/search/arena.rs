//! Memory of the tree: one block of 32-byte cells, allocated once.
//!
//! A cell is a node or seven moves of one. One size for both means that any freed
//! cell serves any need: memory never fragments, so `Hash` can be a hard bound.
//! Fresh nodes come from the bottom of the block and fresh moves from the top:
//! nodes, which are visited far more often, lie close together.
//! Discarded subtrees wait on a garbage list and are taken apart only when
//! cells are wanted, which makes dropping a subtree of any size instant.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::memory::{Pages, Zeroed, zeroed};
use super::node::{FIRST_SLOTS, GARBAGE};
use super::slots::{self, Content, Slots};

/// "No cell": index 0 is never handed out.
pub const NIL: u32 = 0;

/// Cells a worker takes from the arena at a time, to visit the lock rarely; of
/// a small arena only a small part, so that no worker sits on the others' cells.
const MOST_TAKEN: usize = 512;
const SHARE_TAKEN: usize = 512;

pub const CELL_BYTES: usize = 32;

/// Slots have 31 bits for an index: 64 GiB.
const MOST_CELLS: usize = 1 << 31;

/// Word of a free cell and of a cell of moves that links to the next one.
pub const NEXT: usize = 7;

/// Eight words; `node` and `slots` give them their meaning.
pub struct Cell(pub [AtomicU32; 8]);

// SAFETY: zero is a valid `AtomicU32`.
unsafe impl Zeroed for Cell {}

pub struct Arena {
    cells: Box<[Cell]>,
    lists: Mutex<Lists>,
}

/// What a cell is to be used for; it can change with every use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Node = 0,
    Moves = 1,
}

use Purpose::{Moves, Node};

struct Lists {
    /// Cells from `bottom` up to `top` were never used.
    bottom: u32,
    top: u32,
    /// Freed cells by what they last were.
    free: [Chain; 2],
    /// Roots of discarded subtrees.
    garbage: u32,
}

#[derive(Default)]
struct Chain {
    head: u32,
    len: u32,
}

impl Lists {
    fn new(cells: usize) -> Lists {
        Lists { bottom: 1, top: cells as u32, free: Default::default(), garbage: NIL }
    }

    fn free_len(&self) -> usize {
        (self.free[0].len + self.free[1].len) as usize
    }
}

/// A worker's own stock of free cells, by purpose.
#[derive(Default)]
pub struct CellPool([Vec<u32>; 2]);

impl Arena {
    /// Room for at least 4,096 cells, so that the smallest `Hash` still works.
    pub fn new(bytes: usize) -> Option<Arena> {
        let count = (bytes / CELL_BYTES).clamp(4096, MOST_CELLS);
        Some(Arena { cells: zeroed(count, Pages::Huge)?, lists: Mutex::new(Lists::new(count)) })
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
        self.cells.len() - (lists.top - lists.bottom) as usize - lists.free_len()
    }

    /// Drops every cell at once.
    pub fn clear(&self) {
        *self.lock() = Lists::new(self.cells.len());
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
        // To the end: a child that was taken out leaves a gap among the others.
        for (_, content) in Slots::new(self, first) {
            if let Content::Child(child) = content {
                self.push_garbage(lists, child);
            }
        }
        let mut cell = first;
        while cell != NIL {
            let next = self.word(cell, NEXT).load(Relaxed);
            self.free_one(lists, Moves, cell);
            cell = next;
        }
    }

    fn free_one(&self, lists: &mut Lists, purpose: Purpose, cell: u32) {
        let chain = &mut lists.free[purpose as usize];
        self.word(cell, NEXT).store(chain.head, Relaxed);
        chain.head = cell;
        chain.len += 1;
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
        self.free_one(lists, Node, node);
        true
    }

    fn refill(&self, purpose: Purpose, pool: &mut Vec<u32>) {
        let wanted = (self.cells.len() / SHARE_TAKEN).clamp(slots::MOST_CELLS, MOST_TAKEN);
        let mut lists = self.lock();
        while lists.free_len() < wanted && self.crush_one(&mut lists) {}
        let other = if purpose == Node { Moves } else { Node };
        self.take_freed(&mut lists, purpose, pool, wanted);
        let missing = wanted.saturating_sub(pool.len());
        let fresh = missing.min((lists.top - lists.bottom) as usize) as u32;
        // Popped from the back: neighbors in memory are handed out in order.
        match purpose {
            Node => {
                pool.splice(0..0, (lists.bottom..lists.bottom + fresh).rev());
                lists.bottom += fresh;
            }
            Moves => {
                pool.splice(0..0, (lists.top - fresh..lists.top).rev());
                lists.top -= fresh;
            }
        }
        self.take_freed(&mut lists, other, pool, wanted);
    }

    fn take_freed(&self, lists: &mut Lists, purpose: Purpose, pool: &mut Vec<u32>, wanted: usize) {
        let chain = &mut lists.free[purpose as usize];
        while pool.len() < wanted && chain.head != NIL {
            pool.push(chain.head);
            chain.head = self.word(chain.head, NEXT).load(Relaxed);
            chain.len -= 1;
        }
    }
}

impl CellPool {
    /// True when at least `count` cells are at hand, after asking the arena.
    pub fn ensure(&mut self, arena: &Arena, purpose: Purpose, count: usize) -> bool {
        let stock = &mut self.0[purpose as usize];
        if stock.len() < count {
            arena.refill(purpose, stock);
        }
        stock.len() >= count
    }

    /// Puts a cell back that was not needed after all.
    pub fn give_back(&mut self, purpose: Purpose, index: u32) {
        self.0[purpose as usize].push(index);
    }

    /// A cell with all words zero. Call [`ensure`](Self::ensure) before.
    pub fn take(&mut self, arena: &Arena, purpose: Purpose) -> Option<u32> {
        let index = self.0[purpose as usize].pop()?;
        for word in &arena.cell(index).0 {
            word.store(0, Relaxed);
        }
        Some(index)
    }

    /// Gives all cells back.
    pub fn release(&mut self, arena: &Arena) {
        let mut lists = arena.lock();
        for purpose in [Node, Moves] {
            for cell in self.0[purpose as usize].drain(..) {
                arena.free_one(&mut lists, purpose, cell);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::PackedMove;
    use crate::search::slots::Edge;

    fn exhaust(arena: &Arena, pool: &mut CellPool) -> usize {
        let mut count = 0;
        for purpose in [Moves, Node] {
            while pool.ensure(arena, purpose, 1) {
                pool.take(arena, purpose).unwrap();
                count += 1;
            }
        }
        count
    }

    #[test]
    fn either_purpose_can_use_every_cell() {
        let arena = Arena::new(0).unwrap();
        assert_eq!(exhaust(&arena, &mut CellPool::default()), arena.capacity() - 1);
        assert_eq!(arena.used(), arena.capacity());
    }

    #[test]
    fn a_discarded_subtree_comes_back_whole() {
        let arena = Arena::new(0).unwrap();
        let mut pool = CellPool::default();
        let edges: Vec<Edge> = (1..=8).map(|i| Edge::new(PackedMove(i), 0.1)).collect();
        assert!(pool.ensure(&arena, Node, 9));
        let parent = pool.take(&arena, Node).unwrap();
        let first = slots::write(&arena, &mut pool, &edges).unwrap();
        arena.word(parent, FIRST_SLOTS).store(first, Relaxed);
        for ((slot, _), edge) in Slots::new(&arena, first).zip(&edges) {
            assert!(slot.fill(*edge, pool.take(&arena, Node).unwrap()));
        }
        // The third child leaves the family, as a new root does.
        Slots::new(&arena, first).nth(2).unwrap().0.vacate(edges[2]);
        exhaust(&arena, &mut pool);
        arena.discard(parent);
        assert_eq!(exhaust(&arena, &mut pool), 10, "a node, two cells of moves, seven children");
    }
}
