//! 3x3 convolution of boards, with all boards of a batch at once.
//!
//! Boards are [64 squares][channels], channels padded. Their tiles are transformed
//! to points; at each point the tiles of all boards make one matrix product.

use super::gemm::{Packed, multiply, padded};
use crate::winograd::{
    BORDERED, FILTER_LINE, Finish, POINTS, Points, SIDE, SQUARES, TILES, from_tiles, sized,
    to_tiles,
};
use pulp::Arch;

/// A convolution with its filters transformed.
pub struct Convolution {
    points: Vec<Packed>,
    bias: Vec<f32>,
    inputs: usize,
    relu: bool,
}

/// Memory that convolutions share.
#[derive(Default)]
pub struct Scratch {
    bordered: Vec<f32>,
    from: Vec<f32>,
    to: Vec<f32>,
}

impl Convolution {
    /// `weight` is [outputs][inputs][9], as ONNX has it.
    pub fn new(inputs: usize, outputs: usize, weight: &[f32], bias: &[f32]) -> Convolution {
        let mut points: Vec<Packed> = (0..POINTS).map(|_| Packed::zero(inputs, outputs)).collect();
        for (index, taps) in weight.as_chunks::<9>().0.iter().enumerate() {
            let (output, input) = (index / inputs, index % inputs);
            for (row, upper) in FILTER_LINE.iter().enumerate() {
                // Down the columns first, then along the row.
                let line: [f32; 3] = std::array::from_fn(|x| {
                    upper[0] * taps[x] + upper[1] * taps[3 + x] + upper[2] * taps[6 + x]
                });
                for (column, factors) in FILTER_LINE.iter().enumerate() {
                    let value: f32 = factors.iter().zip(line).map(|(factor, x)| factor * x).sum();
                    points[row * 6 + column].set(input, output, value);
                }
            }
        }
        let mut padded_bias = bias.to_vec();
        padded_bias.resize(padded(outputs), 0.0);
        Convolution { points, bias: padded_bias, inputs: padded(inputs), relu: false }
    }

    /// Negative results become zero.
    pub fn with_relu(&mut self) {
        self.relu = true;
    }

    pub fn run(&self, arch: Arch, from: &[f32], to: &mut [f32], scratch: &mut Scratch) {
        let (inputs, outputs) = (self.inputs, self.bias.len());
        let tiles = from.len() / (SQUARES * inputs) * TILES;
        let bordered = sized(&mut scratch.bordered, BORDERED * inputs);
        bordered.fill(0.0);
        let mut points = Points::new(&mut scratch.from, tiles, inputs);
        for (index, board) in from.chunks_exact(SQUARES * inputs).enumerate() {
            for (rank, squares) in board.chunks_exact(8 * inputs).enumerate() {
                let place = ((rank + 1) * SIDE + 1) * inputs;
                bordered[place..][..8 * inputs].copy_from_slice(squares);
            }
            to_tiles(arch, bordered, &mut points, index * TILES);
        }
        let mut results = Points::new(&mut scratch.to, tiles, outputs);
        for (point, filter) in self.points.iter().enumerate() {
            let to = results.matrix_mut(point);
            multiply(arch, points.matrix(point), filter, Finish::NOTHING, to);
        }
        let finish = Finish { bias: &self.bias, relu: self.relu };
        for (index, board) in to.chunks_exact_mut(SQUARES * outputs).enumerate() {
            from_tiles(arch, &results, index * TILES, finish, board);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_as_by_definition() {
        let value = |i: usize| ((i * 7919) % 31) as f32 / 31.0 - 0.5;
        for (boards, inputs, outputs) in [(1, 1, 1), (3, 18, 20), (2, 32, 16)] {
            let weight: Vec<f32> = (0..outputs * inputs * 9).map(value).collect();
            let bias: Vec<f32> = (0..outputs).map(value).collect();
            let mut from = vec![0.0; boards * SQUARES * padded(inputs)];
            let at = |board: usize, square: usize, c: usize| value(board * 999 + square * 77 + c);
            for (place, row) in from.chunks_exact_mut(padded(inputs)).enumerate() {
                for (c, x) in row.iter_mut().take(inputs).enumerate() {
                    *x = at(place / SQUARES, place % SQUARES, c);
                }
            }
            let mut convolution = Convolution::new(inputs, outputs, &weight, &bias);
            convolution.with_relu();
            let mut to = vec![f32::NAN; boards * SQUARES * padded(outputs)];
            convolution.run(Arch::new(), &from, &mut to, &mut Scratch::default());
            for (place, row) in to.chunks_exact(padded(outputs)).enumerate() {
                let (board, square) = (place / SQUARES, place % SQUARES);
                for output in 0..outputs {
                    let mut sum = bias[output];
                    for tap in 0..9 {
                        let rank = (square / 8 + tap / 3).wrapping_sub(1);
                        let file = (square % 8 + tap % 3).wrapping_sub(1);
                        if rank < 8 && file < 8 {
                            for c in 0..inputs {
                                sum += at(board, rank * 8 + file, c)
                                    * weight[(output * inputs + c) * 9 + tap];
                            }
                        }
                    }
                    let sum = sum.max(0.0);
                    assert!((row[output] - sum).abs() < 1e-4, "{} {sum}", row[output]);
                }
            }
        }
    }
}
