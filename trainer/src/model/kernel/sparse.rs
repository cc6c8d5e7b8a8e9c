//! Layers of which little is used: inputs that are mostly zero, and outputs of
//! which only some are asked for. Both cost what is used, not what there is.

use engine::vectorized;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that one task takes.
const ROWS: usize = 64;

/// The numbers of a matrix that are not zero, row by row.
#[derive(Clone, Debug)]
pub struct Sparse {
    /// Where each row ends.
    ends: Vec<usize>,
    /// Column and number.
    cells: Vec<(u32, f32)>,
}

impl Sparse {
    /// Of a matrix with so many columns.
    pub fn of(matrix: &[f32], columns: usize) -> Sparse {
        let rows: Vec<Vec<(u32, f32)>> =
            matrix.par_chunks(columns).map(|row| nonzero(Arch::new(), row)).collect();
        let mut end = 0;
        let ends = rows.iter().map(|row| {
            end += row.len();
            end
        });
        Sparse { ends: ends.collect(), cells: rows.concat() }
    }

    pub fn from_rows(rows: impl Iterator<Item = Vec<(u32, f32)>>) -> Sparse {
        let (mut ends, mut cells) = (Vec::new(), Vec::new());
        for row in rows {
            cells.extend(row);
            ends.push(cells.len());
        }
        Sparse { ends, cells }
    }

    /// Other numbers in the same cells.
    pub fn with_values(&self, values: impl Iterator<Item = f32>) -> Sparse {
        let cells = self.cells.iter().zip(values).map(|((column, _), value)| (*column, value));
        Sparse { ends: self.ends.clone(), cells: cells.collect() }
    }

    /// The sum of each of so many columns.
    pub fn column_sums(&self, columns: usize) -> Vec<f32> {
        let mut sums = vec![0.0; columns];
        for (column, value) in &self.cells {
            sums[*column as usize] += value;
        }
        sums
    }

    /// All of so many columns in parts with about as many cells each.
    fn shares(&self, columns: usize, parts: usize) -> Vec<Range<usize>> {
        let mut counts = vec![0; columns];
        self.cells.iter().for_each(|(column, _)| counts[*column as usize] += 1);
        let (mut start, mut seen) = (0, 0);
        let mut shares = Vec::new();
        for (column, count) in counts.into_iter().enumerate() {
            seen += count;
            if seen * parts > self.cells.len() * (shares.len() + 1) {
                shares.push(start..column + 1);
                start = column + 1;
            }
        }
        shares.push(start..columns);
        shares
    }

    pub fn rows(&self) -> usize {
        self.ends.len()
    }

    fn row(&self, row: usize) -> &[(u32, f32)] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.cells[start..self.ends[row]]
    }
}

vectorized! {
    fn nonzero<'a>(row: &'a [f32]) -> Vec<(u32, f32)> {
        let mut cells = Vec::with_capacity(128);
        for (at, chunk) in row.chunks(16).enumerate() {
            // Most stretches are empty. All bits together are two instructions, a
            // search for the first that is set is a loop.
            if chunk.iter().fold(0, |bits, x| bits | x.to_bits()) != 0 {
                let found = chunk.iter().enumerate().filter(|(_, x)| **x != 0.0);
                cells.extend(found.map(|(i, x)| ((at * 16 + i) as u32, *x)));
            }
        }
        cells
    }
}

/// `x` * `weight`, whose rows are `width` wide, plus `bias` where it is given.
pub fn multiply(x: &Sparse, weight: &[f32], width: usize, bias: Option<&[f32]>) -> Vec<f32> {
    let mut y = vec![0.0; x.rows() * width];
    y.par_chunks_mut(width).enumerate().with_min_len(ROWS).for_each(|(row, sum)| {
        if let Some(bias) = bias {
            sum.copy_from_slice(bias);
        }
        add_rows(Arch::new(), sum, x.row(row), weight);
    });
    y
}

