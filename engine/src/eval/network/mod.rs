//! A network file, checked before any runtime sees it.
//!
//! In: a path. Out: the file's bytes with their hash, the [`Layout`] that says
//! how positions go in and answers come out, and where the network comes from.

mod error;
mod layout;
mod tuned_for;

pub use error::NetworkError;
pub use layout::{Layout, TensorPort, ValueHead};
pub use tuned_for::TunedFor;

use crate::onnx::{self, ModelInfo, ReadError};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Above this a file is no chess network (and no single protobuf message).
const MAX_BYTES: u64 = 2 << 30;

/// A network that can be played with.
#[derive(Debug)]
pub struct Network {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// SHA-256 of the file in hexadecimal.
    pub hash: String,
    /// The same for all networks that differ in their numbers alone.
    pub architecture: String,
    pub layout: Layout,
    pub tuned_for: TunedFor,
    /// All metadata of the file, provenance (`arbor.net`, `arbor.git`...) included.
    pub metadata: BTreeMap<String, String>,
    /// The program that wrote the file.
    pub producer: String,
}

impl Network {
    /// Reads and checks a network file.
    pub fn open(path: impl AsRef<Path>) -> Result<Network, NetworkError> {
        let path = path.as_ref();
        let unreadable = |cause| NetworkError::Unreadable { path: path.to_path_buf(), cause };
        let about = fs::metadata(path).map_err(|cause| match cause.kind() {
            std::io::ErrorKind::NotFound => NetworkError::Missing { path: path.to_path_buf() },
            _ => unreadable(cause),
        })?;
        if !about.is_file() {
            return Err(NetworkError::NotAFile { path: path.to_path_buf() });
        }
        if about.len() > MAX_BYTES {
            return Err(NetworkError::TooLarge { path: path.to_path_buf(), bytes: about.len() });
        }
        Network::from_bytes(path, fs::read(path).map_err(unreadable)?)
    }

    /// Checks the bytes of a network file; `path` is only for messages.
    pub fn from_bytes(path: impl AsRef<Path>, bytes: Vec<u8>) -> Result<Network, NetworkError> {
        let path = path.as_ref().to_path_buf();
        if bytes.is_empty() {
            return Err(NetworkError::Empty { path });
        }
        let model = match onnx::read_model(&bytes) {
            Ok(model) => model,
            Err(ReadError::ExternalWeights) => return Err(NetworkError::ExternalWeights { path }),
            Err(cause) => return Err(NetworkError::not_onnx(path, &bytes, cause)),
        };
        if model.inputs.is_empty() && model.outputs.is_empty() {
            return Err(NetworkError::not_onnx(path, &bytes, ReadError::NoGraph));
        }
        let layout = Layout::detect(&model)
            .map_err(|refusal| NetworkError::layout(path.clone(), refusal, &model))?;
        let tuned_for = TunedFor::read(&model)
            .map_err(|refusal| NetworkError::layout(path.clone(), refusal, &model))?;
        let hash = hex(&Sha256::digest(&bytes));
        let architecture = architecture(&model);
        let ModelInfo { metadata, producer, .. } = model;
        Ok(Network { path, bytes, hash, architecture, layout, tuned_for, metadata, producer })
    }

    /// The file's name without its folder, or the whole path where it has none.
    pub fn name(&self) -> String {
        self.path
            .file_name()
            .map_or_else(|| self.path.display().to_string(), |n| n.to_string_lossy().into_owned())
    }
}

/// SHA-256 of the names and shapes of all tensors.
fn architecture(model: &ModelInfo) -> String {
    let tensors = model.inputs.iter().chain(&model.outputs).chain(&model.weights);
    let shapes: String = tensors.map(|tensor| format!("{tensor}\n")).collect();
    hex(&Sha256::digest(shapes.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests;
