//! Gradients in, better weights out: SGD with momentum, AdamW or Muon.
//!
//! burn has them, but keeps their state by layer object; ours is kept by tensor
//! name, like everything else that goes into a checkpoint.

use super::muon;
use super::update_ops::{AdamState, AdamStep, adam, sum_of_squares};
use crate::config::{OptimizerKind, OptimizerSettings};
use burn::tensor::Tensor;
use std::collections::BTreeMap;

pub type Named = BTreeMap<String, Tensor<1>>;

pub struct Optimizer {
    settings: OptimizerSettings,
    /// Of every tensor, by name.
    dims: BTreeMap<String, Vec<usize>>,
    /// Momentum, or AdamW's mean of gradients.
    pub first: Named,
    /// AdamW's mean of squared gradients.
    pub second: Named,
    /// Updates made so far.
    pub updates: u64,
}

impl Optimizer {
    pub fn new(settings: &OptimizerSettings, dims: BTreeMap<String, Vec<usize>>) -> Optimizer {
        let (first, second) = (Named::new(), Named::new());
        Optimizer { settings: settings.clone(), dims, first, second, updates: 0 }
    }

    /// Changes `weights` by their gradients, which are clipped first. Returns
    /// the gradients' norm before that.
    pub fn update(&mut self, weights: &mut Named, gradients: Named, rate: f64) -> f64 {
        let norm = norm(&gradients);
        let clip = self.settings.gradient_clip;
        let factor = if clip > 0.0 && norm > clip { clip / norm } else { 1.0 };
        self.updates += 1;
        for (name, gradient) in gradients {
            let Some(weight) = weights.remove(&name) else { continue };
            // Biases and norms are few and keep their size.
            let decay = if name.ends_with(".weight") { self.settings.weight_decay } else { 0.0 };
            let kept = 1.0 - rate * decay;
            let clipped = |gradient| if factor < 1.0 { gradient * factor } else { gradient };
            let direction = match self.settings.kind {
                OptimizerKind::Sgd => self.momentum(&name, clipped(gradient)),
                OptimizerKind::Muon if muon::suits(&name) => self.muon(&name, clipped(gradient)),
                OptimizerKind::AdamW | OptimizerKind::Muon => {
                    let step = self.adam_step(factor, rate, kept);
                    let weight = self.adam(&name, weight, gradient, step);
                    weights.insert(name, weight);
                    continue;
                }
            };
            let weight = if decay > 0.0 { weight * kept } else { weight };
            weights.insert(name, weight - direction * rate);
        }
        norm
    }

    fn momentum(&mut self, name: &str, gradient: Tensor<1>) -> Tensor<1> {
        let settings = &self.settings;
        if settings.momentum == 0.0 {
            return gradient;
        }
        let velocity = match self.first.remove(name) {
            Some(velocity) => velocity * settings.momentum + gradient.clone(),
            None => gradient.clone(),
        };
        self.first.insert(name.to_string(), velocity.clone());
        match settings.nesterov {
            true => gradient + velocity * settings.momentum,
            false => velocity,
        }
    }

    fn muon(&mut self, name: &str, gradient: Tensor<1>) -> Tensor<1> {
        let momentum = self.momentum(name, gradient);
        let flat = momentum.dims().to_vec();
        muon::direction(momentum, self.dims.get(name).unwrap_or(&flat))
    }

    fn adam_step(&self, clip: f64, rate: f64, kept: f64) -> AdamStep {
        let OptimizerSettings { beta1, beta2, epsilon, .. } = self.settings;
        let updates = self.updates as f64;
        AdamStep {
            clip: clip as f32,
            beta1: beta1 as f32,
            beta2: beta2 as f32,
            grown: [beta1, beta2].map(|beta| (1.0 - beta.powf(updates)) as f32),
            epsilon: epsilon as f32,
            rate: rate as f32,
            kept: kept as f32,
        }
    }

    /// The new weight; the moments start from zero.
    fn adam(
        &mut self,
        name: &str,
        weight: Tensor<1>,
        gradient: Tensor<1>,
        step: AdamStep,
    ) -> Tensor<1> {
        let zeros = || Tensor::zeros(weight.dims(), &weight.device());
        let first = self.first.remove(name).unwrap_or_else(zeros);
        let second = self.second.remove(name).unwrap_or_else(zeros);
        let state = adam(AdamState { weight, first, second }, gradient, step);
        self.first.insert(name.to_string(), state.first);
        self.second.insert(name.to_string(), state.second);
        state.weight
    }
}

