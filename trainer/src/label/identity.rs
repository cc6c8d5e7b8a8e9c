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

/// Where two configurations differ, in words: `search.multipv 1, now 3`.
pub fn differences(before: &Value, now: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", before, now, &mut found);
    found
}

fn compare(name: &str, before: &Value, now: &Value, found: &mut Vec<String>) {
    match (before, now) {
        (Value::Object(old), Value::Object(new)) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                let dot = if name.is_empty() { "" } else { "." };
                let absent = &Value::Null;
                let (old, new) = (old.get(key).unwrap_or(absent), new.get(key).unwrap_or(absent));
                compare(&format!("{name}{dot}{key}"), old, new, found);
            }
        }
        (old, new) if old != new => found.push(format!("{name} {old}, now {new}")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_by_their_place() {
        let before = json!({"a": 1, "search": {"multipv": 1, "limit": {"Nodes": 5}}});
        let now = json!({"a": 1, "search": {"multipv": 3, "limit": {"Depth": 5}}});
        assert_eq!(
            differences(&before, &now),
            [
                "search.limit.Nodes 5, now null",
                "search.limit.Depth null, now 5",
                "search.multipv 1, now 3",
            ]
        );
        assert!(differences(&before, &before).is_empty());
    }
}
