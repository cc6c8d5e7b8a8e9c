//! The layers, and their arithmetic. All large matrices are kept in 16 bits:
//! half the memory to read is nearly half the time, and integers are multiplied
//! faster.

use crate::vectorized;
use pulp::Arch;

/// Columns that are summed up at once: as many as the registers hold.
const STRIP: usize = 256;
const NARROW: usize = 32;

/// The wide layer. Behind the first `hidden` of its numbers are ReLU and a
/// square, the others go directly to the value head.
pub struct Body {
    hidden: usize,
    width: usize,
    /// [inputs][width], in units of `unit`.
    weights: Vec<i16>,
    bias: Vec<i16>,
    unit: f32,
}

impl Body {
    /// `weights` are [inputs][width], `bias` is [width].
    pub fn new(hidden: usize, weights: &[f32], bias: &[f32]) -> Body {
        let largest = weights.iter().chain(bias).fold(0.0, |most: f32, x| most.max(x.abs()));
        // Sums of a hundred weights are a few times the largest of them; those
        // that would leave the range are held at its ends.
        let scale = (MOST / largest.max(1e-6)).min(FINEST);
        let rounded = |x: &f32| (x * scale).round() as i16;
        Body {
            hidden,
            width: bias.len(),
            weights: weights.iter().map(rounded).collect(),
            bias: bias.iter().map(rounded).collect(),
            unit: 1.0 / scale,
        }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// The layer's sums for the squares that are set, in its units.
    pub fn run(&self, arch: Arch, squares: &[(u16, f32)], sums: &mut [i16]) {
        run_body(arch, self, squares, sums);
    }

    /// What the heads see of the sums.
    pub fn activate(&self, arch: Arch, sums: &[i16], to: &mut Activations) {
        let (hidden, direct) = sums.split_at(self.hidden);
        to.direct.clear();
        to.direct.extend(direct.iter().map(|sum| f32::from(*sum) * self.unit));
        to.hidden.resize(self.hidden, 0);
        to.unit = rectify_and_square(arch, hidden, &mut to.hidden) * self.unit * self.unit;
    }

    /// Some columns; returns their number.
    #[inline(always)]
    fn strip<const N: usize>(&self, start: usize, squares: &[(u16, f32)], to: &mut [i16]) -> usize {
        let mut sums = [0i16; N];
        sums.copy_from_slice(&self.bias[start..start + N]);
        for &(square, value) in squares {
            let row = &self.weights[usize::from(square) * self.width + start..][..N];
            if value == 1.0 {
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum = sum.saturating_add(*weight);
                }
            } else {
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum = sum.saturating_add((f32::from(*weight) * value).round() as i16);
                }
            }
        }
        to[start..start + N].copy_from_slice(&sums);
        N
    }
}

/// The largest weight in units: sums may be eight times as large.
const MOST: f32 = 4096.0;

/// The smallest unit that is worth it.
const FINEST: f32 = 4096.0;

vectorized! {
    fn run_body<'a>(body: &'a Body, squares: &'a [(u16, f32)], sums: &'a mut [i16]) {
        let mut start = 0;
        while start < body.width {
            start += match body.width - start {
                left if left >= STRIP => body.strip::<STRIP>(start, squares, sums),
                left if left >= NARROW => body.strip::<NARROW>(start, squares, sums),
                _ => body.strip::<1>(start, squares, sums),
            };
        }
    }
}

/// The wide layer's numbers behind ReLU and square, and those without.
#[derive(Default)]
pub struct Activations {
    /// In units of `unit`, which fits these numbers: see [`LARGEST_SUM`].
    hidden: Vec<i16>,
    unit: f32,
    direct: Vec<f32>,
}

/// Bounds for sums of activations and for weights, in their units. No sum of
/// products can leave 32 bits.
const LARGEST_SUM: f32 = (1 << 18) as f32;
const LARGEST_WEIGHT: f32 = (1 << 12) as f32;

