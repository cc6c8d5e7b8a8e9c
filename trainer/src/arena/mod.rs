//! Matches: players in, games and ratings out.
//!
//! `settings` says who plays whom and how, `schedule` numbers the games, `run`
//! spreads them over threads, `seats` starts the players and replaces those that
//! fail, `game` plays one game under a `clock` and a `judge`. Finished games go to
//! the `journal`, from which a match can go on at any time, and to `pgn`;
//! `standings` counts them, `report` says what they mean, `progress` says so while
//! they are played.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod clock;
mod error;
mod game;
mod journal;
mod judge;
mod pgn;
mod progress;
mod record;
mod report;
mod run;
mod schedule;
mod seats;
mod settings;
mod standings;

pub use error::ArenaError;
pub use judge::{Adjudication, DrawRule, WinRule};
pub use record::{Ending, GameRecord, MoveRecord};
pub use report::Report;
pub use run::{Finished, run};
pub use schedule::Format;
pub use settings::{MatchSettings, OpeningSettings, RunSettings};
pub use standings::Standings;
