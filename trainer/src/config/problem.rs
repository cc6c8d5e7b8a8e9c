//! What can be wrong with a config, and who said so.

use super::format::Format;
use std::fmt;
use std::path::PathBuf;

/// Where a value was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Preset,
    File(PathBuf),
    Flags,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Preset => f.write_str("preset"),
            Origin::File(path) => path.display().fmt(f),
            Origin::Flags => f.write_str("command line"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub origin: Origin,
    /// Path of the key, e.g. `schedule.drops[0].factor`.
    pub place: String,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { origin, place, message } = self;
        match origin {
            // Presets are sound; what is wrong is that something was not given.
            Origin::Preset => write!(f, "{place}: {message}"),
            Origin::File(_) | Origin::Flags if place.is_empty() => write!(f, "{origin}: {message}"),
            Origin::File(_) | Origin::Flags => write!(f, "{origin}: {place}: {message}"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}: a config ends in {}", path.display(), Format::ENDINGS)]
    UnknownFormat { path: PathBuf },
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax { path: PathBuf, line: usize, column: usize, message: String },
    #[error("{}", list(.0))]
    Problems(Vec<Problem>),
    #[error("the config cannot be written: {0}")]
    Unwritable(String),
}

impl ConfigError {
    pub(super) fn unwritable(error: impl fmt::Display) -> ConfigError {
        ConfigError::Unwritable(error.to_string())
    }
}

fn list(problems: &[Problem]) -> String {
    match problems {
        [problem] => problem.to_string(),
        _ => {
            let lines: Vec<String> = problems.iter().map(|p| format!("\n  {p}")).collect();
            format!("the config has {} problems:{}", problems.len(), lines.concat())
        }
    }
}
