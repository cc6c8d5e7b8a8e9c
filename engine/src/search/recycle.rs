//! Making room: when the arena is full, the coldest subtrees give their cells
//! back and keep their statistics. The search goes on as if nothing happened;
//! a stripped node that becomes interesting again is expanded anew.

use super::node::Node;
use super::score::Score;
use super::slots;
use super::tree::Tree;

/// Visit counts up to here have a bucket each, the rest one per power of two.
const EXACT: u32 = 256;
const BUCKETS: usize = EXACT as usize + 32;

/// Strips the nodes with the fewest visits until about `share` of all cells is
/// reclaimed. The caller holds the walkers off. `interrupted` is asked often; when it says
/// yes the work stops early, and whatever was reclaimed until then is good.
pub fn recycle(tree: &Tree, share: f32, interrupted: impl Fn() -> bool) {
    let wanted = (tree.arena.capacity() as f32 * share) as u64;
    // A forced mate is to be played whenever it comes up: proofs go last.
    for spare_proofs in [true, false] {
        match coldest(tree, wanted, spare_proofs, &interrupted) {
            Coldest::UpTo(limit) => return strip_up_to(tree, limit, spare_proofs, &interrupted),
            Coldest::NotEnough if spare_proofs => {}
            Coldest::NotEnough => return strip_up_to(tree, u32::MAX, false, &interrupted),
            Coldest::Interrupted => return,
        }
    }
}

enum Coldest {
    /// Stripping nodes up to this visit count reclaims what is wanted.
    UpTo(u32),
    NotEnough,
    Interrupted,
}

fn coldest(
    tree: &Tree,
    wanted: u64,
    spare_proofs: bool,
    interrupted: &impl Fn() -> bool,
) -> Coldest {
    let mut reclaimable = [0_u64; BUCKETS];
    let mut walk = Walk::new(tree, spare_proofs);
    while let Some(index) = walk.next() {
        if walk.is_due() && interrupted() {
            return Coldest::Interrupted;
        }
        let node = tree.node(index);
        if walk.may_strip(index) {
            let children = node.children(&tree.arena).count() as u32;
            let cells = slots::cells(node.move_count()) + children;
            reclaimable[bucket(node.visits())] += u64::from(cells);
        }
        walk.descend(index);
    }
    let mut sum = 0;
    let enough = reclaimable.iter().position(|cells| {
        sum += cells;
        sum >= wanted
    });
    enough.map_or(Coldest::NotEnough, |bucket| Coldest::UpTo(highest_visits(bucket)))
}

fn strip_up_to(tree: &Tree, limit: u32, spare_proofs: bool, interrupted: &impl Fn() -> bool) {
    let mut walk = Walk::new(tree, spare_proofs);
    while let Some(index) = walk.next() {
        if walk.is_due() && interrupted() {
            return;
        }
        let node = tree.node(index);
        if node.visits() <= limit && walk.may_strip(index) {
            tree.arena.discard_moves(node.first_slots());
            node.strip();
        } else {
            walk.descend(index);
        }
    }
}

fn bucket(visits: u32) -> usize {
    if visits < EXACT { visits as usize } else { EXACT as usize + visits.ilog2() as usize - 8 }
}

fn highest_visits(bucket: usize) -> u32 {
    if bucket < EXACT as usize {
        bucket as u32
    } else {
        1_u32.checked_shl(bucket as u32 - EXACT + 9).map_or(u32::MAX, |top| top - 1)
    }
}

/// A walk over all nodes below the root, with a stack of its own.
struct Walk<'a> {
    tree: &'a Tree,
    stack: Vec<u32>,
    steps: u32,
    spare_proofs: bool,
}

impl<'a> Walk<'a> {
    fn new(tree: &'a Tree, spare_proofs: bool) -> Walk<'a> {
        Walk { tree, stack: vec![tree.root_index()], steps: 0, spare_proofs }
    }

    fn next(&mut self) -> Option<u32> {
        self.steps += 1;
        self.stack.pop()
    }

    fn is_due(&self) -> bool {
        self.steps.is_multiple_of(4096)
    }

    /// The root stays, and so does every node with a visit under way: a worker
    /// will come back to it.
    fn may_strip(&self, index: u32) -> bool {
        let node = self.tree.node(index);
        index != self.tree.root_index()
            && node.is_expanded()
            && node.in_flight() == 0
            && !self.is_spared(node)
    }

    /// A decided node, with all that proves it below.
    fn is_spared(&self, node: Node<'_>) -> bool {
        self.spare_proofs && matches!(node.score(), Score::Win(_) | Score::Loss(_))
    }

    fn descend(&mut self, index: u32) {
        let node = self.tree.node(index);
        if self.is_spared(node) {
            return;
        }
        self.stack.extend(node.children(&self.tree.arena).map(|(child, _)| child));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_all_counts() {
        for visits in [0, 1, 255, 256, 511, 512, 1 << 20, u32::MAX] {
            assert!(highest_visits(bucket(visits)) >= visits, "{visits}");
            assert!(bucket(visits) < BUCKETS);
        }
        assert_eq!(highest_visits(bucket(256)), 511);
    }
}
