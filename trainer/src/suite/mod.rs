//! Tactical suites: what a player finds when there is something to find.
//!
//! In: EPD files with `bm` and `am`, or Lichess puzzles as CSV, and somebody who
//! plays. Out: an [`Attempt`] per problem, and a [`Report`] on all of them.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod epd;
mod error;
mod problem;
mod puzzles;
mod rating;
mod report;
mod run;
#[cfg(test)]
mod scripted;
mod share;
mod solve;
mod source;

pub use error::SuiteError;
pub use problem::{Expected, Problem};
pub use rating::RatingEstimate;
pub use report::{Band, Report, Theme};
pub use run::{Settings, run};
pub use share::Share;
pub use solve::{Attempt, Solver, Start, attempt};
pub use source::{Suite, read};
