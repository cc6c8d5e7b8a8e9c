//! One tree of keys, and where it comes from: a preset, a file or the flags.

use super::format::Format;
use super::keys::key_at;
use super::problem::{ConfigError, Origin};
use super::settings::TrainConfig;
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;

pub struct Layer {
    pub origin: Origin,
    pub tree: Value,
}

impl Layer {
    pub fn of_preset(config: &TrainConfig) -> Result<Layer, ConfigError> {
        // By way of text, where a 32-bit 0.1 is 0.1 and not its 64-bit neighbor.
        let text = serde_json::to_string(config).map_err(ConfigError::unwritable)?;
        let tree = serde_json::from_str(&text).map_err(ConfigError::unwritable)?;
        Ok(Layer { origin: Origin::Preset, tree })
    }

    pub fn of_file(path: &Path) -> Result<Layer, ConfigError> {
        let format = Format::of(path)?;
        let text = fs::read_to_string(path)
            .map_err(|source| ConfigError::Read { path: path.to_path_buf(), source })?;
        let tree = match format.parse(&text, path)? {
            // An empty file says nothing.
            Value::Null => Value::Object(Map::new()),
            tree => tree,
        };
        Ok(Layer { origin: Origin::File(path.to_path_buf()), tree })
    }

    pub fn empty(origin: Origin) -> Layer {
        Layer { origin, tree: Value::Object(Map::new()) }
    }

    /// What stands at a path without lists, if anything does.
    pub fn get(&self, path: &str) -> Option<&Value> {
        path.split('.').try_fold(&self.tree, |tree, name| tree.get(name))
    }

    pub fn set(&mut self, path: &str, value: Value) {
        set_at(&mut self.tree, path.split('.'), value);
    }

    /// The same with a flag's text, read as the key there wants it.
    pub fn set_text(&mut self, path: &str, text: &str) {
        let value = match key_at(path) {
            Some(key) if key.optional && text == "null" => Value::Null,
            Some(key) => key.kind.parse(text),
            // Lists of tables, such as `[{at: 100, factor: 0.1}]`.
            None => Format::Yaml.parse(text, Path::new("")).unwrap_or_else(|_| text.into()),
        };
        self.set(path, value);
    }
}

/// Puts a value at a path of names, making the tables on the way.
pub fn set_at<'a>(tree: &mut Value, path: impl IntoIterator<Item = &'a str>, value: Value) {
    let mut place = tree;
    for name in path {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[name];
    }
    *place = value;
}
