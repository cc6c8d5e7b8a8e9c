//! Loops that come with the trainer, and what may be changed about them.

use super::LoopError;
use super::config::LoopConfig;
use crate::config::{Format, set_at};
use serde_json::Value;
use std::path::Path;

/// Names and texts, in the order that the documentation has.
pub const PRESETS: [(&str, &str); 7] = [
    ("reference", include_str!("../../loops/reference.yaml")),
    ("deep-search", include_str!("../../loops/deep-search.yaml")),
    ("high-throughput", include_str!("../../loops/high-throughput.yaml")),
    ("high-entropy", include_str!("../../loops/high-entropy.yaml")),
    ("efficient", include_str!("../../loops/efficient.yaml")),
    ("tiny-zero", include_str!("../../loops/tiny-zero.yaml")),
    ("warm-start", include_str!("../../loops/warm-start.yaml")),
];

/// All settings, in words.
pub const HELP: &str = include_str!("../../LOOPS.md");

/// Keys that lie in `train.set` have dots of their own.
const INNER: &str = "train.set.";

impl LoopConfig {
    /// A preset with some of its settings changed, each as `KEY=VALUE`.
    pub fn preset(name: &str, changes: &[String]) -> Result<LoopConfig, LoopError> {
        let Some((_, text)) = PRESETS.iter().find(|(known, _)| *known == name) else {
            let known = PRESETS.map(|(name, _)| name).join(", ");
            return Err(LoopError::Settings(format!("no preset {name:?}; there are {known}")));
        };
        LoopConfig::parse(text, Format::Yaml, Path::new(name), changes)
    }

    /// A file with some of its settings changed.
    pub fn parse(
        text: &str,
        format: Format,
        path: &Path,
        changes: &[String],
    ) -> Result<LoopConfig, LoopError> {
        // First as it stands, so that errors in the file are told with their place.
        let mut config: LoopConfig = format.parse(text, path)?;
        let mut tree: Value = format.parse(text, path)?;
        for change in changes {
            let wrong = |reason: String| LoopError::Settings(format!("--set {change}: {reason}"));
            let (key, value) =
                change.split_once('=').ok_or_else(|| wrong("expected KEY=VALUE".to_string()))?;
            let value =
                Format::Yaml.parse(value, path).map_err(|error| wrong(error.to_string()))?;
            set(&mut tree, key, value);
            config =
                serde_json::from_value(tree.clone()).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(config)
    }
}

fn set(tree: &mut Value, key: &str, value: Value) {
    match key.strip_prefix(INNER) {
        Some(inner) => set_at(tree, ["train", "set", inner], value),
        None => set_at(tree, key.split('.'), value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::{Drift, Gate, Supervised};
    use engine::selfplay::{Adjudicate, Gumbel, KldStop, PlayoutCap, Resign, Verdict};

    #[test]
    fn every_preset_holds() {
        for (name, _) in PRESETS {
            let config = LoopConfig::preset(name, &[]).unwrap();
            assert_eq!(config.name, name);
            assert_eq!(config.problems(), Vec::<String>::new(), "{name}");
            assert!(HELP.contains(&format!("| `{name}` |")), "{name}");
        }
        let told = LoopConfig::preset("refrence", &[]).unwrap_err().to_string();
        assert!(told.contains("reference, deep-search"), "{told}");
    }

    #[test]
    fn settings_can_be_changed_one_by_one() {
        let changes = [
            "selfplay.search.visits=7",
            "selfplay.search.resign=null",
            "train.set.model.blocks=5",
            "gate={kind: score, games: 4, tc: nodes=8, score: 0.55}",
            "name=mine",
        ];
        let config = LoopConfig::preset("reference", &changes.map(String::from)).unwrap();
        assert_eq!((config.selfplay.search.visits, config.name.as_str()), (7, "mine"));
        assert_eq!(config.selfplay.search.resign, None);
        assert_eq!(config.train.set["model.blocks"], 5);
        assert!(matches!(config.gate, Gate::Score { games: 4, .. }));
        for (wrong, part) in [("visits", "KEY=VALUE"), ("watch.gmaes=3", "gmaes")] {
            let told = LoopConfig::preset("reference", &[wrong.to_string()]).unwrap_err();
            assert!(told.to_string().contains(part), "{told}");
        }
    }

    /// A config in which everything is switched on.
    fn full() -> LoopConfig {
        let mut config = LoopConfig {
            start: Some("net.onnx".into()),
            supervised: Some(Supervised { paths: vec!["games".into()], share: 0.5 }),
            drift: Some(Drift { target: 0.1, limit: 0.2, weight: 0.1 }),
            ..LoopConfig::default()
        };
        config.gate = LoopConfig::preset("efficient", &[]).unwrap().gate;
        let verdict =
            Verdict { value: 0.9, plies: 4, from_ply: 1, to_ply: 2, final_value: Some(0.5) };
        let search = &mut config.selfplay.search;
        search.playout_cap = Some(PlayoutCap { full_share: 0.5, cheap_visits: 4 });
        search.gumbel = Some(Gumbel::default());
        search.kld_stop = Some(KldStop { interval: 10, gain: 0.1 });
        search.resign = Some(Resign { value: 0.9, moves: 2, play_on: 0.1 });
        search.adjudicate =
            Adjudicate { win: Some(verdict), draw: Some(verdict), max_plies: 9, tablebase: true };
        config
    }

    fn keys(tree: &Value, path: &str, found: &mut Vec<String>) {
        // Their insides are documented elsewhere.
        let closed = ["gate.sprt", "gate.tc", "watch.tc", "selfplay.options", "train.set"];
        match tree {
            Value::Object(table) if !closed.contains(&path) => {
                for (name, value) in table {
                    let path =
                        if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    keys(value, &path, found);
                }
            }
            _ => found.push(path.replace("selfplay.search.", "")),
        }
    }

    #[test]
    fn every_setting_is_documented() {
        let mut found = Vec::new();
        keys(&serde_json::to_value(full()).unwrap(), "", &mut found);
        assert!(found.len() > 60, "{found:?}");
        for key in found {
            assert!(HELP.contains(&format!("| `{key}` |")), "{key}");
        }
    }
}
