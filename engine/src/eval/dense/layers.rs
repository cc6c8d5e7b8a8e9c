//! The layers, and their arithmetic. The two large matrices are kept in 16 bits:
//! half the memory to read is nearly half the time.

use pulp::Arch;

/// Columns that are summed up at once: as many as the registers hold.
const STRIP: usize = 256;
const NARROW: usize = 32;

/// The wide layer. Behind the first `hidden` of its numbers are ReLU and a
/// square, the others go directly to the value head.
pub struct Body {
    hidden: usize,
    width: usize,
    /// [inputs][width], in units of 1 / `scale`.
    weights: Vec<i16>,
    bias: Vec<i16>,
    scale: f32,
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
            scale,
        }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// The layer's numbers for the squares that are set.
    pub fn run(&self, arch: Arch, squares: &[(u16, f32)], to: &mut [f32]) {
        arch.dispatch(|| {
            let mut start = 0;
            while start < self.width {
                start += match self.width - start {
                    left if left >= STRIP => self.strip::<STRIP>(start, squares, to),
                    left if left >= NARROW => self.strip::<NARROW>(start, squares, to),
                    _ => self.strip::<1>(start, squares, to),
                };
            }
            for x in &mut to[..self.hidden] {
                *x = if *x > 0.0 { *x * *x } else { 0.0 };
            }
        });
    }

    /// The part of the numbers that passes ReLU.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Some columns; returns their number.
    #[inline(always)]
    fn strip<const N: usize>(&self, start: usize, squares: &[(u16, f32)], to: &mut [f32]) -> usize {
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
        let unit = 1.0 / self.scale;
        for (to, sum) in to[start..start + N].iter_mut().zip(sums) {
            *to = f32::from(sum) * unit;
        }
        N
    }
}

/// The largest weight in units: sums may be eight times as large.
const MOST: f32 = 4096.0;

/// The smallest unit that is worth it.
const FINEST: f32 = 4096.0;

/// A layer of which single outputs are asked for.
pub struct Rows {
    width: usize,
    /// [outputs][width]: the upper halves of f32 numbers.
    weights: Vec<u16>,
    bias: Vec<f32>,
}

impl Rows {
    /// `weights` are [outputs][width].
    pub fn new(width: usize, weights: &[f32], bias: Vec<f32>) -> Rows {
        Rows { width, weights: weights.iter().map(|x| upper_half(*x)).collect(), bias }
    }

    pub fn output(&self, arch: Arch, index: usize, x: &[f32]) -> f32 {
        let row = &self.weights[index * self.width..][..self.width];
        let widened = |half: u16| f32::from_bits(u32::from(half) << 16);
        self.bias[index] + arch.dispatch(|| dot(x, row, widened))
    }
}

fn upper_half(x: f32) -> u16 {
    half::bf16::from_f32(x).to_bits()
}

/// Two small layers with ReLU between.
pub struct Head {
    /// [outputs][inputs] each.
    pub first: Vec<f32>,
    pub first_bias: Vec<f32>,
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
    /// `direct` is added to the first layer, as far as it goes.
    pub fn run(&self, arch: Arch, x: &[f32], direct: &[f32]) -> [f32; MOST_OUTPUTS] {
        let mut outputs = [0.0; MOST_OUTPUTS];
        outputs.iter_mut().zip(&self.second_bias).for_each(|(to, bias)| *to = *bias);
        arch.dispatch(|| {
            let rows = self.first.chunks_exact(x.len()).zip(&self.first_bias);
            for (unit, (row, bias)) in rows.enumerate() {
                let y = dot(x, row, |w| w) + bias + direct.get(unit).unwrap_or(&0.0);
                let y = if y < 0.0 { 0.0 } else { y };
                for (output, to) in outputs.iter_mut().take(self.second_bias.len()).enumerate() {
                    *to += y * self.second[output * self.first_bias.len() + unit];
                }
            }
        });
        match self.finish {
            Finish::Nothing => outputs,
            Finish::Tanh => outputs.map(f32::tanh),
            // In a form that does not overflow.
            Finish::Softplus => outputs.map(|x| x.max(0.0) + (-x.abs()).exp().ln_1p()),
        }
    }
}

#[inline(always)]
fn dot<T: Copy>(x: &[f32], weights: &[T], widen: impl Fn(T) -> f32 + Copy) -> f32 {
    const LANES: usize = 64;
    let (x, x_rest) = x.as_chunks::<LANES>();
    let (w, w_rest) = weights.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, w) in x.iter().zip(w) {
        for i in 0..LANES {
            sums[i] += x[i] * widen(w[i]);
        }
    }
    let rest: f32 = x_rest.iter().zip(w_rest).map(|(x, w)| x * widen(*w)).sum();
    // Halves onto halves: one by one, these additions would take longer than all
    // products.
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for i in 0..width {
            sums[i] += sums[i + width];
        }
    }
    sums[0] + rest
}

/// Adds the places and numbers of all that is not zero.
#[inline(always)]
pub fn set_squares(planes: &[f32], to: &mut Vec<(u16, f32)>) {
    for (start, rank) in planes.as_chunks::<16>().0.iter().enumerate() {
        // Most stretches are empty. All bits together are two instructions, a
        // search for the first that is set is a loop.
        if rank.iter().fold(0, |bits, x| bits | x.to_bits()) != 0 {
            let set = rank.iter().enumerate().filter(|(_, x)| **x != 0.0);
            to.extend(set.map(|(i, x)| ((start * 16 + i) as u16, *x)));
        }
    }
}
