//! Who plays: UCI engines, our own with a network among them, and built-in
//! baselines, behind one interface.
//!
//! In: a player's name on the command line or in a config file. Out: a
//! [`PlayerSpec`] that can be described, hashed and started, and the [`Player`]
//! it starts, which is asked for moves.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod baseline;
mod entry;
mod game_line;
mod resolve;
mod spec;
mod thought;
mod time_control;
mod uci_player;

pub use baseline::{Baseline, mates};
pub use entry::PlayerEntry;
pub use game_line::GameLine;
pub use resolve::{Programs, resolve};
pub use spec::{PlayerKind, PlayerSpec, fitting_concurrency};
pub use thought::{Fault, Player, Thought};
pub use time_control::TimeControl;
