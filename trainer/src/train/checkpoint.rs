//! A run's whole state in one file: weights, their average, the optimizer, the
//! place in the data, and the config it all belongs to.
//!
//! The file is safetensors, so other tools can read the weights: tensors are
//! named `weights/NAME`, `average/NAME`, `first/NAME` and `second/NAME`.

use super::learner::Report;
use crate::config::{DEFAULT_PRESET, TrainConfig, preset};
use crate::dataset::Cursor;
use crate::export::{ReadBackError, read_back};
use crate::files::write_atomic;
use crate::model::{Tensor, Weights, WeightsError, check_weights};
use crate::provenance;
use engine::engine::BUILT_IN;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use thiserror::Error;

const FORMAT: &str = "1";

/// Stands for the network that is built into the engine, where there is no file
/// of that name.
pub const DEFAULT_NETWORK: &str = "default";

pub struct Checkpoint {
    pub config: TrainConfig,
    pub progress: Progress,
    pub weights: Weights,
    pub average: Option<Weights>,
    /// The optimizer's state.
    pub first: Weights,
    pub second: Weights,
}

/// Where a run stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Steps made, and to make.
    pub step: u64,
    pub total: u64,
    /// Of the optimizer: more than the steps if it came from another run.
    #[serde(default)]
    pub updates: u64,
    pub positions: u64,
    pub cursor: Cursor,
    /// What the steps since the last line of the log said.
    pub unlogged: Report,
    /// Mean loss of the first steps: the measure of divergence.
    pub first_loss: f64,
    pub kl_weight: Option<f64>,
}

impl Progress {
    /// Updates of the optimizer; checkpoints of old say nothing about them.
    pub fn updates(&self) -> u64 {
        self.updates.max(self.step)
    }
}

