//! 3x3 convolution of 8x8 boards by Winograd's F(4x4, 3x3): a quarter of the
//! multiplications.
//!
//! Boards are [64 squares][channels], channels padded. A board with a border of
//! zeros is 10x10 squares; four tiles of 6x6, four squares apart, cover it, and
//! each gives 4x4 squares of the result. A tile is transformed to 36 points; at
//! each point the tiles of all boards make one matrix product.
//!
//! Arrays are filled in plain loops: what is handed to `from_fn` or `map` as a
//! closure is compiled without the processor's vector instructions.

use super::gemm::{Finish, Packed, multiply, padded};
use pulp::{Arch, Simd, WithSimd};

pub const SQUARES: usize = 64;
const TILES: usize = 4;
const POINTS: usize = 36;
const SIDE: usize = 10;

/// The filter transform: its six rows, for three taps in a line.
const LINE: [[f32; 3]; 6] = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

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
            for (row, upper) in LINE.iter().enumerate() {
                // Down the columns first, then along the row.
                let line: [f32; 3] = std::array::from_fn(|x| {
                    upper[0] * taps[x] + upper[1] * taps[3 + x] + upper[2] * taps[6 + x]
                });
                for (column, factors) in LINE.iter().enumerate() {
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
        // A cache line more than the tiles need: they are often a power of two,
        // and all points would fall on the same lines of the cache.
        let (from_stride, to_stride) = (tiles * inputs + 16, tiles * outputs + 16);
        let bordered = sized(&mut scratch.bordered, SIDE * SIDE * inputs);
        bordered.fill(0.0);
        let points = sized(&mut scratch.from, POINTS * from_stride);
        for (index, board) in from.chunks_exact(SQUARES * inputs).enumerate() {
            for (rank, squares) in board.chunks_exact(8 * inputs).enumerate() {
                let place = ((rank + 1) * SIDE + 1) * inputs;
                bordered[place..][..8 * inputs].copy_from_slice(squares);
            }
            let first = index * TILES * inputs;
            arch.dispatch(ToTiles {
                bordered,
                points,
                channels: inputs,
                stride: from_stride,
                first,
            });
        }
        let results = sized(&mut scratch.to, POINTS * to_stride);
        for (point, filter) in self.points.iter().enumerate() {
            let from = &points[point * from_stride..][..tiles * inputs];
            let to = &mut results[point * to_stride..][..tiles * outputs];
            multiply(arch, from, filter, Finish::NOTHING, to);
        }
        for (index, board) in to.chunks_exact_mut(SQUARES * outputs).enumerate() {
            arch.dispatch(FromTiles {
                points: results,
                stride: to_stride,
                first: index * TILES * outputs,
                bias: &self.bias,
                relu: self.relu,
                board,
            });
        }
    }
}

fn sized(buffer: &mut Vec<f32>, size: usize) -> &mut [f32] {
    if buffer.len() < size {
        buffer.resize(size, 0.0);
    }
    &mut buffer[..size]
}

/// The same place of six lines.
macro_rules! across {
    ($lines:ident, $at:expr) => {
        [
            $lines[0][$at],
            $lines[1][$at],
            $lines[2][$at],
            $lines[3][$at],
            $lines[4][$at],
            $lines[5][$at],
        ]
    };
}

/// Input transform of one bordered board.
struct ToTiles<'a> {
    bordered: &'a [f32],
    points: &'a mut [f32],
    channels: usize,
    /// From one point to the next.
    stride: usize,
    /// Where the board's tiles begin at each point.
    first: usize,
}

impl WithSimd for ToTiles<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (from, _) = S::as_simd_f32s(self.bordered);
        let (to, _) = S::as_mut_simd_f32s(self.points);
        let n = self.channels / S::F32_LANES;
        let (stride, first) = (self.stride / S::F32_LANES, self.first / S::F32_LANES);
        let zero = simd.splat_f32s(0.0);
        for tile in 0..TILES {
            let corner = (tile / 2 * 4) * SIDE + tile % 2 * 4;
            for c in 0..n {
                let mut columns = [[zero; 6]; 6];
                for (x, column) in columns.iter_mut().enumerate() {
                    let mut line = [zero; 6];
                    for (y, value) in line.iter_mut().enumerate() {
                        *value = from[(corner + y * SIDE + x) * n + c];
                    }
                    *column = input(simd, line);
                }
                for y in 0..6 {
                    let row = input(simd, across!(columns, y));
                    for (x, value) in row.into_iter().enumerate() {
                        to[(y * 6 + x) * stride + first + tile * n + c] = value;
                    }
                }
            }
        }
    }
}

