//! What the file says of itself: its layout and where it comes from.

use super::read_back::ARCHITECTURE;
use crate::model::{Architecture, ValueKind};
use crate::provenance;
use engine::eval::TunedFor;
use engine::onnx::GraphBuilder;

/// Provenance of a network; what is `None` is left out of the file.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// Seconds since 1970.
    pub created: Option<u64>,
    /// The trainer's commit.
    pub git: Option<String>,
    /// Hash of the network or checkpoint that it was trained from.
    pub parent: Option<String>,
    /// Hash or name of the training data.
    pub data: Option<String>,
    /// How it was trained, in words.
    pub recipe: Option<String>,
    /// Search parameters that it was tuned for.
    pub tuned_for: TunedFor,
}

impl Metadata {
    pub(super) fn write(&self, architecture: &Architecture, graph: &mut GraphBuilder) {
        let value = match architecture.value {
            ValueKind::Wdl => "wdl",
            ValueKind::Scalar => "scalar",
        };
        let entries = [
            ("arbor.format", Some("1".to_string())),
            ("arbor.encoder", Some(architecture.encoder.name().to_string())),
            ("arbor.policy", Some(architecture.encoder.policy().name().to_string())),
            ("arbor.value", Some(value.to_string())),
            ("arbor.net", Some(architecture.describe())),
            (ARCHITECTURE, serde_json::to_string(architecture).ok()),
            ("arbor.created", self.created.map(provenance::timestamp)),
            ("arbor.git", self.git.clone()),
            ("arbor.parent", self.parent.clone()),
            ("arbor.data", self.data.clone()),
            ("arbor.recipe", self.recipe.clone()),
        ];
        for (key, value) in entries {
            if let Some(value) = value {
                graph.metadata(key, &value);
            }
        }
        for (name, value) in self.tuned_for.entries() {
            if let Some(value) = value {
                graph.metadata(&format!("arbor.{name}"), &value.to_string());
            }
        }
    }
}
