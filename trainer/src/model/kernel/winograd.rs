//! 3x3 convolution of 8x8 boards, forward and backward, by Winograd's F(4x4, 3x3).
//!
//! Boards are [boards][64 squares][channels]. A part of [`PART`] boards goes
//! through its transforms and 36 small matrix products in buffers of its thread.
//! The cut into parts does not depend on the number of threads, and the parts'
//! weight gradients are added in order, so results are the same on any number.

use super::filters::to_weight;
use super::matrix::{Matrix, multiply};
use super::scratch::{Scratch, filled_in_parallel, with_scratch, zeroed};
use engine::winograd::{
    BORDERED, Finish, LANES, POINTS, Points, SQUARES, TILES, from_tiles, from_tiles_adjoint,
    inside, sized, to_tiles, to_tiles_adjoint,
};
use pulp::Arch;
use rayon::prelude::*;
use std::sync::OnceLock;

/// Boards that pass through together: enough for the matrix products to run at
/// full speed, few enough for the buffers to stay near the core.
const PART: usize = 32;

/// Channels of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub inputs: usize,
    pub outputs: usize,
}

impl Shape {
    fn padded_inputs(self) -> usize {
        self.inputs.next_multiple_of(LANES)
    }

    fn padded_outputs(self) -> usize {
        self.outputs.next_multiple_of(LANES)
    }
}

/// y = conv(x) + bias, then max(y, 0) if `relu`.
///
/// `filters` are the weights as [`super::to_points`] gives them.
pub fn forward(shape: Shape, x: &[f32], filters: &[f32], bias: &[f32], relu: bool) -> Vec<f32> {
    let boards = x.len() / (SQUARES * shape.inputs);
    let length = boards * SQUARES * shape.outputs;
    filled_in_parallel(length, PART * SQUARES * shape.outputs, |part, y| {
        let x = part_of(x, part, shape.inputs);
        with_scratch(|scratch| forward_part(shape, x, filters, bias, relu, y, scratch));
    })
}

fn forward_part(
    shape: Shape,
    x: &[f32],
    filters: &[f32],
    bias: &[f32],
    relu: bool,
    y: &mut [f32],
    scratch: &mut Scratch,
) {
    let arch = Arch::new();
    let (inputs, outputs) = (shape.padded_inputs(), shape.padded_outputs());
    let tiles = x.len() / (SQUARES * shape.inputs) * TILES;
    let mut from = Points::new(&mut scratch.inputs, tiles, inputs);
    let bordered = zeroed(&mut scratch.bordered, BORDERED * inputs);
    gather_tiles(arch, shape, x, bordered, &mut from);
    let mut to = Points::new(&mut scratch.outputs, tiles, outputs);
    for point in 0..POINTS {
        multiply(
            Matrix::new(from.matrix(point), tiles, shape.inputs, inputs),
            Matrix::new(
                &filters[point * shape.inputs * shape.outputs..],
                shape.inputs,
                shape.outputs,
                shape.outputs,
            ),
            to.matrix_mut(point),
            outputs,
        );
    }
    let board = sized(&mut scratch.board, SQUARES * outputs);
    for (index, y) in y.chunks_mut(SQUARES * shape.outputs).enumerate() {
        from_tiles(arch, &to, index * TILES, Finish::NOTHING, board);
        for (y, row) in y.chunks_mut(shape.outputs).zip(board.chunks(outputs)) {
            for ((y, row), bias) in y.iter_mut().zip(row).zip(bias) {
                *y = row + bias;
                if relu && *y < 0.0 {
                    *y = 0.0;
                }
            }
        }
    }
}

/// What flows back.
pub struct Gradients {
    /// Empty unless asked for.
    pub x: Vec<f32>,
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
}

/// The forward pass and the gradient of its result.
pub struct Backward<'a> {
    pub shape: Shape,
    pub x: &'a [f32],
    pub filters: &'a [f32],
    /// The forward result, if it went through `relu`.
    pub y: Option<&'a [f32]>,
    pub gradient: &'a [f32],
    pub wants_x: bool,
}

struct PartGradients {
    /// Of the filters, not yet of the weights.
    weight: Vec<f32>,
    bias: Vec<f32>,
}

