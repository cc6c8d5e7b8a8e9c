//! An older network whose policy the new one should not leave far behind.

use super::checkpoint::{Checkpoint, CheckpointError};
use super::loss::legal_logits;
use super::tensors::BatchTensors;
use crate::config::KlSettings;
use crate::model::{Architecture, Mode, Network};
use burn::tensor::{Device, Tensor};
use thiserror::Error;

/// Step of the adaptive weight, and how far the distance may be off before one
/// is made.
const ADAPTATION: f64 = 1.02;
const TOLERANCE: f64 = 1.1;

/// Bounds of the adaptive weight.
const WEIGHTS: [f64; 2] = [1e-4, 1e2];

pub struct ReferenceNetwork {
    network: Network,
    /// How much its distance counts in the loss now.
    pub weight: f64,
}

#[derive(Debug, Error)]
pub enum ReferenceError {
    #[error("loss.kl.network: {0}")]
    Checkpoint(#[from] CheckpointError),
    #[error("loss.kl.network reads {theirs} planes, the new network {ours}: they must agree")]
    Encoder { theirs: &'static str, ours: &'static str },
}

impl ReferenceNetwork {
    /// The network of the settings, if they name one: a run, a checkpoint or an
    /// exported network.
    pub fn open(
        settings: &KlSettings,
        architecture: &Architecture,
        device: &Device,
    ) -> Result<Option<ReferenceNetwork>, ReferenceError> {
        let Some(path) = &settings.network else { return Ok(None) };
        let checkpoint = Checkpoint::find(path)?;
        let theirs = &checkpoint.config.model;
        if theirs.encoder != architecture.encoder {
            let (theirs, ours) = (theirs.encoder.name(), architecture.encoder.name());
            return Err(ReferenceError::Encoder { theirs, ours });
        }
        let network = Network::new(theirs, checkpoint.best_weights(), device);
        Ok(Some(ReferenceNetwork { network, weight: settings.weight }))
    }

    /// [batch, width]: logits of the legal moves.
    pub fn logits(&self, batch: &BatchTensors) -> Tensor<2> {
        legal_logits(&self.network.forward(batch.planes.clone(), Mode::Infer).policy, batch)
    }

    /// With a target distance, the weight grows when the policy is further away
    /// and falls when it is nearer.
    pub fn adapt(&mut self, settings: &KlSettings, distance: f64) {
        let Some(target) = settings.target else { return };
        if distance > target * TOLERANCE {
            self.weight *= ADAPTATION;
        } else if distance < target / TOLERANCE {
            self.weight /= ADAPTATION;
        }
        self.weight = self.weight.clamp(WEIGHTS[0], WEIGHTS[1]);
    }
}
