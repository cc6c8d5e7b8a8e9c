//! What a run of self-play is to do.

use super::openings::OpeningSettings;
use crate::uci::EngineCommand;
use engine::selfplay::Settings as SearchSettings;
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

#[derive(Clone, Debug)]
pub struct Settings {
    /// Our engine, or any other that speaks UCI.
    pub engine: EngineCommand,
    /// For our engine; its default network if left out.
    pub network: Option<PathBuf>,
    /// Options of the engine, by name.
    pub options: Vec<(String, String)>,
    pub out: PathBuf,
    pub plan: Plan,
    /// Games that make a shard.
    pub shard_games: usize,
    /// A network file that changes is picked up between games.
    pub watch_network: bool,
    /// Other engines than ours: how many of them play at once.
    pub processes: usize,
    /// An engine that says nothing for so long has failed.
    pub patience: Duration,
}

impl Settings {
    /// When the network's file was last changed.
    pub fn network_time(&self) -> Option<SystemTime> {
        let path = self.network.as_ref()?;
        std::fs::metadata(path).and_then(|data| data.modified()).ok()
    }
}

/// What the games depend on: a folder holds games of one plan only.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    pub games: u64,
    pub seed: u64,
    pub generation: Option<u32>,
    pub openings: OpeningSettings,
    pub search: SearchSettings,
}
