//! Muon's direction: a matrix of momentum in, the nearest matrix out whose
//! rows (or columns) are orthogonal and equally long.
//!
//! Every direction of the matrix then moves alike, the rare ones too. It comes
//! from Newton-Schulz iterations, products of small matrices: cheap beside the
//! gradients of a batch.

use burn::tensor::Tensor;

/// Of a quintic that drives every singular value towards 1 in few iterations.
const QUINTIC: [f64; 3] = [3.4445, -4.7750, 2.0315];
const ITERATIONS: usize = 5;

/// AdamW moves a weight by about this much of the learning rate; Muon's step is
/// made as long, so that one rate and one decay serve both.
const TYPICAL_STEP: f64 = 0.2;

/// Whether a tensor is a matrix within the network: inputs, last layers, biases
/// and norms are left to AdamW.
pub fn suits(name: &str) -> bool {
    let outer = [
        "stem.",
        "features.",
        "policy.weight",
        "policy.conv2.",
        "value.dense2.",
        "moves_left.dense2.",
    ];
    name.ends_with(".weight")
        && !name.ends_with("attention.weight")
        && !outer.iter().any(|start| name.starts_with(start))
}

/// The step of a weight of `dims`, whose first number counts the outputs.
pub fn direction(momentum: Tensor<1>, dims: &[usize]) -> Tensor<1> {
    let rows = dims.first().copied().unwrap_or(1).max(1);
    let numbers = dims.iter().product::<usize>();
    let columns = (numbers / rows).max(1);
    let matrix = momentum.reshape([rows, columns]);
    // The products below are smallest with the short side first.
    let flat = match rows <= columns {
        true => orthogonal(matrix).reshape([numbers]),
        false => orthogonal(matrix.transpose()).transpose().reshape([numbers]),
    };
    flat * (TYPICAL_STEP * (rows.max(columns) as f64).sqrt())
}

fn orthogonal(matrix: Tensor<2>) -> Tensor<2> {
    let length = matrix.clone().powf_scalar(2.0).sum().sqrt().into_scalar::<f32>();
    let mut x = matrix / (f64::from(length) + 1e-7);
    let [a, b, c] = QUINTIC;
    for _ in 0..ITERATIONS {
        let square = x.clone().matmul(x.clone().transpose());
        let factor = square.clone() * b + square.clone().matmul(square) * c;
        x = x.clone() * a + factor.matmul(x);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, TensorData};

    fn step(values: &[f32], dims: &[usize]) -> Vec<f32> {
        let data = TensorData::new(values.to_vec(), [values.len()]);
        direction(Tensor::from_data(data, &Device::flex()), dims).into_data().iter().collect()
    }

    #[test]
    fn rows_become_orthogonal_and_alike() {
        // Two rows that nearly agree, one of them far longer.
        let values = [30.0, 1.0, 0.0, 2.0, 3.0, 0.2, 0.1, 0.0];
        for dims in [[2, 4], [4, 2]] {
            let x = step(&values, &dims);
            let (rows, columns) = (dims[0], dims[1]);
            let at = |r: usize, c: usize| x[r * columns + c];
            let short = rows.min(columns);
            let dot = |i: usize, j: usize| -> f32 {
                match rows <= columns {
                    true => (0..columns).map(|c| at(i, c) * at(j, c)).sum(),
                    false => (0..rows).map(|r| at(r, i) * at(r, j)).sum(),
                }
            };
            let unit = (TYPICAL_STEP * TYPICAL_STEP) as f32 * 4.0;
            for i in 0..short {
                for j in 0..short {
                    let wanted = if i == j { 1.0 } else { 0.0 };
                    let found = dot(i, j) / unit;
                    // The quintic leaves lengths between 0.68 and 1.13.
                    assert!((found - wanted).abs() < 0.6, "{dims:?} {i} {j}: {found}");
                }
            }
        }
    }

    #[test]
    fn the_gradients_size_does_not_matter() {
        let small = step(&[1e-3, 2e-3, -1e-3, 5e-4], &[2, 2]);
        let large = step(&[1e3, 2e3, -1e3, 5e2], &[2, 2]);
        assert!(small.iter().zip(&large).all(|(a, b)| (a - b).abs() < 1e-3), "{small:?} {large:?}");
        assert!(step(&[0.0; 4], &[2, 2]).iter().all(|x| *x == 0.0));
    }

    #[test]
    fn matrices_within_the_network_alone() {
        for name in ["blocks.3.conv1.weight", "policy.conv1.weight", "value.dense1.weight"] {
            assert!(suits(name), "{name}");
        }
        for name in ["stem.weight", "policy.conv2.weight", "blocks.0.conv1.bias", "stem.norm.gamma"]
        {
            assert!(!suits(name), "{name}");
        }
    }
}
