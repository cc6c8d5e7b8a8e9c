//! Search-contempt: at odd depths, where the opponent replies, visits beyond
//! the first N are drawn from the distribution those N visits had. The opponent
//! stops getting better, so lines that punish a *human-like* reply are explored.
//! See arXiv 2504.07757. Off by default; play strength with it is unproven.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::arena::Arena;
use super::node::Node;
use super::random::Random;

/// Frozen visit counts by node. Bounded: when full it starts afresh, and a node
/// then freezes the counts that it has by that time.
#[derive(Default)]
pub struct Frozen {
    counts: Mutex<HashMap<u32, Vec<(u32, u32)>>>,
}

/// About 30 MB at the utmost.
const MOST_NODES: usize = 100_000;

impl Frozen {
    pub fn clear(&self) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A child drawn from the frozen distribution of node `index`.
    pub fn sample(&self, arena: &Arena, index: u32, random: &mut Random) -> Option<u32> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MOST_NODES && !counts.contains_key(&index) {
            counts.clear();
        }
        let frozen = counts.entry(index).or_insert_with(|| {
            Node::at(arena, index)
                .children(arena)
                .map(|(child, node)| (child, node.visits()))
                .collect()
        });
        let drawn = random.weighted(frozen.iter().map(|(_, visits)| f64::from(*visits)))?;
        Some(frozen[drawn].0)
    }
}
