//! The merged config. What the keys mean stands in `keys`.

use super::problem::ConfigError;
use super::schedule::ScheduleSettings;
use crate::dataset::DatasetSettings;
use crate::model::Architecture;
use crate::provenance;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    pub run: RunSettings,
    pub model: Architecture,
    pub data: DatasetSettings,
    pub loss: LossSettings,
    pub optimizer: OptimizerSettings,
    pub schedule: ScheduleSettings,
    pub train: TrainSettings,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    pub name: Option<String>,
    pub seed: u64,
    pub out: PathBuf,
    pub device: Device,
    pub threads: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Device {
    Cpu,
    Cuda,
    Wgpu,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossSettings {
    pub alpha: f64,
    pub value: ValueLoss,
    pub policy_softmax: PolicySoftmax,
    pub entropy: f64,
    pub moves_left_weight: f64,
    pub kl: KlSettings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueLoss {
    CrossEntropy,
    Mse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicySoftmax {
    Legal,
    All,
}

/// Keeps the policy near that of an older network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KlSettings {
    pub network: Option<PathBuf>,
    pub weight: f64,
    pub target: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimizerSettings {
    pub kind: OptimizerKind,
    pub weight_decay: f64,
    pub momentum: f64,
    pub nesterov: bool,
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
    pub gradient_clip: f64,
    pub accumulate: usize,
    pub ema: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerKind {
    Sgd,
    #[serde(rename = "adamw")]
    AdamW,
    Muon,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainSettings {
    pub start_from: Option<PathBuf>,
    /// Younger than the format of checkpoints, so older ones lack it.
    #[serde(default)]
    pub keep_optimizer: bool,
    pub steps: Option<u64>,
    pub positions: Option<u64>,
    pub epochs: Option<f64>,
    pub checkpoint_every: u64,
    pub keep_checkpoints: usize,
    pub validate_every: u64,
    pub validation_positions: usize,
    pub log_every: u64,
    pub histogram_every: u64,
}

/// How long to train.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    Steps(u64),
    Positions(u64),
    Epochs(f64),
}

impl TrainConfig {
    /// Positions that one step of the optimizer learns from.
    pub fn positions_per_step(&self) -> u64 {
        self.data.batch_size as u64 * self.optimizer.accumulate as u64
    }

    /// Steps of the whole run, at least 1.
    pub fn total_steps(&self, positions_per_epoch: u64) -> u64 {
        let positions = match self.train.length() {
            Length::Steps(steps) => return steps.max(1),
            Length::Positions(positions) => positions,
            Length::Epochs(epochs) => (epochs * positions_per_epoch as f64).ceil() as u64,
        };
        positions.div_ceil(self.positions_per_step()).max(1)
    }

    /// SHA-256 of the config as JSON.
    pub fn hash(&self) -> Result<String, ConfigError> {
        let json = serde_json::to_vec(self).map_err(ConfigError::unwritable)?;
        Ok(provenance::hash(&json))
    }
}

impl TrainSettings {
    /// The one of the three lengths that is set; a checked config has exactly one.
    pub fn length(&self) -> Length {
        match (self.positions, self.epochs) {
            (Some(positions), _) => Length::Positions(positions),
            (None, Some(epochs)) => Length::Epochs(epochs),
            (None, None) => Length::Steps(self.steps.unwrap_or_default()),
        }
    }
}
