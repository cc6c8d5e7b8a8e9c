//! A player that is ready to be started.

use super::baseline::Baseline;
use super::uci_player::UciPlayer;
use super::{Fault, Player, TimeControl};
use crate::uci::EngineCommand;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Everything that decides how the player plays.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerSpec {
    pub name: String,
    pub kind: PlayerKind,
    /// Other than the match's.
    pub time: Option<TimeControl>,
    pub anchor: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PlayerKind {
    Engine {
        command: EngineCommand,
        options: Vec<(String, String)>,
        /// SHA-256 of the program.
        program: Option<String>,
        network: Option<Network>,
    },
    Baseline(Baseline),
}

/// A network file of our own engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Network {
    pub path: PathBuf,
    pub sha256: String,
}

impl PlayerSpec {
    /// `patience` is how long an engine may be silent beyond its time; a raised
    /// `stop` ends its thinking.
    pub fn start(
        &self,
        patience: Duration,
        stop: &Arc<AtomicBool>,
    ) -> Result<Box<dyn Player>, Fault> {
        match &self.kind {
            PlayerKind::Baseline(baseline) => Ok(baseline.player()),
            PlayerKind::Engine { command, options, .. } => {
                Ok(Box::new(UciPlayer::start(command, options, patience, Arc::clone(stop))?))
            }
        }
    }

    /// Threads it thinks with; `None` when only the engine knows.
    pub fn threads(&self) -> Option<usize> {
        match &self.kind {
            PlayerKind::Baseline(_) => Some(1),
            PlayerKind::Engine { options, network, .. } => {
                let set =
                    options.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case("Threads"));
                match set.and_then(|(_, threads)| threads.parse().ok()) {
                    Some(0) | None if network.is_some() => None,
                    Some(threads) => Some(threads),
                    // By custom, engines use one thread unless told otherwise.
                    None => Some(1),
                }
            }
        }
    }
}

/// Of these players, so many can think at once without sharing a processor.
pub fn fitting_concurrency(players: &[PlayerSpec]) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = |player: &PlayerSpec| player.threads().unwrap_or(cores).max(1);
    let most = players.iter().map(threads).max().unwrap_or(1);
    (cores / most).max(1)
}
