//! Gradients in, better weights out: SGD with momentum or AdamW.
//!
//! burn has both, but keeps their state by layer object; ours is kept by tensor
//! name, like everything else that goes into a checkpoint.

use crate::config::{OptimizerKind, OptimizerSettings};
use burn::tensor::Tensor;
use std::collections::BTreeMap;

pub type Named = BTreeMap<String, Tensor<1>>;

pub struct Optimizer {
    settings: OptimizerSettings,
    /// Momentum, or AdamW's mean of gradients.
    pub first: Named,
    /// AdamW's mean of squared gradients.
    pub second: Named,
    /// Updates made so far.
    pub updates: u64,
}

impl Optimizer {
    pub fn new(settings: &OptimizerSettings) -> Optimizer {
        let (first, second) = (Named::new(), Named::new());
        Optimizer { settings: settings.clone(), first, second, updates: 0 }
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
            let gradient = if factor < 1.0 { gradient * factor } else { gradient };
            let direction = match self.settings.kind {
                OptimizerKind::Sgd => self.momentum(&name, gradient),
                OptimizerKind::AdamW => self.adam(&name, gradient),
            };
            // Biases and norms are few and keep their size.
            let decay = if name.ends_with(".weight") { self.settings.weight_decay } else { 0.0 };
            let kept = if decay > 0.0 { weight * (1.0 - rate * decay) } else { weight };
            weights.insert(name, kept - direction * rate);
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

    fn adam(&mut self, name: &str, gradient: Tensor<1>) -> Tensor<1> {
        let OptimizerSettings { beta1, beta2, epsilon, .. } = self.settings;
        let square = gradient.clone() * gradient.clone();
        let first = blend(self.first.remove(name), gradient, beta1);
        let second = blend(self.second.remove(name), square, beta2);
        self.first.insert(name.to_string(), first.clone());
        self.second.insert(name.to_string(), second.clone());
        let updates = self.updates as f64;
        let first = first / (1.0 - beta1.powf(updates));
        let second = second / (1.0 - beta2.powf(updates));
        first / (second.sqrt() + epsilon)
    }
}

/// A moving average that starts from zero.
fn blend(average: Option<Tensor<1>>, new: Tensor<1>, keep: f64) -> Tensor<1> {
    let new = new * (1.0 - keep);
    match average {
        Some(average) => average * keep + new,
        None => new,
    }
}

/// The length of all gradients together.
fn norm(gradients: &Named) -> f64 {
    let squares = gradients.values().map(|gradient| {
        let square = gradient.clone() * gradient.clone();
        f64::from(square.sum().into_scalar::<f32>())
    });
    squares.sum::<f64>().sqrt()
}
