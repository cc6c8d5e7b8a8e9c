//! One step: batches in, better weights and a report out.

use super::loss::{Losses, Reference, losses};
use super::optimizer::{Named, Optimizer};
use super::reference::ReferenceNetwork;
use super::score::Score;
use super::tensors::BatchTensors;
use super::update_ops::blend;
use crate::config::{LossSettings, OptimizerSettings};
use crate::dataset::Batch;
use crate::model::{Architecture, Mode, Network, Weights, expected_tensors};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

/// How much of batch normalization's running averages a step keeps.
const STATISTICS_KEPT: f64 = 0.9;

/// Weights, and all that a step needs and changes.
pub struct Learner {
    network: Network,
    pub optimizer: Optimizer,
    /// Moving average of the weights.
    average: Option<Named>,
    reference: Option<ReferenceNetwork>,
    loss: LossSettings,
    settings: OptimizerSettings,
    /// Without gradients; the network's own tensors have them.
    device: Device,
}

/// What a [`Learner`] is made of.
pub struct LearnerParts<'a> {
    pub architecture: &'a Architecture,
    pub loss: &'a LossSettings,
    pub optimizer: &'a OptimizerSettings,
    pub weights: &'a Weights,
    pub average: Option<&'a Weights>,
    pub reference: Option<ReferenceNetwork>,
}

/// What a step, or several, said: means over steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub steps: u64,
    pub loss: f64,
    pub policy: f64,
    pub value: f64,
    pub entropy: f64,
    pub moves_left: Option<f64>,
    pub kl: Option<f64>,
    pub gradient_norm: f64,
    pub score: Score,
}

impl Learner {
    pub fn new(parts: LearnerParts, device: Device) -> Learner {
        let mut network =
            Network::new(parts.architecture, parts.weights, &device.clone().autodiff());
        track(&mut network.tensors);
        let average = (parts.optimizer.ema > 0.0).then(|| {
            let weights = parts.average.unwrap_or(parts.weights);
            Network::new(parts.architecture, weights, &device).tensors
        });
        let dims = expected_tensors(parts.architecture).into_iter().collect();
        Learner {
            network,
            optimizer: Optimizer::new(parts.optimizer, dims),
            average,
            reference: parts.reference,
            loss: parts.loss.clone(),
            settings: parts.optimizer.clone(),
            device,
        }
    }

    /// Learns from the batches together. Where the loss is no number, nothing
    /// is changed and the report says so.
    pub fn step(&mut self, batches: &[Batch], rate: f64) -> Report {
        let mut gradients = Named::new();
        let mut report = Report::default();
        let mut statistics = Vec::new();
        for batch in batches {
            let (losses, seen) = self.losses(batch);
            report.add(&Report::of(batch, &losses));
            statistics = seen;
            if !report.loss.is_finite() {
                return report;
            }
            let mut found = (losses.total / batches.len() as f64).backward();
            for (name, tensor) in &self.network.tensors {
                let Some(gradient) = tensor.grad_remove(&mut found) else { continue };
                let sum = match gradients.remove(name) {
                    Some(before) => before + gradient,
                    None => gradient,
                };
                gradients.insert(name.clone(), sum);
            }
        }
        report = report.mean();
        let tensors = std::mem::take(&mut self.network.tensors);
        let mut inner: Named =
            tensors.into_iter().map(|(name, tensor)| (name, tensor.inner())).collect();
        report.gradient_norm = self.optimizer.update(&mut inner, gradients, rate);
        for (name, seen) in statistics {
            if let Some(before) = inner.remove(&name) {
                let seen = seen.inner() * (1.0 - STATISTICS_KEPT);
                inner.insert(name, before * STATISTICS_KEPT + seen);
            }
        }
        self.advance_average(&inner);
        self.network.tensors =
            inner.into_iter().map(|(name, tensor)| (name, Tensor::from_inner(tensor))).collect();
        track(&mut self.network.tensors);
        if let (Some(reference), Some(kl)) = (&mut self.reference, report.kl) {
            reference.adapt(&self.loss.kl, kl);
        }
        report
    }

    /// The losses, and what batch normalization saw.
    fn losses(&self, batch: &Batch) -> (Losses, Vec<(String, Tensor<1>)>) {
        let device = self.device.clone().autodiff();
        let tensors = BatchTensors::new(batch, &device);
        let mut outputs = self.network.forward(tensors.planes.clone(), Mode::Train);
        let statistics = std::mem::take(&mut outputs.statistics);
        let reference = self.reference.as_ref().map(|reference| {
            let logits = reference.logits(&BatchTensors::new(batch, &self.device));
            Reference { logits: Tensor::from_inner(logits), weight: reference.weight }
        });
        let kind = self.network.architecture.value;
        (losses(&self.loss, kind, outputs, &tensors, reference), statistics)
    }

