//! One layer's weights as they go into the file, batch normalization folded in.

use crate::model::{NORM_EPSILON, Weights};

/// A convolution [outputs, inputs, k, k] or a dense layer [outputs, inputs].
pub(super) struct Layer {
    pub name: String,
    pub dims: Vec<usize>,
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
}

impl Layer {
    /// The layer as trained. `weights` have been checked to hold it.
    pub fn new(weights: &Weights, name: &str) -> Layer {
        let weight = &weights[&format!("{name}.weight")];
        let bias = weights[&format!("{name}.bias")].data.clone();
        Layer {
            name: name.to_string(),
            dims: weight.dims.clone(),
            weight: weight.data.clone(),
            bias,
        }
    }

    /// The layer with the batch normalization behind it: a scale and a shift per
    /// output, which weight and bias can take over.
    pub fn fold_batch_norm(mut self, weights: &Weights, norm: &str) -> Layer {
        let part = |part: &str| &weights[&format!("{norm}.{part}")].data;
        let (gamma, beta) = (part("gamma"), part("beta"));
        let (mean, variance) = (part("mean"), part("variance"));
        let rows = self.weight.chunks_mut(self.dims.iter().skip(1).product());
        for (output, row) in rows.enumerate() {
            let scale = gamma[output] / (variance[output] + NORM_EPSILON).sqrt();
            row.iter_mut().for_each(|w| *w *= scale);
            self.bias[output] = (self.bias[output] - mean[output]) * scale + beta[output];
        }
        self
    }

    /// The layer with what all squares of a plane share in the weights of each.
    pub fn with_shared(mut self, weights: &Weights) -> Layer {
        let shared = &weights[&format!("{}.shared", self.name)].data;
        let width = self.outputs();
        let planes = self.weight.chunks_mut(64 * width).zip(shared.chunks(width));
        for (plane, shared) in planes {
            for (weight, shared) in plane.iter_mut().zip(shared.iter().cycle()) {
                *weight += shared;
            }
        }
        self
    }

    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Side of a convolution's kernel.
    pub fn kernel(&self) -> usize {
        self.dims.last().copied().unwrap_or(1)
    }
}
