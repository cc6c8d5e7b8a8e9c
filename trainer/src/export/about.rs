//! What a network file is, for people who have many of them.

use engine::eval::{Network, NetworkError, TunedFor};
use engine::onnx::{ElementType, TensorInfo, read_model};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Facts about one network file.
#[derive(Clone, Debug, Serialize)]
pub struct About {
    pub path: PathBuf,
    /// The architecture in words; `?` where neither metadata nor shapes tell.
    pub network: String,
    pub encoder: &'static str,
    pub policy: &'static str,
    pub value: &'static str,
    pub moves_left: bool,
    /// `f32`, `f16`, `int8`...: what most weights are stored in.
    pub precision: String,
    pub parameters: u64,
    pub bytes: u64,
    pub sha256: String,
    #[serde(flatten)]
    pub tuned_for: TunedFor,
    /// `created`, `git`, `parent`, `data` and `recipe`, as far as the file has them.
    pub provenance: BTreeMap<&'static str, String>,
}

impl About {
    /// Reads a file; the network comes along for those who want to run it.
    pub fn read(path: &Path) -> Result<(About, Arc<Network>), NetworkError> {
        let network = Network::open(path)?;
        // The network has been read once, so that it can be read again.
        let weights = read_model(&network.bytes).map_or(Vec::new(), |model| model.weights);
        let provenance = ["created", "git", "parent", "data", "recipe"]
            .into_iter()
            .filter_map(|key| Some((key, network.metadata.get(&format!("arbor.{key}"))?.clone())))
            .collect();
        let about = About {
            path: path.to_path_buf(),
            network: network.metadata.get("arbor.net").cloned().unwrap_or_else(|| shape(&weights)),
            encoder: network.layout.encoder.name(),
            policy: network.layout.policy.name(),
            value: network.layout.value.name(),
            moves_left: network.layout.moves_left_output.is_some(),
            precision: precision(&weights),
            parameters: weights.iter().map(elements).sum(),
            bytes: network.bytes.len() as u64,
            sha256: network.hash.clone(),
            tuned_for: network.tuned_for,
            provenance,
        };
        Ok((about, Arc::new(network)))
    }
}

fn elements(tensor: &TensorInfo) -> u64 {
    let dims = tensor.shape.iter().flatten().map(|d| d.unwrap_or(1).max(0) as u64);
    dims.fold(1, u64::saturating_mul)
}

fn precision(weights: &[TensorInfo]) -> String {
    let mut counts: BTreeMap<i32, u64> = BTreeMap::new();
    for tensor in weights {
        *counts.entry(tensor.element.0).or_default() += elements(tensor);
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    match most.map(|(element, _)| ElementType(element).to_string()).as_deref() {
        Some("i8" | "u8") => "int8".to_string(),
        Some(name) => name.to_string(),
        None => "?".to_string(),
    }
}

/// A tower's size by its square 3x3 convolutions, two in each block.
fn shape(weights: &[TensorInfo]) -> String {
    let mut towers: BTreeMap<i64, usize> = BTreeMap::new();
    for tensor in weights {
        if let Some([Some(outputs), Some(inputs), Some(3), Some(3)]) = tensor.shape.as_deref()
            && outputs == inputs
        {
            *towers.entry(*outputs).or_default() += 1;
        }
    }
    match towers.into_iter().max_by_key(|(_, count)| *count) {
        Some((channels, count)) if count > 1 => format!("resnet {}x{channels}", count / 2),
        _ => "?".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(dims: &[i64], element: ElementType) -> TensorInfo {
        let shape = Some(dims.iter().map(|&d| Some(d)).collect());
        TensorInfo { name: String::new(), element, shape }
    }

    #[test]
    fn towers_are_known_by_their_shapes() {
        let conv = |o, i| tensor(&[o, i, 3, 3], ElementType::F32);
        let mut weights = vec![conv(64, 18), tensor(&[73, 64, 1, 1], ElementType::F16)];
        assert_eq!(shape(&weights), "?");
        weights.extend((0..13).map(|_| conv(64, 64)));
        assert_eq!(shape(&weights), "resnet 6x64");
        assert_eq!(precision(&weights), "f32");
        assert_eq!(precision(&[]), "?");
        let huge = tensor(&[i64::MAX, i64::MAX, -1], ElementType::F32);
        assert_eq!(elements(&huge), 0);
    }
}