/// Output transform of one board's tiles, with bias and activation.
struct FromTiles<'a> {
    points: &'a [f32],
    stride: usize,
    first: usize,
    bias: &'a [f32],
    relu: bool,
    board: &'a mut [f32],
}

impl WithSimd for FromTiles<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (from, _) = S::as_simd_f32s(self.points);
        let (to, _) = S::as_mut_simd_f32s(self.board);
        let (bias, _) = S::as_simd_f32s(self.bias);
        let n = bias.len();
        let (stride, first) = (self.stride / S::F32_LANES, self.first / S::F32_LANES);
        let zero = simd.splat_f32s(0.0);
        for tile in 0..TILES {
            let corner = (tile / 2 * 4) * 8 + tile % 2 * 4;
            for (c, bias) in bias.iter().enumerate() {
                let mut columns = [[zero; 4]; 6];
                for (x, column) in columns.iter_mut().enumerate() {
                    let mut line = [zero; 6];
                    for (y, value) in line.iter_mut().enumerate() {
                        *value = from[(y * 6 + x) * stride + first + tile * n + c];
                    }
                    *column = output(simd, line);
                }
                for y in 0..4 {
                    let row = output(simd, across!(columns, y));
                    for (x, value) in row.into_iter().enumerate() {
                        let value = simd.add_f32s(value, *bias);
                        let value = if self.relu { simd.max_f32s(value, zero) } else { value };
                        to[(corner + y * 8 + x) * n + c] = value;
                    }
                }
            }
        }
    }
}

/// Rows of the input transform: (4 0 -5 0 1 0), (0 -4 -4 1 1 0), (0 4 -4 -1 1 0),
/// (0 -2 -1 2 1 0), (0 2 -1 -2 1 0), (0 4 0 -5 0 1).
#[inline(always)]
fn input<S: Simd>(simd: S, d: [S::f32s; 6]) -> [S::f32s; 6] {
    let (two, four) = (simd.splat_f32s(2.0), simd.splat_f32s(4.0));
    let five = simd.splat_f32s(5.0);
    let even = simd.sub_f32s(d[4], simd.mul_f32s(four, d[2]));
    let odd = simd.sub_f32s(d[3], simd.mul_f32s(four, d[1]));
    let near = simd.sub_f32s(d[4], d[2]);
    let far = simd.mul_f32s(two, simd.sub_f32s(d[3], d[1]));
    [
        simd.mul_add_e_f32s(four, d[0], simd.sub_f32s(d[4], simd.mul_f32s(five, d[2]))),
        simd.add_f32s(even, odd),
        simd.sub_f32s(even, odd),
        simd.add_f32s(near, far),
        simd.sub_f32s(near, far),
        simd.mul_add_e_f32s(four, d[1], simd.sub_f32s(d[5], simd.mul_f32s(five, d[3]))),
    ]
}

/// Rows of the output transform: (1 1 1 1 1 0), (0 1 -1 2 -2 0), (0 1 1 4 4 0),
/// (0 1 -1 8 -8 1).
#[inline(always)]
fn output<S: Simd>(simd: S, m: [S::f32s; 6]) -> [S::f32s; 4] {
    let (two, four) = (simd.splat_f32s(2.0), simd.splat_f32s(4.0));
    let eight = simd.splat_f32s(8.0);
    let near = simd.add_f32s(m[1], m[2]);
    let near_difference = simd.sub_f32s(m[1], m[2]);
    let far = simd.add_f32s(m[3], m[4]);
    let far_difference = simd.sub_f32s(m[3], m[4]);
    [
        simd.add_f32s(simd.add_f32s(m[0], near), far),
        simd.mul_add_e_f32s(two, far_difference, near_difference),
        simd.mul_add_e_f32s(four, far, near),
        simd.mul_add_e_f32s(eight, far_difference, simd.add_f32s(near_difference, m[5])),
    ]
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