/// The length of all gradients together.
fn norm(gradients: &Named) -> f64 {
    gradients.values().cloned().map(sum_of_squares).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::preset;
    use burn::tensor::{Device, TensorData};

    fn named(name: &str, values: &[f32]) -> Named {
        let data = TensorData::new(values.to_vec(), [values.len()]);
        Named::from([(name.to_string(), Tensor::from_data(data, &Device::flex()))])
    }

    fn values(named: &Named, name: &str) -> Vec<f32> {
        named[name].clone().into_data().iter::<f32>().collect()
    }

    #[track_caller]
    fn assert_close(found: Vec<f32>, wanted: &[f32]) {
        let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
        assert!(found.iter().zip(wanted).all(close), "{found:?} is not {wanted:?}");
    }

    fn settings(kind: OptimizerKind) -> OptimizerSettings {
        OptimizerSettings {
            kind,
            weight_decay: 0.0,
            momentum: 0.9,
            nesterov: false,
            beta1: 0.9,
            beta2: 0.99,
            epsilon: 0.0,
            gradient_clip: 0.0,
            ..preset("nano").optimizer
        }
    }

    #[test]
    fn momentum_by_hand() {
        let mut optimizer = Optimizer::new(&settings(OptimizerKind::Sgd), BTreeMap::new());
        let mut weights = named("a.bias", &[1.0, 1.0]);
        optimizer.update(&mut weights, named("a.bias", &[1.0, -2.0]), 0.1);
        assert_close(values(&weights, "a.bias"), &[0.9, 1.2]);
        // 0.9 of the first step, and the second.
        optimizer.update(&mut weights, named("a.bias", &[1.0, 0.0]), 0.1);
        assert_close(values(&weights, "a.bias"), &[0.71, 1.38]);
    }

    #[test]
    fn adam_by_hand() {
        let mut optimizer = Optimizer::new(&settings(OptimizerKind::AdamW), BTreeMap::new());
        let mut weights = named("a.bias", &[0.0, 0.0]);
        // The first step has the size of the rate, whatever the gradient's.
        optimizer.update(&mut weights, named("a.bias", &[5.0, -0.01]), 0.1);
        assert_close(values(&weights, "a.bias"), &[-0.1, 0.1]);
        optimizer.update(&mut weights, named("a.bias", &[0.0, -0.01]), 0.1);
        let first = 0.9 * 0.1 * 5.0 / (1.0 - 0.81);
        let second: f32 = 0.99 * 0.01 * 25.0 / (1.0 - 0.9801);
        assert_close(values(&weights, "a.bias"), &[-0.1 - 0.1 * first / second.sqrt(), 0.2]);
    }

    #[test]
    fn adam_clips_and_decays() {
        let settings = OptimizerSettings {
            weight_decay: 0.5,
            gradient_clip: 1.0,
            epsilon: 0.5,
            ..settings(OptimizerKind::AdamW)
        };
        for (name, left) in [("a.weight", 0.95), ("a.bias", 1.0)] {
            let mut optimizer = Optimizer::new(&settings, BTreeMap::new());
            let mut weights = named(name, &[1.0, 1.0]);
            let norm = optimizer.update(&mut weights, named(name, &[3.0, -4.0]), 0.1);
            assert!((norm - 5.0).abs() < 1e-6);
            // The clipped gradient is 0.6 and -0.8, and so is its first mean.
            let moved = [0.6f32, -0.8].map(|x| left - 0.1 * x / (x.abs() + 0.5));
            assert_close(values(&weights, name), &moved);
            assert_close(values(&optimizer.first, name), &[0.06, -0.08]);
            assert_close(values(&optimizer.second, name), &[0.0036, 0.0064]);
        }
    }

    #[test]
    fn muon_moves_matrices_and_adam_the_rest() {
        let dims = BTreeMap::from([("a.weight".to_string(), vec![2, 2])]);
        let mut optimizer = Optimizer::new(&settings(OptimizerKind::Muon), dims);
        let mut weights = named("a.weight", &[0.0; 4]);
        weights.append(&mut named("a.bias", &[0.0]));
        let mut gradients = named("a.weight", &[4.0, 0.0, 0.0, -0.5]);
        gradients.append(&mut named("a.bias", &[7.0]));
        optimizer.update(&mut weights, gradients, 0.1);
        assert_close(values(&weights, "a.bias"), &[-0.1]);
        // Both directions move alike, though one gradient is eight times the other.
        let moved = values(&weights, "a.weight");
        let step = 0.1 * 0.2 * 2f32.sqrt();
        assert!((moved[0] / -step - 1.0).abs() < 0.35, "{moved:?}");
        assert!((moved[3] / step - 1.0).abs() < 0.35, "{moved:?}");
        assert!(optimizer.second.contains_key("a.bias"));
        assert!(!optimizer.second.contains_key("a.weight"));
    }

    #[test]
    fn weights_decay_and_biases_do_not() {
        let decaying = OptimizerSettings { weight_decay: 0.5, ..settings(OptimizerKind::Sgd) };
        for (name, left) in [("a.weight", 0.95), ("a.bias", 1.0)] {
            let mut weights = named(name, &[1.0]);
            Optimizer::new(&decaying, BTreeMap::new()).update(
                &mut weights,
                named(name, &[0.0]),
                0.1,
            );
            assert_close(values(&weights, name), &[left]);
        }
    }

    #[test]
    fn long_gradients_are_clipped() {
        let clipping = OptimizerSettings { gradient_clip: 1.0, ..settings(OptimizerKind::Sgd) };
        let mut weights = named("a.bias", &[0.0, 0.0]);
        let norm = Optimizer::new(&clipping, BTreeMap::new()).update(
            &mut weights,
            named("a.bias", &[3.0, 4.0]),
            1.0,
        );
        assert!((norm - 5.0).abs() < 1e-6);
        assert_close(values(&weights, "a.bias"), &[-0.6, -0.8]);
    }
}
