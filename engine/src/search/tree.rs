//! The tree: an arena and a root, moved along as the game goes on.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::arena::{Arena, CellPool, NIL, Purpose};
use super::node::Node;
use super::slots::{Content, Edge};
use crate::chess::PackedMove;

pub struct Tree {
    pub arena: Arena,
    root: u32,
    /// Workers read while they walk; recycling writes, so that nothing is taken
    /// away under a walker's feet.
    walkers: RwLock<()>,
}

impl Tree {
    pub fn new(bytes: usize) -> Option<Tree> {
        let mut tree = Tree { arena: Arena::new(bytes)?, root: NIL, walkers: RwLock::new(()) };
        tree.reset();
        Some(tree)
    }

    /// Forgets everything; the root is new and unvisited.
    pub fn reset(&mut self) {
        self.arena.clear();
        self.new_root();
    }

    fn new_root(&mut self) {
        let mut pool = CellPool::default();
        pool.ensure(&self.arena, Purpose::Node, 1);
        self.root = pool.take(&self.arena, Purpose::Node).unwrap_or(NIL);
        self.root().set_edge(Edge::new(PackedMove::default(), 1.0));
        pool.release(&self.arena);
    }

    pub fn root_index(&self) -> u32 {
        self.root
    }

    pub fn root(&self) -> Node<'_> {
        self.node(self.root)
    }

    pub fn node(&self, index: u32) -> Node<'_> {
        Node::at(&self.arena, index)
    }

    /// Holds recycling off while a worker walks.
    pub fn walk(&self) -> RwLockReadGuard<'_, ()> {
        self.walkers.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds all walkers off.
    pub fn hold(&self) -> RwLockWriteGuard<'_, ()> {
        self.walkers.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the position after `moves` the root and drops the rest; where the
    /// tree does not know these moves, it starts afresh.
    pub fn advance(&mut self, moves: &[PackedMove]) {
        for &m in moves {
            let Some(child) = self.unlink_child(m) else {
                self.reset();
                return;
            };
            self.arena.discard(self.root);
            self.root = child;
        }
    }

    /// Drops what is below the root and the root's statistics.
    pub fn restart(&mut self) {
        self.arena.discard(self.root);
        self.new_root();
    }

    fn unlink_child(&self, m: PackedMove) -> Option<u32> {
        self.root().slots(&self.arena).find_map(|(slot, content)| match content {
            Content::Child(index) if self.node(index).played() == m => {
                slot.vacate(self.node(index).edge());
                Some(index)
            }
            _ => None,
        })
    }

    /// Share of the arena in use, per mille.
    pub fn fill_permille(&self) -> u32 {
        (self.arena.used() * 1000 / self.arena.capacity()) as u32
    }
}