vectorized! {
    /// Adds rows of `weight`, as wide as the sum, each with its factor.
    fn add_rows<'a>(sum: &'a mut [f32], cells: &'a [(u32, f32)], weight: &'a [f32]) {
        let width = sum.len();
        for (column, value) in cells {
            add(sum, &weight[*column as usize * width..][..width], *value);
        }
    }
}

/// The transposed `x`, of so many columns, * `y`, whose rows are `width` wide.
pub fn multiply_transposed(x: &Sparse, columns: usize, y: &[f32], width: usize) -> Vec<f32> {
    let mut result = vec![0.0; columns * width];
    // Each task has some rows of the result to itself.
    let mut rest = &mut result[..];
    let mut tasks = Vec::new();
    for range in x.shares(columns, rayon::current_num_threads()) {
        let (sums, others) = rest.split_at_mut(range.len() * width);
        tasks.push((range, sums));
        rest = others;
    }
    tasks.into_par_iter().for_each(|(range, sums)| {
        for (row, y) in y.chunks_exact(width).enumerate() {
            add_to_rows(Arch::new(), sums, x.row(row), range.clone(), y);
        }
    });
    result
}

vectorized! {
    /// Adds `y` to those of a range of rows, as wide as it is, that the cells
    /// name, each time with its factor.
    fn add_to_rows<'a>(
        sums: &'a mut [f32],
        cells: &'a [(u32, f32)],
        range: Range<usize>,
        y: &'a [f32],
    ) {
        for (column, value) in cells {
            if range.contains(&(*column as usize)) {
                let start = (*column as usize - range.start) * y.len();
                add(&mut sums[start..][..y.len()], y, *value);
            }
        }
    }
}

/// For each cell of `places`: the product of its row of `x` with the row of
/// `weight` that its column names, plus that row's bias.
pub fn products(
    places: &Sparse,
    x: &[f32],
    weight: &[f32],
    width: usize,
    bias: &[f32],
) -> Vec<f32> {
    let rows: Vec<Vec<f32>> = x
        .par_chunks_exact(width)
        .enumerate()
        .map(|(row, x)| {
            Arch::new().dispatch(AskedProducts { cells: places.row(row), x, weight, bias })
        })
        .collect();
    rows.concat()
}

struct AskedProducts<'a> {
    cells: &'a [(u32, f32)],
    x: &'a [f32],
    weight: &'a [f32],
    bias: &'a [f32],
}

impl WithSimd for AskedProducts<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<f32> {
        let AskedProducts { cells, x, weight, bias } = self;
        let (vectors, rest) = S::as_simd_f32s(x);
        let mut products = Vec::with_capacity(cells.len());
        for at in cells.iter().map(|(column, _)| *column as usize) {
            let row = &weight[at * x.len()..][..x.len()];
            let (row, row_rest) = S::as_simd_f32s(row);
            // Two sums side by side, so that none waits for itself.
            let mut sums = [simd.splat_f32s(0.0); 2];
            for (i, (a, b)) in vectors.iter().zip(row).enumerate() {
                sums[i % 2] = simd.mul_add_e_f32s(*a, *b, sums[i % 2]);
            }
            let mut product = bias[at] + simd.reduce_sum_f32s(simd.add_f32s(sums[0], sums[1]));
            for (a, b) in rest.iter().zip(row_rest) {
                product += a * b;
            }
            products.push(product);
        }
        products
    }
}

/// `weight` with each row of `shared` added to the rows of its group, of `group`
/// rows each.
pub fn with_shared(weight: &[f32], shared: &[f32], group: usize, width: usize) -> Vec<f32> {
    let mut sums = weight.to_vec();
    sums.par_chunks_mut(group * width).zip(shared.par_chunks(width)).for_each(|(rows, shared)| {
        share(Arch::new(), rows, shared);
    });
    sums
}

