//! The filters of Winograd's convolution: weights to points and gradients back.
//!
//! Weights are [outputs][inputs][9 taps]; points are [36][inputs][outputs], one
//! matrix for each point of a transformed tile.

use super::winograd::Shape;
use engine::winograd::{FILTER_LINE, POINTS};
use rayon::prelude::*;
use std::array::from_fn;

const TAPS: usize = 9;

/// Numbers that one task works on.
const BLOCK: usize = 1024;

/// How much each tap of the square counts in a point.
fn factors(point: usize) -> [f32; TAPS] {
    from_fn(|tap| FILTER_LINE[point / 6][tap / 3] * FILTER_LINE[point % 6][tap % 3])
}

pub fn to_points(shape: Shape, weight: &[f32]) -> Vec<f32> {
    let size = shape.inputs * shape.outputs;
    let taps = by_tap(shape, weight);
    let mut points = vec![0.0; POINTS * size];
    points.par_chunks_mut(size).enumerate().for_each(|(point, matrix)| {
        for (factor, tap) in factors(point).into_iter().zip(taps.chunks_exact(size)) {
            if factor != 0.0 {
                add_scaled(matrix, factor, tap);
            }
        }
    });
    points
}

/// The adjoint, for the sum of several gradients, which are added in order.
pub fn to_weight(shape: Shape, gradients: &[Vec<f32>]) -> Vec<f32> {
    let size = shape.inputs * shape.outputs;
    let blocks: Vec<Vec<f32>> = (0..size.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| tap_block(gradients, size, block * BLOCK))
        .collect();
    let mut weight = vec![0.0; TAPS * size];
    for (index, block) in blocks.iter().enumerate() {
        let length = block.len() / TAPS;
        for (tap, values) in block.chunks_exact(length).enumerate() {
            for (offset, value) in values.iter().enumerate() {
                let place = index * BLOCK + offset;
                let (input, output) = (place / shape.outputs, place % shape.outputs);
                weight[(output * shape.inputs + input) * TAPS + tap] = *value;
            }
        }
    }
    weight
}

/// The gradients of all taps for the numbers from `first` on: [TAPS][block].
fn tap_block(gradients: &[Vec<f32>], size: usize, first: usize) -> Vec<f32> {
    let length = BLOCK.min(size - first);
    let mut taps = vec![0.0; TAPS * length];
    let mut sum = vec![0.0; length];
    for point in 0..POINTS {
        sum.fill(0.0);
        for gradient in gradients {
            add_scaled(&mut sum, 1.0, &gradient[point * size + first..][..length]);
        }
        for (factor, tap) in factors(point).into_iter().zip(taps.chunks_exact_mut(length)) {
            if factor != 0.0 {
                add_scaled(tap, factor, &sum);
            }
        }
    }
    taps
}

/// [outputs][inputs][TAPS] to [TAPS][inputs][outputs].
fn by_tap(shape: Shape, weight: &[f32]) -> Vec<f32> {
    let size = shape.inputs * shape.outputs;
    let mut taps = vec![0.0; TAPS * size];
    for (index, filter) in weight.chunks_exact(TAPS).enumerate() {
        let (output, input) = (index / shape.inputs, index % shape.inputs);
        for (tap, value) in filter.iter().enumerate() {
            taps[tap * size + input * shape.outputs + output] = *value;
        }
    }
    taps
}

fn add_scaled(to: &mut [f32], factor: f32, from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}
