//! The engine's commands beside UCI, as functions that write to any stream.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod backendbench;
mod bench;
mod doctor;
pub mod eval;
mod leaves;
pub mod perft;

pub use backendbench::{BackendBench, backendbench};
pub use bench::{BenchSettings, POSITIONS, bench};
pub use doctor::{Doctor, doctor};
pub use leaves::{Leaves, leaves};