vectorized! {
    fn share<'a>(rows: &'a mut [f32], shared: &'a [f32]) {
        rows.chunks_mut(shared.len()).for_each(|row| add(row, shared, 1.0));
    }
}

/// The sum of the rows of each group.
pub fn group_sums(rows: &[f32], group: usize, width: usize) -> Vec<f32> {
    let mut sums = vec![0.0; rows.len() / group];
    sums.par_chunks_mut(width).zip(rows.par_chunks(group * width)).for_each(|(sum, rows)| {
        sum_up(Arch::new(), rows, sum);
    });
    sums
}

vectorized! {
    fn sum_up<'a>(rows: &'a [f32], sum: &'a mut [f32]) {
        rows.chunks(sum.len()).for_each(|row| add(sum, row, 1.0));
    }
}

#[inline(always)]
fn add(sum: &mut [f32], row: &[f32], factor: f32) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += x * factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(i: usize) -> f32 {
        ((i * 7919) % 23) as f32 - 11.0
    }

    /// Three of four numbers are zero.
    fn matrix(rows: usize, columns: usize) -> Vec<f32> {
        let at = |i: usize| if i.is_multiple_of(4) { value(i) } else { 0.0 };
        (0..rows * columns).map(at).collect()
    }

    #[test]
    fn products_by_hand() {
        let (rows, columns, width) = (130, 37, 41);
        let x = matrix(rows, columns);
        let sparse = Sparse::of(&x, columns);
        let weight: Vec<f32> = (0..columns * width).map(value).collect();
        let bias: Vec<f32> = (0..width).map(value).collect();
        let y = multiply(&sparse, &weight, width, Some(&bias));
        let other: Vec<f32> = (0..rows * width).map(|i| value(i + 3)).collect();
        let transposed = multiply_transposed(&sparse, columns, &other, width);
        for row in 0..rows {
            for w in 0..width {
                let sum: f32 =
                    (0..columns).map(|c| x[row * columns + c] * weight[c * width + w]).sum();
                assert_eq!(y[row * width + w], sum + bias[w]);
            }
        }
        for column in 0..columns {
            for w in 0..width {
                let sum: f32 =
                    (0..rows).map(|r| x[r * columns + column] * other[r * width + w]).sum();
                assert_eq!(transposed[column * width + w], sum);
            }
        }
    }

    #[test]
    fn groups_share_a_row() {
        let (groups, group, width) = (3, 5, 7);
        let rows: Vec<f32> = (0..groups * group * width).map(value).collect();
        let shared: Vec<f32> = (0..groups * width).map(|i| value(i + 2)).collect();
        let together = with_shared(&rows, &shared, group, width);
        let sums = group_sums(&rows, group, width);
        for g in 0..groups {
            for w in 0..width {
                let at = |row: usize| (g * group + row) * width + w;
                let own = shared[g * width + w];
                assert!((0..group).all(|row| together[at(row)] == rows[at(row)] + own));
                let sum: f32 = (0..group).map(|row| rows[at(row)]).sum();
                assert_eq!(sums[g * width + w], sum);
            }
        }
    }

    #[test]
    fn only_asked_products() {
        let (width, outputs) = (45, 7);
        let x: Vec<f32> = (0..2 * width).map(value).collect();
        let weight: Vec<f32> = (0..outputs * width).map(|i| value(i + 1)).collect();
        let bias: Vec<f32> = (0..outputs).map(value).collect();
        let places = Sparse::from_rows([vec![(3, 0.0), (6, 0.0)], vec![(0, 0.0)]].into_iter());
        let found = products(&places, &x, &weight, width, &bias);
        let by_hand = |row: usize, output: usize| {
            let sum: f32 =
                (0..width).map(|i| x[row * width + i] * weight[output * width + i]).sum();
            sum + bias[output]
        };
        assert_eq!(found, [by_hand(0, 3), by_hand(0, 6), by_hand(1, 0)]);
    }
}
