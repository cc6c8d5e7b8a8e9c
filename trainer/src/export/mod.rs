//! Trained weights become an ONNX network for the engine.
//!
//! In: an [`Architecture`] and its [`Weights`]. Out: the bytes of a file, in one
//! of three precisions, all with f32 planes in and f32 answers out:
//!
//! - f32 ([`build`]): the reference, and what every backend runs.
//! - f16 ([`build`]): weights and arithmetic in 16 bits, for GPUs; half the
//!   size. On a CPU ONNX Runtime computes it in f32 at the f32 network's speed,
//!   because it widens the weights once, at the start. Weights beyond the
//!   range of f16 become its largest number. Dense networks, which are for CPUs
//!   and nearly all weights, keep their arithmetic in f32.
//! - int8 ([`quantize`]): convolutions in 8 bits, for CPUs; about half the size.
//!   The ranges of the activations are taken from real positions. What lies
//!   between the convolutions stays in f32: the residual sums, which would gather
//!   a rounding error in each block, the gates and the dense layers.
//!
//! [`read_back`] makes weights of an f32 file again.
//!
//! [`compare`] checks a file against the answers it should give, [`speed`]
//! measures networks side by side; both run ONNX Runtime as the engine does.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod about;
mod calibrate;
mod compare;
mod error;
mod layer;
mod metadata;
mod network;
mod quantized;
mod read_back;
mod speed;
#[cfg(test)]
mod tests;
mod writer;

pub use about::About;
pub use compare::{Agreement, Expected, Outputs, compare};
pub use error::ExportError;
pub use metadata::Metadata;
pub use read_back::{ReadBackError, read_back};
pub use speed::{SpeedSettings, speed};

use crate::model::{Architecture, Body, Norm, Weights, check_weights};
use engine::eval::Runtime;
use network::write_network;
use writer::Numerics;

/// Arithmetic of a network that needs no calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    F32,
    F16,
}

/// What else a file is made of than weights.
#[derive(Clone, Debug)]
pub struct Options {
    pub precision: Precision,
    pub metadata: Metadata,
}

/// Writes a network in f32 or f16.
pub fn build(
    architecture: &Architecture,
    weights: &Weights,
    options: &Options,
) -> Result<Vec<u8>, ExportError> {
    check(architecture, weights)?;
    let numerics = match (options.precision, architecture.body) {
        (Precision::F32, _) => Numerics::Single,
        (Precision::F16, Body::Tower) => Numerics::Half,
        (Precision::F16, Body::Dense) => Numerics::HalfStored,
    };
    Ok(write_network(architecture, weights, &options.metadata, numerics))
}

/// Writes a network in int8. `calibration` holds the planes of positions as they
/// come up in games; some hundreds are enough. Needs ONNX Runtime.
pub fn quantize(
    architecture: &Architecture,
    weights: &Weights,
    calibration: &[f32],
    metadata: &Metadata,
) -> Result<Vec<u8>, ExportError> {
    check(architecture, weights)?;
    if architecture.body == Body::Dense {
        return Err(ExportError::NoConvolutions);
    }
    let position = architecture.encoder.planes() * 64;
    if calibration.is_empty() || !calibration.len().is_multiple_of(position) {
        return Err(ExportError::Planes { found: calibration.len(), position });
    }
    let runtime = Runtime::load(None).map_err(ExportError::NotCalibrated)?;
    let observed = write_network(architecture, weights, metadata, Numerics::Observed);
    let activations = calibrate::observe(&runtime, &observed, calibration, architecture)?;
    Ok(write_network(architecture, weights, metadata, Numerics::Quantized(&activations)))
}

fn check(architecture: &Architecture, weights: &Weights) -> Result<(), ExportError> {
    let a = architecture;
    if a.norm == Norm::Group {
        let channels = [a.channels, a.policy_channels, a.value_channels];
        let divides = |channels: &usize| a.groups > 0 && channels.is_multiple_of(a.groups);
        if let Some(&channels) = channels.iter().find(|channels| !divides(channels)) {
            return Err(ExportError::Groups { groups: a.groups, channels });
        }
    }
    Ok(check_weights(architecture, weights)?)
}
