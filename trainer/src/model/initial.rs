//! The weights that training starts from.

use super::{Architecture, Norm, Tensor, Weights, expected_tensors};
use engine::search::Random;

/// Squares that are set in the planes of a middle game, of the thousands that a
/// dense body sees.
const SET_SQUARES: usize = 100;

/// Seeded random weights after He: each layer keeps the size of its input.
///
/// Without normalization the residual branches start small, so that the sum of
/// all of them is no larger than the stem. The last layer of each head starts
/// near zero: the first answers are "all moves alike" and "nobody is better".
pub fn initial_weights(architecture: &Architecture, seed: u64) -> Weights {
    let mut random = Random::new(seed);
    let branch = match architecture.norm {
        Norm::None => (0.5 / architecture.blocks.max(1) as f64).sqrt(),
        Norm::Batch | Norm::Group => 1.0,
    };
    let tensors = expected_tensors(architecture).into_iter().map(|(name, dims)| {
        let count = dims.iter().product::<usize>();
        let data = match name.rsplit('.').next() {
            Some("weight") => {
                let fan_in = fan_in(&name, &dims) as f64;
                let spread = (6.0 / fan_in).sqrt() * scale(&name, branch);
                (0..count).map(|_| ((random.unit() * 2.0 - 1.0) * spread) as f32).collect()
            }
            Some("gamma" | "variance") => vec![1.0; count],
            _ => vec![0.0; count],
        };
        (name, Tensor { dims, data })
    });
    tensors.collect()
}

/// Numbers that a sum is made of.
pub fn fan_in(name: &str, dims: &[usize]) -> usize {
    match name {
        "features.weight" => SET_SQUARES,
        _ => dims.iter().skip(1).product::<usize>().max(1),
    }
}

fn scale(name: &str, branch: f64) -> f64 {
    match name {
        "policy.weight"
        | "policy.conv2.weight"
        | "value.dense2.weight"
        | "moves_left.dense2.weight" => 0.1,
        _ if name.ends_with("conv2.weight") => branch,
        _ => 1.0,
    }
}
