//! What can go wrong with an engine.

use std::time::Duration;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum UciError {
    #[error("cannot start `{command}`")]
    Start { command: String, source: std::io::Error },
    /// No `uciok`.
    #[error("`{command}` does not speak UCI: {cause}; {said}")]
    NotUci { command: String, cause: String, said: String },
    #[error("the engine ended ({status}) at `{at}`; {said}")]
    Died { status: String, at: String, said: String },
    #[error("no answer to `{to}` within {} s; {said}", .within.as_secs_f32())]
    Silent { to: String, within: Duration, said: String },
    #[error("the engine answered `{answer}` to `{to}`")]
    Nonsense { to: String, answer: String },
    #[error("{engine} has no option {name}; `uci` lists those it has")]
    NoOption { engine: String, name: String },
    /// By its own side.
    #[error("the search was stopped")]
    Stopped,
    /// The value was not sent; the engine is as before.
    #[error("option {name} cannot be `{value}`: {expected}")]
    Value { name: String, value: String, expected: String },
}
