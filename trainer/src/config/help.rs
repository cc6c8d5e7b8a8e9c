//! The table of keys as a page of text.

use super::keys::KEYS;
use super::layer::Layer;
use super::presets::{DEFAULT_PRESET, preset};
use super::problem::ConfigError;
use serde_json::Value;

/// Every key with its default, what it takes and what it means.
pub fn help() -> Result<String, ConfigError> {
    let defaults = Layer::of_preset(&preset(DEFAULT_PRESET))?;
    let mut out = format!(
        "Keys of a config file, and of --set. The values shown are those of the preset {DEFAULT_PRESET}.\n"
    );
    let mut section = "";
    for key in KEYS {
        let own = key.path.split('.').next().unwrap_or_default();
        if own != section {
            section = own;
            out.push('\n');
        }
        let value = match defaults.get(key.path) {
            None | Some(Value::Null) => "-".to_string(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        out.push_str(&format!("{} = {value}\n    {} ({})\n", key.path, key.help, key.kind));
    }
    Ok(out)
}