pub fn backward(pass: &Backward) -> Gradients {
    let shape = pass.shape;
    let boards = pass.x.len() / (SQUARES * shape.inputs);
    // Each part fills its own slice of `x`, and leaves its other gradients here.
    let found: Vec<OnceLock<PartGradients>> =
        (0..boards.div_ceil(PART)).map(|_| OnceLock::new()).collect();
    let run = |part: usize, x_gradient: &mut [f32]| {
        let gradients = with_scratch(|scratch| backward_part(pass, part, x_gradient, scratch));
        let _ = found[part].set(gradients);
    };
    let x = if pass.wants_x {
        filled_in_parallel(pass.x.len(), PART * SQUARES * shape.inputs, run)
    } else {
        (0..found.len()).into_par_iter().for_each(|part| run(part, &mut []));
        Vec::new()
    };
    let parts: Vec<PartGradients> = found.into_iter().filter_map(OnceLock::into_inner).collect();
    let mut bias = vec![0.0; shape.outputs];
    parts.iter().for_each(|part| add(&mut bias, &part.bias));
    let weights: Vec<Vec<f32>> = parts.into_iter().map(|part| part.weight).collect();
    Gradients { x, weight: to_weight(shape, &weights), bias }
}

fn backward_part(
    pass: &Backward,
    part: usize,
    x_gradient: &mut [f32],
    scratch: &mut Scratch,
) -> PartGradients {
    let arch = Arch::new();
    let shape = pass.shape;
    let (inputs, outputs) = (shape.padded_inputs(), shape.padded_outputs());
    let x = part_of(pass.x, part, shape.inputs);
    let gradient = part_of(pass.gradient, part, shape.outputs);
    let y = pass.y.map(|y| part_of(y, part, shape.outputs));
    let tiles = x.len() / (SQUARES * shape.inputs) * TILES;

    let mut to = Points::new(&mut scratch.outputs, tiles, outputs);
    let board = zeroed(&mut scratch.board, SQUARES * outputs);
    let mut bias = vec![0.0; shape.outputs];
    for (index, gradient) in gradient.chunks(SQUARES * shape.outputs).enumerate() {
        for square in 0..SQUARES {
            let row = &mut board[square * outputs..][..shape.outputs];
            row.copy_from_slice(&gradient[square * shape.outputs..][..shape.outputs]);
            if let Some(y) = y {
                let y = &y[(index * SQUARES + square) * shape.outputs..][..shape.outputs];
                for (row, &y) in row.iter_mut().zip(y) {
                    *row = if y > 0.0 { *row } else { 0.0 };
                }
            }
            add(&mut bias, row);
        }
        from_tiles_adjoint(arch, board, &mut to, index * TILES);
    }

    let mut from = Points::new(&mut scratch.inputs, tiles, inputs);
    let bordered = zeroed(&mut scratch.bordered, BORDERED * inputs);
    gather_tiles(arch, shape, x, bordered, &mut from);
    let mut weight = vec![0.0; POINTS * shape.inputs * shape.outputs];
    for point in 0..POINTS {
        multiply(
            Matrix::new(from.matrix(point), tiles, shape.inputs, inputs).transposed(),
            Matrix::new(to.matrix(point), tiles, shape.outputs, outputs),
            &mut weight[point * shape.inputs * shape.outputs..],
            shape.outputs,
        );
    }

    if pass.wants_x {
        for point in 0..POINTS {
            multiply(
                Matrix::new(to.matrix(point), tiles, shape.outputs, outputs),
                Matrix::new(
                    &pass.filters[point * shape.inputs * shape.outputs..],
                    shape.inputs,
                    shape.outputs,
                    shape.outputs,
                )
                .transposed(),
                from.matrix_mut(point),
                inputs,
            );
        }
        for (index, x_gradient) in x_gradient.chunks_mut(SQUARES * shape.inputs).enumerate() {
            to_tiles_adjoint(arch, &from, index * TILES, bordered);
            for (square, x_gradient) in x_gradient.chunks_mut(shape.inputs).enumerate() {
                x_gradient.copy_from_slice(&bordered[inside(square) * inputs..][..shape.inputs]);
            }
        }
    }
    PartGradients { weight, bias }
}

/// Input transform of every board of a part. `bordered` is zero outside the
/// board and beyond the channels, and stays so.
fn gather_tiles(arch: Arch, shape: Shape, x: &[f32], bordered: &mut [f32], points: &mut Points) {
    let inputs = points.channels;
    for (index, x) in x.chunks(SQUARES * shape.inputs).enumerate() {
        for (square, x) in x.chunks(shape.inputs).enumerate() {
            bordered[inside(square) * inputs..][..shape.inputs].copy_from_slice(x);
        }
        to_tiles(arch, bordered, points, index * TILES);
    }
}

fn part_of(data: &[f32], part: usize, channels: usize) -> &[f32] {
    let length = PART * SQUARES * channels;
    &data[part * length..data.len().min((part + 1) * length)]
}

fn add(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}
