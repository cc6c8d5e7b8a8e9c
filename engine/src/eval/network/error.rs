//! Why a network file is refused: one message that names file and remedy.

use super::layout::SUPPORTED;
use crate::onnx::{ModelInfo, ReadError, TensorInfo};
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum NetworkError {
    #[error("no network file at {}: check the path", path.display())]
    Missing { path: PathBuf },
    #[error("{} is not a file: give the path of an .onnx file", path.display())]
    NotAFile { path: PathBuf },
    #[error("cannot read the network {}: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: std::io::Error },
    #[error("{} is empty: copy or download the network again", path.display())]
    Empty { path: PathBuf },
    #[error("{} has {bytes} bytes, too many for a network in one file", path.display())]
    TooLarge { path: PathBuf, bytes: u64 },
    #[error("{} {found}: {remedy}", path.display())]
    NotOnnx { path: PathBuf, found: String, remedy: &'static str },
    #[error(
        "{} keeps its weights in a second file: save it again with all weights inside",
        path.display()
    )]
    ExternalWeights { path: PathBuf },
    #[error("{} cannot be used: {refusal}. Found: {found}. Supported: {SUPPORTED}", path.display())]
    Layout { path: PathBuf, refusal: String, found: String },
}

impl NetworkError {
    /// Names the kind of file by its first bytes, where it is a known one.
    pub(super) fn not_onnx(path: PathBuf, bytes: &[u8], cause: ReadError) -> NetworkError {
        let (found, remedy) = match bytes {
            [0x1f, 0x8b, ..] => (
                "is gzip-compressed, like lc0's .pb.gz networks".to_string(),
                "convert it with `lc0 leela2onnx --input=net.pb.gz --output=net.onnx` \
                 (or unpack it, if it is an .onnx.gz)",
            ),
            [b'P', b'K', 3, 4, ..] => (
                "is a zip archive, like PyTorch's checkpoints".to_string(),
                "export the network to ONNX",
            ),
            [b'v', b'e', b'r', b's', b'i', b'o', b'n', b' ', ..] => (
                "is a pointer of Git LFS, not the network itself".to_string(),
                "fetch the file with `git lfs pull`",
            ),
            [b'<', ..] => (
                "is a web page".to_string(),
                "download the network itself, e.g. by the page's raw or download link",
            ),
            _ => (
                format!("is {cause}"),
                "if it is an .onnx file, it is damaged: copy or download it again",
            ),
        };
        NetworkError::NotOnnx { path, found, remedy }
    }

    pub(super) fn layout(path: PathBuf, refusal: String, model: &ModelInfo) -> NetworkError {
        let list = |tensors: &[TensorInfo]| match tensors {
            [] => "none".to_string(),
            some => some.iter().map(TensorInfo::to_string).collect::<Vec<_>>().join(", "),
        };
        let named: Vec<String> = model
            .metadata
            .iter()
            .filter(|(key, _)| key.starts_with("arbor."))
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let metadata =
            if named.is_empty() { "no arbor metadata".to_string() } else { named.join(" ") };
        let (inputs, outputs) = (list(&model.inputs), list(&model.outputs));
        let found = format!("inputs {inputs}; outputs {outputs}; {metadata}");
        NetworkError::Layout { path, refusal, found }
    }
}
