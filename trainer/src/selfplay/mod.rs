//! Self-play: an engine plays itself, its games become shards.
//!
//! With our engine, `run` drives a process that plays many games at once
//! (`arbor`); any other UCI engine plays one at a time (`uci_games`). `openings`
//! says where games begin, `record` checks what comes back and makes records of
//! it, `store` keeps them safe, `telemetry` tells what they were like.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod arbor;
mod openings;
mod record;
mod run;
mod settings;
mod spool;
mod store;
mod telemetry;
#[cfg(test)]
mod tests;
mod uci_games;

pub use openings::{OpeningSettings, OpeningsError};
pub use run::Played;
pub use settings::{Plan, Settings};
pub use store::StoreError;
pub use telemetry::{Telemetry, most_frequent};

use arbor::Arbor;
use run::{Player, Run};
use std::io;
use std::path::PathBuf;
use thiserror::Error;
use uci_games::UciGames;

#[derive(Debug, Error)]
pub enum SelfplayError {
    #[error("{0}")]
    Settings(String),
    #[error("cannot start {command}: {source}")]
    Start { command: String, source: io::Error },
    #[error("{command} ended: {how}")]
    Died { command: String, how: String },
    #[error("{} is another network now ({found}); the folder's games are by {known}", path.display())]
    OtherNetwork { path: PathBuf, known: String, found: String },
    #[error("the engine says that it plays with {said}, but {} is {found}", path.display())]
    WrongNetwork { path: PathBuf, said: String, found: String },
    #[error("a thread that played games failed")]
    Thread,
    #[error("game {id} was refused: {reason}")]
    Refused { id: u64, reason: String },
    #[error("game {id} did not hold, however often it was played: {reason}")]
    BadGame { id: u64, reason: String },
    #[error("{}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Engine(#[from] crate::uci::UciError),
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Plays the games that the plan still lacks.
pub fn selfplay(settings: &Settings) -> Result<Played, SelfplayError> {
    if settings.watch_network && settings.network.is_none() {
        return Err(SelfplayError::Settings("--watch-net needs --net".to_string()));
    }
    if let Some(name) = Arbor::name(settings)? {
        if settings.processes > 1 {
            return Err(SelfplayError::Settings(
                "--processes is for other engines; ours plays many games at once, see its option \
                 Threads"
                    .to_string(),
            ));
        }
        let arbor = Arbor::start(settings)?;
        return Run::open(settings, Player { name, is_ours: true }, &arbor.network)?.play(arbor);
    }
    if let Some(network) = &settings.network {
        let (engine, network) = (&settings.engine, network.display());
        return Err(SelfplayError::Settings(format!("{engine} does not play with {network}")));
    }
    if settings.plan.search.adjudicate.tablebase {
        let engine = &settings.engine;
        return Err(SelfplayError::Settings(format!(
            "adjudicate.tablebase is for our engine; {engine} would have to resign by itself"
        )));
    }
    let games = UciGames::start(settings)?;
    let player = Player { name: games.name().to_string(), is_ours: false };
    Run::open(settings, player, "")?.play_with_others(games)
}
