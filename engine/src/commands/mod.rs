//! The engine's commands beside UCI, as functions that write to any stream.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod backendbench;
mod doctor;

pub use backendbench::{BackendBench, backendbench};
pub use doctor::{Doctor, doctor};
