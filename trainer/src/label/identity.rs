//! What makes two runs the same: everything that has a say in the labels.

use super::input::Fingerprint;
use super::{LabelError, Settings};
use crate::provenance;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The settings as JSON, and their hash.
pub struct Identity {
    pub config: Value,
    pub hash: String,
    /// As the engine calls itself.
    pub teacher: String,
}

impl Identity {
    /// The number of processes and the patience with them are left out: labels
    /// do not depend on those.
    pub fn new(
        settings: &Settings,
        files: &[PathBuf],
        teacher: &str,
    ) -> Result<Identity, LabelError> {
        let inputs = files.iter().map(|path| {
            Fingerprint::take(path)
                .map_err(|source| LabelError::Read { path: path.clone(), source })
        });
        let options = settings.teacher.options.iter();
        let config = json!({
            "teacher": teacher,
            "arguments": settings.teacher.command.arguments,
            "options": options.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>(),
            "search": settings.search,
            "positions": settings.positions,
            "inputs": inputs.collect::<Result<Vec<_>, _>>()?,
            "part_size": settings.part_size,
        });
        let hash = provenance::hash(config.to_string().as_bytes());
        Ok(Identity { config, hash, teacher: teacher.to_string() })
    }
}
