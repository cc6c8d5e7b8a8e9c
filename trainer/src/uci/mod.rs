//! Any UCI engine as a child process: positions and limits in, scored lines and
//! a best move out.
//!
//! [`Engine`] starts it, greets it, sets its options and asks it to search. It
//! never waits longer than told, notices when the process is gone, and ends it
//! when dropped. What failed is in the [`UciError`]; an engine that returned one
//! other than [`UciError::Value`] is not to be used again.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod command;
mod engine;
mod error;
mod info;
mod option;
mod process;
mod ranking;

pub use command::EngineCommand;
pub use engine::{Answer, Clocks, Engine, Limit};
pub use error::UciError;
pub use info::Info;
pub use option::{EngineOption, OptionKind};
pub use process::{NoLine, Process};