    /// The average follows quickly at first, when the weights still run.
    fn advance_average(&mut self, weights: &Named) {
        let Some(average) = &mut self.average else { return };
        let updates = self.optimizer.updates as f64;
        let keep = self.settings.ema.min((1.0 + updates) / (10.0 + updates));
        for (name, weight) in weights {
            if let Some(before) = average.remove(name) {
                average.insert(name.clone(), blend(before, weight.clone(), keep as f32));
            }
        }
    }

    /// The best weights, averaged if there is an average, without gradients.
    pub fn inference_network(&self) -> Network {
        let weights = self.average().unwrap_or_else(|| self.weights());
        Network::new(&self.network.architecture, &weights, &self.device)
    }

    /// What an [`inference_network`](Self::inference_network) says of a batch,
    /// and the results it expects.
    pub fn validate(&self, network: &Network, batch: &Batch) -> (Report, Vec<f32>) {
        let tensors = BatchTensors::new(batch, &self.device);
        let outputs = network.forward(tensors.planes.clone(), Mode::Infer);
        let kind = network.architecture.value;
        // Its distance is told, but is no part of the loss, so that validation
        // losses can be compared.
        let reference = self
            .reference
            .as_ref()
            .map(|reference| Reference { logits: reference.logits(&tensors), weight: 0.0 });
        let losses = losses(&self.loss, kind, outputs, &tensors, reference);
        (Report::of(batch, &losses), numbers(losses.q.into_data()))
    }

    pub fn weights(&self) -> Weights {
        self.network.weights()
    }

    pub fn average(&self) -> Option<Weights> {
        self.average.as_ref().map(|average| self.network.store(average))
    }

    /// The optimizer's state, off the device.
    pub fn optimizer_state(&self) -> (Weights, Weights) {
        (self.network.store(&self.optimizer.first), self.network.store(&self.optimizer.second))
    }

    /// Puts the optimizer's state back.
    pub fn restore_optimizer(&mut self, first: &Weights, second: &Weights, updates: u64) {
        let place = |weights| Network::new(&self.network.architecture, weights, &self.device);
        self.optimizer.first = place(first).tensors;
        self.optimizer.second = place(second).tensors;
        self.optimizer.updates = updates;
    }

    /// Updates of the optimizer so far.
    pub fn updates(&self) -> u64 {
        self.optimizer.updates
    }

    /// How much the reference policy counts now.
    pub fn kl_weight(&self) -> Option<f64> {
        self.reference.as_ref().map(|reference| reference.weight)
    }
}

fn numbers(data: TensorData) -> Vec<f32> {
    data.iter::<f32>().collect()
}

fn track(tensors: &mut Named) {
    let names: Vec<String> = tensors.keys().cloned().collect();
    for name in names {
        // Statistics are counted, not learned.
        if name.ends_with(".mean") || name.ends_with(".variance") {
            continue;
        }
        if let Some(tensor) = tensors.remove(&name) {
            tensors.insert(name, tensor.require_grad());
        }
    }
}

impl Report {
    fn of(batch: &Batch, losses: &Losses) -> Report {
        let number = |tensor: &Tensor<1>| f64::from(tensor.clone().into_scalar::<f32>());
        Report {
            steps: 1,
            loss: number(&losses.total),
            policy: number(&losses.policy),
            value: number(&losses.value),
            entropy: number(&losses.entropy),
            moves_left: losses.moves_left.as_ref().map(number),
            kl: losses.kl.as_ref().map(number),
            gradient_norm: 0.0,
            score: Score::of(
                batch,
                &numbers(losses.logits.clone().into_data()),
                &numbers(losses.q.clone().into_data()),
            ),
        }
    }

    /// Adds the sums; [`mean`](Self::mean) divides them.
    pub fn add(&mut self, other: &Report) {
        let sum = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        self.steps += other.steps;
        self.loss += other.loss;
        self.policy += other.policy;
        self.value += other.value;
        self.entropy += other.entropy;
        self.moves_left = sum(self.moves_left, other.moves_left);
        self.kl = sum(self.kl, other.kl);
        self.gradient_norm += other.gradient_norm;
        self.score.add(&other.score);
    }

    /// The mean of what was added, as one step.
    pub fn mean(&self) -> Report {
        let n = self.steps.max(1) as f64;
        Report {
            steps: 1,
            loss: self.loss / n,
            policy: self.policy / n,
            value: self.value / n,
            entropy: self.entropy / n,
            moves_left: self.moves_left.map(|x| x / n),
            kl: self.kl.map(|x| x / n),
            gradient_norm: self.gradient_norm / n,
            score: self.score.clone(),
        }
    }
}
