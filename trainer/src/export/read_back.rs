//! An exported network becomes weights again, to train further or to stay near.

use crate::model::{Architecture, Norm, Tensor, Weights, expected_tensors};
use engine::onnx::proto::{FLOAT, FLOAT16, ModelProto, TensorProto};
use half::f16;
use prost::Message;
use std::collections::HashMap;
use thiserror::Error;

/// Key of the metadata that has the architecture as JSON.
pub(super) const ARCHITECTURE: &str = "arbor.architecture";

#[derive(Debug, Error)]
pub enum ReadBackError {
    #[error("not an ONNX file: {0}")]
    Decode(#[from] prost::DecodeError),
    #[error("it does not tell its architecture ({ARCHITECTURE}); only networks of this trainer do")]
    NoArchitecture,
    #[error("its architecture ({ARCHITECTURE}) cannot be read: {0}")]
    Architecture(#[from] serde_json::Error),
    #[error("it has no weights called {0}; networks in int8 cannot be trained further")]
    NoWeights(String),
    #[error("{name} has {found} numbers instead of {expected}")]
    Size { name: String, found: usize, expected: usize },
}

/// The architecture and weights of a file that [`super::build`] wrote.
/// Batch normalization, which the file has folded into the layers before it, is
/// gone: the network computes the same without.
pub fn read_back(bytes: &[u8]) -> Result<(Architecture, Weights), ReadBackError> {
    let model = ModelProto::decode(bytes)?;
    let entry = model.metadata_props.iter().find(|entry| entry.key == ARCHITECTURE);
    let mut architecture: Architecture =
        serde_json::from_str(&entry.ok_or(ReadBackError::NoArchitecture)?.value)?;
    if architecture.norm == Norm::Batch {
        architecture.norm = Norm::None;
    }
    let stored: Vec<TensorProto> = model.graph.unwrap_or_default().initializer;
    let stored: HashMap<&str, &TensorProto> =
        stored.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
    let mut weights = Weights::new();
    for (name, dims) in expected_tensors(&architecture) {
        // What squares share is part of their weights in a file.
        if name == "features.shared" {
            let data = vec![0.0; dims.iter().product()];
            weights.insert(name, Tensor { dims, data });
            continue;
        }
        let data = stored.get(name.as_str()).and_then(|tensor| floats(tensor));
        let Some(data) = data else { return Err(ReadBackError::NoWeights(name)) };
        let (found, expected) = (data.len(), dims.iter().product());
        if found != expected {
            return Err(ReadBackError::Size { name, found, expected });
        }
        weights.insert(name, Tensor { dims, data });
    }
    Ok((architecture, weights))
}

fn floats(tensor: &TensorProto) -> Option<Vec<f32>> {
    let data = &tensor.raw_data;
    match tensor.data_type {
        FLOAT => Some(data.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x)).collect()),
        FLOAT16 => {
            Some(data.as_chunks().0.iter().map(|x| f16::from_le_bytes(*x).to_f32()).collect())
        }
        _ => None,
    }
}
