//! Test suites: what a player finds when there is something to find, and what its
//! moves give away.
//!
//! In: EPD files with `bm` and `am`, Lichess puzzles as CSV, or shards with values
//! of moves, and somebody who plays. Out: an [`Attempt`] per problem, a [`Report`]
//! on all of them, and a [`Comparison`] of two players.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod comparison;
mod epd;
mod error;
mod problem;
mod puzzles;
mod rated;
mod rating;
mod report;
mod run;
#[cfg(test)]
mod scripted;
mod share;
mod solve;
mod source;

pub use comparison::Comparison;
pub use error::SuiteError;
pub use problem::{Expected, Problem};
pub use rated::{is_shards, read_rated};
pub use rating::RatingEstimate;
pub use report::{Band, Report, Theme};
pub use run::{Settings, run};
pub use share::Share;
pub use solve::{Attempt, Solver, Start, attempt};
pub use source::{Suite, read};
