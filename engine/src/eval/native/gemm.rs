//! Matrix products with a matrix that stays: rows in, rows out.
//!
//! The matrix is packed once, in panels of 16 columns, in the order in which the
//! inner loop reads it. Small blocks of the result stay in registers.

use crate::winograd::{Finish, LANES};
use pulp::{Arch, Simd, WithSimd};

pub fn padded(width: usize) -> usize {
    width.next_multiple_of(LANES)
}

/// A matrix of `inputs` rows and `outputs` columns, packed.
pub struct Packed {
    /// Rows, padded; those beyond are zero.
    inputs: usize,
    /// Panels of 16 columns: [panels][inputs][16].
    data: Vec<f32>,
}

impl Packed {
    /// `at(input, output)` is the matrix.
    pub fn new(inputs: usize, outputs: usize, at: impl Fn(usize, usize) -> f32) -> Packed {
        let mut packed = Packed::zero(inputs, outputs);
        for output in 0..outputs {
            for input in 0..inputs {
                packed.set(input, output, at(input, output));
            }
        }
        packed
    }

    pub fn zero(inputs: usize, outputs: usize) -> Packed {
        let rows = padded(inputs);
        Packed { inputs: rows, data: vec![0.0; rows * padded(outputs)] }
    }

    pub fn set(&mut self, input: usize, output: usize, value: f32) {
        let panel = output / LANES * self.inputs * LANES;
        self.data[panel + input * LANES + output % LANES] = value;
    }

    pub fn outputs(&self) -> usize {
        self.data.len() / self.inputs
    }
}

/// `to` = `from` * `matrix`, row by row; rows are as wide as the matrix is padded.
pub fn multiply(arch: Arch, from: &[f32], matrix: &Packed, finish: Finish, to: &mut [f32]) {
    arch.dispatch(Multiply { from, matrix, finish, to });
}

struct Multiply<'a> {
    from: &'a [f32],
    matrix: &'a Packed,
    finish: Finish<'a>,
    to: &'a mut [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Rows and vectors of a block: as many as the registers hold.
        match S::F32_LANES {
            16 => self.panels::<S, 12, 1>(simd),
            8 => self.panels::<S, 6, 2>(simd),
            4 => self.panels::<S, 4, 4>(simd),
            _ => self.panels::<S, 1, LANES>(simd),
        }
    }
}

impl Multiply<'_> {
    /// `V` vectors are one panel.
    #[inline(always)]
    fn panels<S: Simd, const R: usize, const V: usize>(self, simd: S) {
        let inputs = self.matrix.inputs;
        let rows = self.from.len() / inputs;
        let outputs = self.matrix.outputs() / S::F32_LANES;
        let (matrix, _) = S::as_simd_f32s(&self.matrix.data);
        let (bias, _) = S::as_simd_f32s(self.finish.bias);
        let (to, _) = S::as_mut_simd_f32s(self.to);
        for (panel, matrix) in matrix.chunks_exact(inputs * V).enumerate() {
            let mut start = [simd.splat_f32s(0.0); V];
            if !bias.is_empty() {
                start.copy_from_slice(&bias[panel * V..][..V]);
            }
            let mut row = 0;
            while row < rows {
                let from = &self.from[row * inputs..];
                let to = &mut to[row * outputs + panel * V..];
                let block = Block { simd, inputs, outputs, matrix, start, relu: self.finish.relu };
                row += match rows - row {
                    left if left >= R => block.run::<R>(from, to),
                    left if left >= 4 => block.run::<4>(from, to),
                    left if left >= 2 => block.run::<2>(from, to),
                    _ => block.run::<1>(from, to),
                };
            }
        }
    }
}

struct Block<'a, S: Simd, const V: usize> {
    simd: S,
    inputs: usize,
    /// From one row of the result to the next, in vectors.
    outputs: usize,
    matrix: &'a [S::f32s],
    start: [S::f32s; V],
    relu: bool,
}

impl<S: Simd, const V: usize> Block<'_, S, V> {
    /// `R` rows of one panel; returns their number.
    #[inline(always)]
    fn run<const R: usize>(&self, from: &[f32], to: &mut [S::f32s]) -> usize {
        let (simd, inputs) = (self.simd, self.inputs);
        assert!(self.matrix.len() == inputs * V);
        let mut sums = [self.start; R];
        let mut rows = [from; R];
        for (index, row) in rows.iter_mut().enumerate() {
            *row = &from[index * inputs..][..inputs];
        }
        for (input, vectors) in self.matrix.chunks_exact(V).enumerate() {
            for r in 0..R {
                // SAFETY: the panel has V vectors for each of the row's inputs.
                // The check costs a tenth of the time here.
                let factor = simd.splat_f32s(unsafe { *rows[r].get_unchecked(input) });
                for v in 0..V {
                    sums[r][v] = simd.mul_add_e_f32s(factor, vectors[v], sums[r][v]);
                }
            }
        }
        // In this order a sum that is no number stays one.
        let zero = simd.splat_f32s(0.0);
        for r in 0..R {
            for v in 0..V {
                let sum = sums[r][v];
                to[r * self.outputs + v] = if self.relu { simd.max_f32s(zero, sum) } else { sum };
            }
        }
        R
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_every_shape() {
        let value = |i: usize| ((i * 7919) % 23) as f32 - 11.0;
        for (rows, inputs, outputs) in [(1, 3, 1), (2, 16, 17), (13, 40, 48), (29, 18, 73)] {
            let matrix = Packed::new(inputs, outputs, |i, o| value(i * outputs + o));
            let mut from = vec![0.0; rows * padded(inputs)];
            for row in 0..rows {
                for input in 0..inputs {
                    from[row * padded(inputs) + input] = value(row * inputs + input + 5);
                }
            }
            let bias: Vec<f32> = (0..padded(outputs)).map(value).collect();
            let mut to = vec![f32::NAN; rows * padded(outputs)];
            let finish = Finish { bias: &bias, relu: true };
            multiply(Arch::new(), &from, &matrix, finish, &mut to);
            for row in 0..rows {
                for output in 0..outputs {
                    let sum: f32 = (0..inputs)
                        .map(|i| value(row * inputs + i + 5) * value(i * outputs + output))
                        .sum();
                    assert_eq!(to[row * padded(outputs) + output], (sum + bias[output]).max(0.0));
                }
            }
        }
    }
}