#[derive(Debug, Error)]
pub enum CheckpointError {
    #[error("{}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(
        "{}: no checkpoint there; give a run's folder, one of its checkpoints, an ONNX network, or \
         {DEFAULT_NETWORK} for the engine's own",
        path.display()
    )]
    Missing { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Network { path: PathBuf, source: ReadBackError },
    #[error("{}: {source}", path.display())]
    Weights { path: PathBuf, source: WeightsError },
    #[error("{}: cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

impl Checkpoint {
    fn of_network(path: &Path, bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let (model, weights) = read_back(bytes)
            .map_err(|source| CheckpointError::Network { path: path.to_path_buf(), source })?;
        Ok(Checkpoint {
            config: TrainConfig { model, ..preset(DEFAULT_PRESET) },
            progress: Progress::default(),
            weights,
            average: None,
            first: Weights::new(),
            second: Weights::new(),
        })
    }

    /// What plays best: the average if there is one.
    pub fn best_weights(&self) -> &Weights {
        self.average.as_ref().unwrap_or(&self.weights)
    }

    /// Whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        let json = |value: serde_json::Result<String>| value.map_err(|e| unreadable(path, e));
        let metadata = HashMap::from([
            ("arbor.checkpoint".to_string(), FORMAT.to_string()),
            ("arbor.version".to_string(), provenance::VERSION.to_string()),
            ("arbor.git".to_string(), provenance::GIT.to_string()),
            ("arbor.config".to_string(), json(serde_json::to_string(&self.config))?),
            ("arbor.progress".to_string(), json(serde_json::to_string(&self.progress))?),
        ]);
        let groups = [
            ("weights", Some(&self.weights)),
            ("average", self.average.as_ref()),
            ("first", Some(&self.first)),
            ("second", Some(&self.second)),
        ];
        let mut stored = Vec::new();
        for (group, weights) in groups {
            for (name, tensor) in weights.into_iter().flatten() {
                let bytes: Vec<u8> = tensor.data.iter().flat_map(|x| x.to_le_bytes()).collect();
                stored.push((format!("{group}/{name}"), tensor.dims.clone(), bytes));
            }
        }
        let views = stored
            .iter()
            .map(|(name, dims, bytes)| {
                let view = TensorView::new(Dtype::F32, dims.clone(), bytes);
                view.map(|view| (name.as_str(), view)).map_err(|error| unreadable(path, error))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let bytes = safetensors::serialize(views, Some(metadata))
            .map_err(|error| unreadable(path, error))?;
        write_atomic(path, &bytes)
            .map_err(|source| CheckpointError::Write { path: path.to_path_buf(), source })
    }

    pub fn load(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let bytes = fs::read(path).map_err(|error| unreadable(path, error))?;
        let (_, header) =
            SafeTensors::read_metadata(&bytes).map_err(|error| unreadable(path, error))?;
        let tensors = SafeTensors::deserialize(&bytes).map_err(|error| unreadable(path, error))?;
        let entry = |key: &str| {
            let found = header.metadata().as_ref().and_then(|entries| entries.get(key));
            found.ok_or_else(|| unreadable(path, format!("not a checkpoint: it has no {key}")))
        };
        let format = entry("arbor.checkpoint")?;
        if format != FORMAT {
            let reason = format!("checkpoint format {format}; this trainer reads {FORMAT}");
            return Err(unreadable(path, reason));
        }
        let config = serde_json::from_str(entry("arbor.config")?);
        let progress = serde_json::from_str(entry("arbor.progress")?);
        let mut groups: HashMap<&str, Weights> = HashMap::new();
        for (name, view) in tensors.iter() {
            let Some((group, name)) = name.split_once('/') else { continue };
            let data = view.data().as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x));
            let tensor = Tensor { dims: view.shape().to_vec(), data: data.collect() };
            groups.entry(group).or_default().insert(name.to_string(), tensor);
        }
        let checkpoint = Checkpoint {
            config: config.map_err(|error| unreadable(path, error))?,
            progress: progress.map_err(|error| unreadable(path, error))?,
            weights: groups.remove("weights").unwrap_or_default(),
            average: groups.remove("average"),
            first: groups.remove("first").unwrap_or_default(),
            second: groups.remove("second").unwrap_or_default(),
        };
        for weights in
            [Some(&checkpoint.weights), checkpoint.average.as_ref()].into_iter().flatten()
        {
            check_weights(&checkpoint.config.model, weights)
                .map_err(|source| CheckpointError::Weights { path: path.to_path_buf(), source })?;
        }
        Ok(checkpoint)
    }

    /// The file itself, or the newest checkpoint of a run's folder; an exported
    /// network is as good as a checkpoint at the beginning of its run, and
    /// [`DEFAULT_NETWORK`] is the engine's own.
    pub fn find(path: &Path) -> Result<Checkpoint, CheckpointError> {
        if path.is_file() {
            return match path.extension().is_some_and(|ending| ending == "onnx") {
                true => {
                    let bytes = fs::read(path).map_err(|error| unreadable(path, error))?;
                    Checkpoint::of_network(path, &bytes)
                }
                false => Checkpoint::load(path),
            };
        }
        match newest(path) {
            Some(newest) => Checkpoint::load(&newest),
            None if path == Path::new(DEFAULT_NETWORK) => Checkpoint::of_network(path, BUILT_IN),
            None => Err(CheckpointError::Missing { path: path.to_path_buf() }),
        }
    }
}

/// The checkpoint with the most steps in a run's folder.
pub fn newest(run: &Path) -> Option<PathBuf> {
    all(run).pop()
}

/// A run's checkpoints, oldest first.
pub fn all(run: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder(run)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "safetensors"))
        .collect();
    files.sort();
    files
}

/// Where the checkpoint of a step belongs.
pub fn path(run: &Path, step: u64) -> PathBuf {
    folder(run).join(format!("step-{step:09}.safetensors"))
}

fn folder(run: &Path) -> PathBuf {
    run.join("checkpoints")
}

fn unreadable(path: &Path, reason: impl ToString) -> CheckpointError {
    CheckpointError::Unreadable { path: path.to_path_buf(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// JSON's usual readers are off by the last bit for some numbers, such as
    /// these two; training that goes on would then differ.
    #[test]
    fn progress_comes_back_to_the_last_bit() {
        let progress = Progress {
            first_loss: 31.245270191439438,
            kl_weight: Some(121.48791951161945),
            ..Progress::default()
        };
        let text = serde_json::to_string(&progress).unwrap();
        assert_eq!(serde_json::from_str::<Progress>(&text).unwrap(), progress);
    }
}
