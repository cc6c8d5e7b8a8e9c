//! The files of a loop.
//!
//! | path | what |
//! |---|---|
//! | `loop.toml` | the settings |
//! | `state.json` | where it stands |
//! | `generations/0003/games` | the games that generation 3 played before its training |
//! | `generations/0003/run` | its training run |
//! | `generations/0003/net.onnx` | its network; `0000` is the start |
//! | `generations/0003/gate`, `watch-random` | its matches |
//! | `metrics.jsonl`, `metrics.csv`, `events...` | telemetry |

use crate::selfplay::Telemetry;
use std::path::{Path, PathBuf};

/// Games of a generation: by the best network, and by the current one.
pub const GAMES: &str = "games";
pub const GAMES_OF_CURRENT: &str = "games/current";

#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn config(&self) -> PathBuf {
        self.0.join("loop.toml")
    }

    pub fn state(&self) -> PathBuf {
        self.0.join("state.json")
    }

    pub fn lock(&self) -> PathBuf {
        self.0.join("loop.lock")
    }

    pub fn metrics(&self) -> PathBuf {
        self.0.join("metrics.jsonl")
    }

    pub fn csv(&self) -> PathBuf {
        self.0.join("metrics.csv")
    }

    pub fn generation(&self, number: u32) -> PathBuf {
        self.0.join("generations").join(format!("{number:04}"))
    }

    pub fn games(&self, number: u32) -> PathBuf {
        self.part(number, GAMES)
    }

    pub fn network(&self, number: u32) -> PathBuf {
        self.generation(number).join("net.onnx")
    }

    /// The training run, whose newest checkpoint has the weights.
    pub fn run(&self, number: u32) -> PathBuf {
        self.generation(number).join("run")
    }

    /// Games or a match of a generation.
    pub fn part(&self, number: u32, name: &str) -> PathBuf {
        self.generation(number).join(name)
    }

    /// What the games of a generation were like; empty if there are none.
    pub fn telemetry(&self, number: u32) -> Telemetry {
        let mut all = Telemetry::default();
        for part in [GAMES, GAMES_OF_CURRENT] {
            all.merge(&Telemetry::read(&self.part(number, part)).unwrap_or_default());
        }
        all
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}
