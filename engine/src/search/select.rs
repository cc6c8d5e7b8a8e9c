//! PUCT: which child of a node to visit next.

use super::arena::{Arena, NIL};
use super::node::Node;
use super::params::Params;
use super::score::Score;
use super::slots::{Content, Edge, Slot};

/// Where to go from a node.
pub enum Pick<'a> {
    Child(u32),
    /// A move that was never visited.
    New(Slot<'a>, Edge),
    /// Nothing here can be visited now.
    Nothing,
}

/// What selection must know beside the node.
#[derive(Clone, Copy)]
pub struct Place {
    pub is_root: bool,
    /// Worth of a draw for the side to move; 0 unless contempt is on.
    pub draw_value: f32,
}

/// The child with the highest value plus exploration term.
pub fn pick<'a>(arena: &'a Arena, node: Node<'a>, params: &Params, place: Place) -> Pick<'a> {
    let visits = node.visits().max(1);
    let (cpuct, reduction) = if place.is_root {
        (params.cpuct_root, params.fpu_reduction_root)
    } else {
        (params.cpuct, params.fpu_reduction)
    };
    let spread = params.spread_factor(node.variance(), visits);
    let explore = cpuct.at(visits) * spread * (visits as f32).sqrt();

    let mut best = (f32::NEG_INFINITY, NIL);
    let mut pending = (f32::NEG_INFINITY, NIL);
    let mut lost = NIL;
    let mut unvisited = None;
    let mut visited_policy = 0.0;
    for (slot, content) in node.slots(arena) {
        let index = match content {
            Content::Child(index) => index,
            Content::Unvisited(edge) => {
                unvisited = Some((slot, edge));
                break;
            }
        };
        let child = Node::at(arena, index);
        let n = child.visits();
        let started = n + child.in_flight();
        let exploration = child.prior() * explore / (1 + started) as f32;
        if n == 0 {
            // In another batch: all such children share the value of an
            // unvisited move, which is known only after this loop.
            if exploration > pending.0 {
                pending = (exploration, index);
            }
            continue;
        }
        visited_policy += child.prior();
        let q = match child.score() {
            Score::Win(_) => return Pick::Child(index),
            Score::Loss(_) => {
                lost = index;
                continue;
            }
            Score::Draw => place.draw_value,
            Score::Estimate(q) if place.draw_value == 0.0 => q,
            Score::Estimate(q) => q + place.draw_value * child.draw(),
        };
        let total = q + exploration * uncertainty(child, params);
        if total > best.0 {
            best = (total, index);
        }
    }

    let softened = reduction * (1.0 - params.draw_sibling_fpu * node.draw());
    let parent = -node.score().q() + place.draw_value * node.draw();
    let first_play = parent - softened * visited_policy.sqrt();
    if first_play + pending.0 > best.0 {
        best = (first_play + pending.0, pending.1);
    }
    if let Some((slot, edge)) = unvisited
        && first_play + edge.prior() * explore > best.0
    {
        return Pick::New(slot, edge);
    }
    match best.1 {
        NIL if lost == NIL => Pick::Nothing,
        NIL => Pick::Child(lost),
        child => Pick::Child(child),
    }
}

/// Moves with an open outcome (neither drawn nor decided) earn a closer look.
fn uncertainty(child: Node<'_>, params: &Params) -> f32 {
    if params.uncertainty_bonus == 0.0 {
        return 1.0;
    }
    let q = child.score().q();
    let variance = (1.0 - child.draw() - q * q).max(0.0);
    1.0 + params.uncertainty_bonus * variance.sqrt()
}
