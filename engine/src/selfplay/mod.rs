//! Self-play for training: jobs in, finished games out, as lines of JSON.
//!
//! Every thread plays many games at once and asks the network about one leaf of
//! each in a batch, so that batches are full although every search goes one
//! visit at a time, as its targets deserve. `protocol` is the language,
//! `settings` what a job may ask for; `tree`, `puct` and `gumbel` are the search,
//! `thinking` makes it something that waits for the network, `decision` turns it
//! into a move and a target; `game` and `endings` play, `worker` and `host` do
//! that many times.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod decision;
mod endings;
mod game;
mod gumbel;
mod host;
pub mod protocol;
mod puct;
mod session;
mod settings;
mod thinking;
mod tree;
mod worker;

#[cfg(test)]
mod tests;

pub use endings::{End, Watch, by_the_rules};
pub use session::run;
pub use settings::{
    Adjudicate, Gumbel, KldStop, Noise, PlayoutCap, Resign, Settings, Temperature, Verdict,
};
