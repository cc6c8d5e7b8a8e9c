//! Why a network is not written, or not verified.

use crate::model::WeightsError;
use engine::eval::{EvalError, NetworkError, RuntimeError};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ExportError {
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error("{groups} groups do not divide {channels} channels: choose another number of groups")]
    Groups { groups: usize, channels: usize },
    #[error("int8 is for convolutions, and a dense network has none: leave --int8 out")]
    NoConvolutions,
    #[error("{found} numbers are not whole positions of {position} numbers each")]
    Planes { found: usize, position: usize },
    #[error("int8 needs ONNX Runtime to calibrate: {0}")]
    NotCalibrated(RuntimeError),
    #[error("the network was not verified: {0}")]
    NotVerified(RuntimeError),
    #[error("{0}")]
    Mismatch(String),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Run(#[from] EvalError),
}
