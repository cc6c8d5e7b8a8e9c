//! Moves not yet visited: 4 bytes each, seven to a cell, best prior first.

use std::sync::atomic::Ordering::Relaxed;

use super::arena::{Arena, CellPool, NEXT, NIL};
use crate::chess::PackedMove;

const PER_CELL: usize = 7;

/// Cells that the position with most legal moves (218) needs, and its node.
pub const MOST_CELLS: usize = 218_usize.div_ceil(PER_CELL) + 1;

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

/// Writes edges into fresh cells; returns the first cell, or `None` if the
/// pool ran dry (then nothing was taken for good).
pub fn write(arena: &Arena, pool: &mut CellPool, edges: &[Edge]) -> Option<u32> {
    if !pool.ensure(arena, edges.len().div_ceil(PER_CELL)) {
        return None;
    }
    let mut first = NIL;
    let mut last = NIL;
    for chunk in edges.chunks(PER_CELL) {
        let index = pool.take(arena)?;
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

/// Edge number `index` of the chain at `first`.
pub fn read(arena: &Arena, first: u32, index: u32) -> Edge {
    let mut cell = first;
    for _ in 0..index as usize / PER_CELL {
        cell = arena.cell(cell).0[NEXT].load(Relaxed);
    }
    Edge(arena.cell(cell).0[index as usize % PER_CELL].load(Relaxed))
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
    fn edges_read_back_in_order() {
        let arena = Arena::new(0);
        let mut pool = CellPool::default();
        let edges: Vec<Edge> = (0..218).map(|i| Edge::new(PackedMove(i), 0.5)).collect();
        let first = write(&arena, &mut pool, &edges).unwrap();
        for (i, edge) in edges.iter().enumerate() {
            assert_eq!(read(&arena, first, i as u32), *edge);
        }
        assert_eq!(cells(218) as usize + 1, MOST_CELLS);
    }
}
