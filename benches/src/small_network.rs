//! A tower of 6 blocks and 64 channels with random weights, as speed needs no
//! better ones.

use crate::middlegames;
use engine::encode::Encoder;
use trainer::model::{Activation, Architecture, Body, Norm, ValueKind, Weights, random_weights};

pub fn small() -> (Architecture, Weights) {
    let architecture = Architecture {
        encoder: Encoder::Basic18,
        body: Body::Tower,
        hidden: 0,
        blocks: 6,
        channels: 64,
        squeeze: 16,
        attention_blocks: 0,
        norm: Norm::None,
        groups: 0,
        activation: Activation::Relu,
        policy_channels: 64,
        value: ValueKind::Wdl,
        value_channels: 32,
        value_hidden: 128,
        moves_left: false,
    };
    let weights = random_weights(&architecture, 1);
    (architecture, weights)
}

/// Planes of middlegames, for the ranges of int8.
pub fn calibration(architecture: &Architecture) -> Vec<f32> {
    let mut calibration = Vec::new();
    let mut planes = vec![0.0; architecture.encoder.planes() * 64];
    for line in middlegames(128) {
        architecture.encoder.encode(line.plies(), &mut planes);
        calibration.extend_from_slice(&planes);
    }
    calibration
}
