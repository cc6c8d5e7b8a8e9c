//! The Universal Chess Interface: lines in, commands out; events in, lines out.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod input;
mod log;
mod parse;
mod print;
mod session;

pub use parse::{Command, GoCommand, ParseError, StartPosition, parse};
pub use session::run;
