//! From the leaf to the root: statistics, and proofs as far as they reach.

use std::sync::atomic::{Ordering::SeqCst, fence};

use super::arena::Arena;
use super::node::Node;
use super::score::Score;
use super::slots::Content;

/// Books a visit on every node of `path` (root first). `q` and `draw` are the
/// leaf's value from the view of the side that moved into it.
pub fn book(arena: &Arena, path: &[u32], q: f32, draw: f32) {
    let mut q = q;
    for &index in path.iter().rev() {
        Node::at(arena, index).record(q, draw);
        q = -q;
    }
}

/// Takes back the marks of a visit that led nowhere.
pub fn undo(arena: &Arena, path: &[u32]) {
    for &index in path {
        Node::at(arena, index).leave();
    }
}

/// Stores a proof at the end of `path` and carries it towards the root while it
/// decides the parents too.
pub fn prove(arena: &Arena, path: &[u32], score: Score) {
    let Some((&leaf, ancestors)) = path.split_last() else { return };
    Node::at(arena, leaf).prove(score);
    // Two workers may settle the last two moves of a node at the same time: one
    // of them must see both.
    fence(SeqCst);
    for &index in ancestors.iter().rev() {
        let node = Node::at(arena, index);
        match conclude(arena, node) {
            Some(proof) => node.prove(proof),
            None => return,
        }
        fence(SeqCst);
    }
}

/// What the children prove of their parent: one winning move wins; if all moves
/// are settled, the best of them counts. The winner mates as soon as possible,
/// the loser as late as possible.
fn conclude(arena: &Arena, node: Node<'_>) -> Option<Score> {
    let mut fastest_win: Option<u16> = None;
    let mut slowest_loss: Option<u16> = None;
    let mut drawn = false;
    let mut settled = node.is_expanded();
    for (_, content) in node.slots(arena) {
        let Content::Child(index) = content else {
            settled = false;
            break;
        };
        match Node::at(arena, index).score() {
            Score::Estimate(_) => settled = false,
            Score::Win(plies) => fastest_win = Some(fastest_win.map_or(plies, |w| plies.min(w))),
            Score::Loss(plies) => slowest_loss = slowest_loss.max(Some(plies)),
            Score::Draw => drawn = true,
        }
    }
    if let Some(plies) = fastest_win {
        return Some(Score::Win(plies).for_parent());
    }
    if !settled {
        return None;
    }
    if drawn { Some(Score::Draw) } else { slowest_loss.map(|n| Score::Loss(n).for_parent()) }
}
