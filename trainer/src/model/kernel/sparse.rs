//! Layers of which little is used: inputs that are mostly zero, and outputs of
//! which only some are asked for. Both cost what is used, not what there is.

use pulp::Arch;
use rayon::prelude::*;

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
            matrix.par_chunks(columns).map(|row| Arch::new().dispatch(|| nonzero(row))).collect();
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

    pub fn rows(&self) -> usize {
        self.ends.len()
    }

    fn row(&self, row: usize) -> &[(u32, f32)] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.cells[start..self.ends[row]]
    }
}

#[inline(always)]
fn nonzero(row: &[f32]) -> Vec<(u32, f32)> {
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

/// `x` * `weight`, whose rows are `width` wide, plus `bias` where it is given.
pub fn multiply(x: &Sparse, weight: &[f32], width: usize, bias: Option<&[f32]>) -> Vec<f32> {
    let mut y = vec![0.0; x.rows() * width];
    y.par_chunks_mut(ROWS * width).enumerate().for_each(|(task, rows)| {
        Arch::new().dispatch(|| {
            for (row, sum) in rows.chunks_exact_mut(width).enumerate() {
                if let Some(bias) = bias {
                    sum.copy_from_slice(bias);
                }
                for (column, value) in x.row(task * ROWS + row) {
                    add(sum, &weight[*column as usize * width..][..width], *value);
                }
            }
        });
    });
    y
}

/// The transposed `x`, of so many columns, * `y`, whose rows are `width` wide.
pub fn multiply_transposed(x: &Sparse, columns: usize, y: &[f32], width: usize) -> Vec<f32> {
    // Each task has some columns of the result to itself.
    let tasks = rayon::current_num_threads().min(width).max(1);
    let strip = width.div_ceil(tasks);
    let strips: Vec<Vec<f32>> = (0..width.div_ceil(strip))
        .into_par_iter()
        .map(|task| {
            let range = task * strip..((task + 1) * strip).min(width);
            let mut sums = vec![0.0; columns * range.len()];
            Arch::new().dispatch(|| {
                for (row, y) in y.chunks_exact(width).enumerate() {
                    let y = &y[range.clone()];
                    for (column, value) in x.row(row) {
                        add(&mut sums[*column as usize * y.len()..][..y.len()], y, *value);
                    }
                }
            });
            sums
        })
        .collect();
    if let [whole] = &strips[..] {
        return whole.clone();
    }
    let mut result = vec![0.0; columns * width];
    result.par_chunks_mut(width).enumerate().for_each(|(column, row)| {
        for (part, sums) in row.chunks_mut(strip).zip(&strips) {
            part.copy_from_slice(&sums[column * part.len()..][..part.len()]);
        }
    });
    result
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
            Arch::new().dispatch(|| {
                let cells = places.row(row).iter();
                let product = |(column, _): &(u32, f32)| {
                    let at = *column as usize;
                    bias[at] + dot(x, &weight[at * width..][..width])
                };
                cells.map(product).collect()
            })
        })
        .collect();
    rows.concat()
}

/// `weight` with each row of `shared` added to the rows of its group, of `group`
/// rows each.
pub fn with_shared(weight: &[f32], shared: &[f32], group: usize, width: usize) -> Vec<f32> {
    let mut sums = weight.to_vec();
    sums.par_chunks_mut(group * width).zip(shared.par_chunks(width)).for_each(|(rows, shared)| {
        Arch::new().dispatch(|| rows.chunks_mut(width).for_each(|row| add(row, shared, 1.0)));
    });
    sums
}

/// The sum of the rows of each group.
pub fn group_sums(rows: &[f32], group: usize, width: usize) -> Vec<f32> {
    let mut sums = vec![0.0; rows.len() / group];
    sums.par_chunks_mut(width).zip(rows.par_chunks(group * width)).for_each(|(sum, rows)| {
        Arch::new().dispatch(|| rows.chunks(width).for_each(|row| add(sum, row, 1.0)));
    });
    sums
}

#[inline(always)]
fn add(sum: &mut [f32], row: &[f32], factor: f32) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += x * factor;
    }
}

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 32;
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for i in 0..LANES {
            sums[i] += a[i] * b[i];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
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
