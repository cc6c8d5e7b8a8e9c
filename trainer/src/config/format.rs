//! Configs as text: YAML and TOML.

use super::problem::ConfigError;
use super::settings::TrainConfig;
use serde::de::DeserializeOwned;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Yaml,
    Toml,
}

impl Format {
    pub(super) const ENDINGS: &str = ".yaml, .yml or .toml";

    pub fn of(path: &Path) -> Result<Format, ConfigError> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Ok(Format::Yaml),
            "toml" => Ok(Format::Toml),
            _ => Err(ConfigError::UnknownFormat { path: path.to_path_buf() }),
        }
    }

    /// What a text says; `path` is for the error alone.
    pub fn parse<T: DeserializeOwned>(self, text: &str, path: &Path) -> Result<T, ConfigError> {
        let (line, column, message) = match self.parse_or_place(text) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        // What the parsers add on further lines is a picture of the place.
        let message = message.lines().next().unwrap_or_default().to_string();
        Err(ConfigError::Syntax { path: path.to_path_buf(), line, column, message })
    }

    fn parse_or_place<T: DeserializeOwned>(self, text: &str) -> Result<T, (usize, usize, String)> {
        match self {
            Format::Yaml => serde_saphyr::from_str(text).map_err(|error| {
                let place = error.location();
                let line = place.map_or(1, |place| place.line() as usize);
                let column = place.map_or(1, |place| place.column() as usize);
                (line, column, error.without_snippet().to_string())
            }),
            Format::Toml => toml::from_str(text).map_err(|error| {
                let offset = error.span().map_or(0, |span| span.start);
                let before = text.get(..offset).unwrap_or_default();
                let line = before.matches('\n').count() + 1;
                let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
                (line, column, error.message().to_string())
            }),
        }
    }
}

impl TrainConfig {
    /// The whole config, to be read again.
    pub fn to_text(&self, format: Format) -> Result<String, ConfigError> {
        match format {
            Format::Yaml => serde_saphyr::to_string(self).map_err(ConfigError::unwritable),
            Format::Toml => toml::to_string(self).map_err(ConfigError::unwritable),
        }
    }
}
