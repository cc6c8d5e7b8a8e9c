//! What results say about strength.
//!
//! In: results of games in pairs, the same opening played with both colors. Out:
//! Elo differences and ratings with their intervals, and the sequential test
//! that ends a match when enough is known. Everything is computed from pairs: the
//! two games of one share their opening and are not independent, and an interval
//! that takes them for it is wrong, as a rule too wide.

mod elo;
mod interval;
mod matrix;
mod mean;
mod pairs;
mod rating;
mod sprt;
#[cfg(test)]
mod tests;

pub use elo::{Comparison, expected_score, logistic_elo};
pub use interval::{CONFIDENCE, Interval, normal_cdf, wilson};
pub use mean::Mean;
pub use pairs::{GameResult, Pairs, Tally};
pub use rating::{Anchors, Encounter, Rating, rate};
pub use sprt::{Decision, Model, Sprt};