vectorized! {
    /// Returns the unit of the results, where those of the sums are one.
    fn rectify_and_square<'a>(sums: &'a [i16], to: &'a mut [i16]) -> f32 {
        let (mut largest, mut total) = (1, 1u32);
        for sum in sums {
            let square = i32::from(*sum.max(&0)).pow(2);
            largest = largest.max(square);
            // Rounded up, and within 32 bits for thousands of numbers.
            total += (square >> 12) as u32 + 1;
        }
        let scale = (LARGEST_SUM / (total as f32 * 4096.0)).min(f32::from(i16::MAX) / largest as f32);
        for (sum, to) in sums.iter().zip(to) {
            let square = i32::from(*sum.max(&0)).pow(2);
            *to = (square as f32 * scale + 0.5) as i32 as i16;
        }
        1.0 / scale
    }
}

/// A layer of which single outputs are asked for.
pub struct Rows {
    width: usize,
    /// [outputs][width], each row in units of its own.
    weights: Vec<i16>,
    units: Vec<f32>,
    bias: Vec<f32>,
}

impl Rows {
    /// `weights` are [outputs][width].
    pub fn new(width: usize, weights: &[f32], bias: Vec<f32>) -> Rows {
        let largest = |row: &[f32]| row.iter().fold(1e-20, |most: f32, x| most.max(x.abs()));
        let units: Vec<f32> =
            weights.chunks_exact(width).map(|row| largest(row) / LARGEST_WEIGHT).collect();
        let rounded =
            weights.iter().enumerate().map(|(i, x)| (x / units[i / width]).round() as i16);
        Rows { width, weights: rounded.collect(), units, bias }
    }

    /// Adds some outputs.
    pub fn outputs(&self, arch: Arch, indices: &[u16], x: &Activations, to: &mut Vec<f32>) {
        run_rows(arch, self, indices, x, to);
    }

    #[inline(always)]
    fn output(&self, index: usize, x: &Activations) -> f32 {
        let row = &self.weights[index * self.width..][..self.width];
        let mut sum = 0;
        for (x, weight) in x.hidden.iter().zip(row) {
            sum += i32::from(*x) * i32::from(*weight);
        }
        self.bias[index] + sum as f32 * (self.units[index] * x.unit)
    }
}

vectorized! {
    fn run_rows<'a>(rows: &'a Rows, indices: &'a [u16], x: &'a Activations, to: &'a mut Vec<f32>) {
        for index in indices {
            to.push(rows.output(usize::from(*index), x));
        }
    }
}

/// Two small layers with ReLU between.
pub struct Head {
    pub first: Rows,
    /// [outputs][inputs].
    pub second: Vec<f32>,
    pub second_bias: Vec<f32>,
    pub finish: Finish,
}

/// What comes behind a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    Nothing,
    Tanh,
    Softplus,
}

/// Most outputs of a head.
pub const MOST_OUTPUTS: usize = 3;

impl Head {
    /// The width between the layers.
    pub fn width(&self) -> usize {
        self.first.bias.len()
    }

    /// `direct` says whether the numbers for the value head are added to the
    /// first layer.
    pub fn run(&self, arch: Arch, x: &Activations, direct: bool) -> [f32; MOST_OUTPUTS] {
        let mut outputs = [0.0; MOST_OUTPUTS];
        outputs.iter_mut().zip(&self.second_bias).for_each(|(to, bias)| *to = *bias);
        let direct = if direct { &x.direct[..] } else { &[] };
        run_head(arch, self, x, direct, &mut outputs);
        match self.finish {
            Finish::Nothing => outputs,
            Finish::Tanh => outputs.map(f32::tanh),
            // In a form that does not overflow.
            Finish::Softplus => outputs.map(|x| x.max(0.0) + (-x.abs()).exp().ln_1p()),
        }
    }
}

vectorized! {
    fn run_head<'a>(
        head: &'a Head,
        x: &'a Activations,
        direct: &'a [f32],
        outputs: &'a mut [f32; MOST_OUTPUTS],
    ) {
        for unit in 0..head.width() {
            let y = head.first.output(unit, x) + direct.get(unit).unwrap_or(&0.0);
            let y = if y < 0.0 { 0.0 } else { y };
            for (output, to) in outputs.iter_mut().take(head.second_bias.len()).enumerate() {
                *to += y * head.second[output * head.width() + unit];
            }
        }
    }
}
