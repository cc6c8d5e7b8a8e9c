//! The activations of a network on real positions: their ranges and means.
//!
//! In: the network with its points as outputs, and planes. Out: for each point
//! what its 8 bits should cover.

use super::ExportError;
use crate::model::Architecture;
use engine::eval::{Runtime, TensorSession};
use std::collections::BTreeMap;

/// Positions that run at once: their activations must fit into memory.
const BATCH: usize = 16;

/// Activations by the names of the points.
pub(super) type Activations = BTreeMap<String, Observed>;

/// What was seen of one tensor [batch, channels, 8, 8].
///
/// The range is the whole one: cutting off the largest tenth of it made the
/// policies of a trained network differ more, because what sticks out matters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Observed {
    /// Never above zero, as `high` is never below: zero must have an integer of
    /// its own, because convolutions pad with it.
    pub low: f32,
    pub high: f32,
    /// The mean of each channel.
    pub means: Vec<f32>,
}

impl Observed {
    /// The step between two integers, and the integer of zero.
    pub fn steps(&self) -> (f32, u8) {
        let scale = ((self.high - self.low) / 255.0).max(1e-8);
        (scale, (-self.low / scale).round() as u8)
    }

    /// Adds a batch of `positions`, whose share of all positions is `share`.
    fn add(&mut self, numbers: &[f32], positions: usize, share: f32) {
        let channels = numbers.len() / (positions * 64);
        self.means.resize(channels, 0.0);
        for (index, squares) in numbers.chunks(64).enumerate() {
            let mut sum = 0.0;
            for &x in squares {
                self.low = self.low.min(x);
                self.high = self.high.max(x);
                sum += x;
            }
            self.means[index % channels] += sum / (64 * positions) as f32 * share;
        }
    }
}

/// Runs the positions of `calibration`.
pub(super) fn observe(
    runtime: &Runtime,
    observed: &[u8],
    calibration: &[f32],
    architecture: &Architecture,
) -> Result<Activations, ExportError> {
    let planes = architecture.encoder.planes();
    let mut session = TensorSession::open(runtime, observed, planes)?;
    let mut activations = Activations::new();
    let mut input = Observed::default();
    for batch in calibration.chunks(BATCH * planes * 64) {
        let positions = batch.len() / (planes * 64);
        let share = batch.len() as f32 / calibration.len() as f32;
        input.add(batch, positions, share);
        for (name, numbers) in session.run(batch)? {
            // The answers come along; those that are no boards have no channels.
            if numbers.len().is_multiple_of(positions * 64) {
                activations.entry(name).or_default().add(&numbers, positions, share);
            }
        }
    }
    // Planes of ones and zeros are exact in steps of 1/255. Planes that count
    // are not, so they and the first convolution stay in f32.
    if input.low >= 0.0 && input.high <= 1.0 {
        activations.insert("planes".to_string(), Observed { high: 1.0, ..input });
    }
    Ok(activations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_an_exact_integer() {
        let steps = |low, high| Observed { low, high, means: Vec::new() }.steps();
        let (scale, zero) = steps(-1.0, 3.0);
        assert_eq!(zero, 64);
        assert!((scale - 4.0 / 255.0).abs() < 1e-7);
        assert_eq!(steps(0.0, 0.0).1, 0);
        assert_eq!(steps(-2.0, 0.0).1, 255);
    }

    #[test]
    fn batches_add_up() {
        let mut observed = Observed::default();
        let board = |a: f32, b: f32| [[a; 64], [b; 64]].concat();
        observed.add(&[board(1.0, 2.0), board(3.0, -4.0)].concat(), 2, 0.5);
        observed.add(&[board(0.0, 0.0), board(0.0, 0.0)].concat(), 2, 0.5);
        assert_eq!((observed.low, observed.high), (-4.0, 3.0));
        assert_eq!(observed.means, [1.0, -0.5]);
    }
}
