//! The learning loop: self-play, training, matches, generation after
//! generation.
//!
//! `config` says how, `state` where it stands, `folder` where things are.
//! `stages` plays, trains and exports, `judge` lets the new network play for its
//! place (by `contest`), `veto` answers a network that is worse, `strength` rates
//! all generations together, `run` puts it all in order. `presets` are loops to
//! begin with, `sweep` compares several.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod config;
mod contest;
mod folder;
mod judge;
mod presets;
mod run;
mod stages;
mod state;
mod strength;
mod sweep;
mod veto;

pub use config::{
    Drift, Gate, LoopConfig, Opponent, SelfplayPart, Supervised, TrainPart, Watch, Window,
};
pub use folder::Folder;
pub use presets::{HELP, PRESETS};
pub use run::Loop;
pub use state::{Generation, MatchResult, Stage, State};
pub use strength::{Strength, Strengths, strengths};
pub use sweep::Sweep;

use std::io;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum LoopError {
    #[error("{0}")]
    Settings(String),
    #[error("{0}")]
    Player(String),
    #[error("cannot start the threads: {0}")]
    Threads(String),
    #[error("{}: another loop is using it", .0.display())]
    InUse(PathBuf),
    #[error("{}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{}: {cause}", path.display())]
    State { path: PathBuf, cause: String },
    #[error(
        "{} was begun with other settings ({differences}); choose another name",
        folder.display()
    )]
    OtherSettings { folder: PathBuf, differences: String },
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    #[error(transparent)]
    Selfplay(#[from] crate::selfplay::SelfplayError),
    #[error(transparent)]
    Checkpoint(#[from] crate::train::CheckpointError),
    #[error(transparent)]
    Session(#[from] crate::train::SessionError),
    #[error(transparent)]
    Export(#[from] crate::export::ExportError),
    #[error(transparent)]
    Arena(#[from] crate::arena::ArenaError),
    #[error(transparent)]
    Book(#[from] crate::openings::BookError),
    #[error(transparent)]
    Metrics(#[from] crate::metrics::MetricsError),
}
