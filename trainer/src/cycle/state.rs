//! Where a loop stands: one file, written whole after every stage.

use super::veto::Measures;
use crate::files::write_atomic;
use crate::statistics::Pairs;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Of the file; another one is refused.
const FORMAT: u32 = 2;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub format: u32,
    /// The generation at work, counted from 1; 0 is the start.
    pub generation: u32,
    pub stage: Stage,
    /// The generation whose network plays and that others must beat.
    pub best: u32,
    /// The generation whose weights training goes on from.
    pub weights: u32,
    pub measures: Measures,
    /// Vetoes in a row.
    pub vetoes: u32,
    /// How much staying near the start's policy counted when a generation's
    /// training ended last.
    #[serde(default)]
    pub kl_weight: Option<f64>,
    pub history: Vec<Generation>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    #[default]
    Selfplay,
    Train,
    Export,
    Judge,
}

/// What became of a generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    pub number: u32,
    pub games: u64,
    /// Of its games, those that training may see.
    pub new_positions: u64,
    /// That training took.
    pub positions: u64,
    pub accepted: bool,
    /// Its training came to nothing.
    pub diverged: bool,
    /// What its training measured last.
    pub training: BTreeMap<String, f64>,
    /// Against the best network so far, and the start, where matches were played.
    pub gate: Vec<MatchResult>,
    pub watch: Vec<MatchResult>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    pub opponent: String,
    /// The generation that the opponent is, if it is one.
    pub against: Option<u32>,
    pub games: u64,
    pub score: f64,
    pub pairs: Pairs,
    pub elo: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl Generation {
    pub fn matches(&self) -> impl Iterator<Item = &MatchResult> {
        self.gate.iter().chain(&self.watch)
    }

    pub fn loss(&self) -> Option<f64> {
        self.training.get("train/loss").copied()
    }

    /// Divergence from the start's policy, where it was measured: that of the
    /// weights that play, on positions kept from training, or else, without such
    /// positions, that of the last steps.
    pub fn kl(&self) -> Option<f64> {
        let measured = |name: &str| self.training.get(name).copied();
        measured("validation/kl").or_else(|| measured("train/kl"))
    }
}

impl Default for State {
    fn default() -> State {
        State {
            format: FORMAT,
            generation: 0,
            stage: Stage::default(),
            best: 0,
            weights: 0,
            measures: Measures::default(),
            vetoes: 0,
            kl_weight: None,
            history: Vec::new(),
        }
    }
}

impl State {
    /// The generations that were judged.
    pub fn finished(&self) -> &[Generation] {
        let is_at_work = |last: &Generation| last.number == self.generation;
        let count = self.history.len() - usize::from(self.history.last().is_some_and(is_at_work));
        &self.history[..count]
    }

    /// `None` if the loop has not begun.
    pub fn read(path: &Path) -> Result<Option<State>, String> {
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let tree: Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        match tree["format"].as_u64() {
            Some(format) if format == u64::from(FORMAT) => {
                serde_json::from_value(tree).map(Some).map_err(|error| error.to_string())
            }
            other => Err(format!(
                "has format {}, this trainer reads {FORMAT}; go on with the trainer that began \
                 the loop, or begin one under another name",
                other.map_or("none".to_string(), |format| format.to_string())
            )),
        }
    }

    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_atomic(path, &serde_json::to_vec_pretty(self).unwrap_or_default())
    }
}
