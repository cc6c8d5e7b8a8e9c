//! Seeded random weights for any architecture: for tests and benchmarks.

use super::initial::fan_in;
use super::{Architecture, Tensor, Weights, expected_tensors};
use engine::search::Random;

/// Weights whose activations stay level through the tower, as those of a trained
/// network do: weights by their inputs' count, norms near the identity, and
/// residual branches that add little. The same seed gives the same weights.
pub fn random_weights(architecture: &Architecture, seed: u64) -> Weights {
    let mut random = Random::new(seed);
    let mut uniform = move || (random.next_u64() >> 40) as f32 / (1u32 << 23) as f32 - 1.0;
    let tensors = expected_tensors(architecture).into_iter().map(|(name, dims)| {
        let fan_in = fan_in(&name, &dims) as f32;
        let (center, spread) = match name.rsplit('.').next() {
            Some("weight") if name.ends_with("conv2.weight") => (0.0, (1.5 / fan_in).sqrt()),
            Some("weight") => (0.0, (6.0 / fan_in).sqrt()),
            Some("gamma" | "variance") => (1.0, 0.25),
            _ => (0.0, 0.1),
        };
        let count = dims.iter().product();
        let data = (0..count).map(|_| center + uniform() * spread).collect();
        (name, Tensor { dims, data })
    });
    tensors.collect()
}
