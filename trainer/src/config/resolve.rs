//! Layers in, the checked config out, or all that is wrong with it.

use super::check::check;
use super::layer::Layer;
use super::merge::merge;
use super::nearest::nearest;
use super::presets::{DEFAULT_PRESET, PRESETS, preset};
use super::problem::{ConfigError, Origin, Problem};
use super::rules::RULES;
use super::settings::TrainConfig;
use serde_json::Value;
use std::path::Path;

impl TrainConfig {
    /// The config of a file alone, over the preset it names.
    pub fn read(path: &Path) -> Result<TrainConfig, ConfigError> {
        resolve(vec![Layer::of_file(path)?])
    }
}

/// `layers` from the lowest to the highest, without the preset's, which the
/// highest one that has a `preset` key names.
pub fn resolve(mut layers: Vec<Layer>) -> Result<TrainConfig, ConfigError> {
    let mut problems = vec![];
    let base = take_preset(&mut layers, &mut problems);
    let mut sound = vec![Layer::of_preset(&base)?];
    sound.extend(layers.into_iter().map(|layer| check(layer, &mut problems)));
    match serde_json::from_value::<TrainConfig>(merge(&sound)) {
        Ok(config) => {
            let faults = broken_rules(&config, &sound, &problems);
            problems.extend(faults);
            if problems.is_empty() {
                return Ok(config);
            }
        }
        Err(error) => problems.push(Problem {
            origin: Origin::Preset,
            place: "config".into(),
            message: error.to_string(),
        }),
    }
    Err(ConfigError::Problems(problems))
}

/// Takes the `preset` keys out; an unknown name is a problem.
fn take_preset(layers: &mut [Layer], problems: &mut Vec<Problem>) -> TrainConfig {
    let mut base = preset(DEFAULT_PRESET);
    for layer in layers {
        let Some(name) = layer.tree.as_object_mut().and_then(|tree| tree.remove("preset")) else {
            continue;
        };
        match PRESETS.iter().find(|preset| Some(**preset) == name.as_str()) {
            Some(name) => base = preset(name),
            None => problems.push(Problem {
                origin: layer.origin.clone(),
                place: "preset".into(),
                message: unknown_preset(&name),
            }),
        }
    }
    base
}

fn unknown_preset(name: &Value) -> String {
    let meant = name.as_str().and_then(|name| nearest(name, PRESETS.iter().copied()));
    match meant {
        Some(meant) => format!("{name} is unknown; did you mean {meant}?"),
        None => format!("{name} is unknown; there are {}", PRESETS.join(", ")),
    }
}

/// Rules whose keys are all sound, and that are broken all the same.
fn broken_rules(config: &TrainConfig, layers: &[Layer], known: &[Problem]) -> Vec<Problem> {
    let told = |key: &&str| known.iter().any(|problem| overlap(&problem.place, key));
    let sound = RULES.iter().filter(|rule| !rule.keys.iter().any(&told));
    let broken = sound.filter_map(|rule| Some((rule, (rule.broken)(config)?)));
    let problem = |(rule, message): (&super::rules::Rule, String)| Problem {
        origin: origin_of(rule.keys, layers),
        place: rule.keys[0].to_string(),
        message,
    };
    broken.map(problem).collect()
}

/// Whether one path is the other or leads to it, as the whole tree does.
fn overlap(place: &str, key: &str) -> bool {
    let leads = |short: &str, long: &str| {
        long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    place.is_empty() || leads(place, key) || leads(key, place)
}

/// The highest layer that has a word in it.
fn origin_of(keys: &[&str], layers: &[Layer]) -> Origin {
    let speaks = |layer: &&Layer| keys.iter().any(|key| layer.get(key).is_some());
    layers.iter().rev().find(speaks).map_or(Origin::Preset, |layer| layer.origin.clone())
}
