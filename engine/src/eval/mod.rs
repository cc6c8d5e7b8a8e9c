//! Positions in, value and policy out.
//!
//! An [`Evaluator`] belongs to one search worker. The worker pushes leaves,
//! runs the batch and reads the [`Answers`] in the order of pushing. Evaluators
//! come from an [`EvaluatorSource`], which [`open_backend`] makes of a network
//! file and the name of a [`Backend`].

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod answers;
mod backend;
mod batch;
mod cache;
mod dense;
mod measure;
mod native;
mod network;
mod onnxruntime;
mod processor;
mod random;
mod recorded;
mod runtime;
mod rust;
#[cfg(test)]
mod samples;
mod tune;

pub use answers::{Answers, Value};
pub use backend::{Backend, BackendError, BackendSettings, Opened, open_backend};
pub use cache::cache_folder;
pub use dense::DenseBackend;
pub use measure::{Speed, Workload};
pub use native::NativeBackend;
pub use network::{Layout, Network, NetworkError, TensorPort, TunedFor, ValueHead};
pub use onnxruntime::{DeviceOptions, OnnxRuntime, Provider, TensorSession};
pub use processor::{cpu_features, cpu_model};
pub use random::RandomSource;
pub use recorded::RecordedSource;
pub use runtime::{Candidate, Origin, PINNED_VERSION, Runtime, RuntimeError, candidates};
pub use rust::RustBackend;
pub use tune::{TuneKey, Tuning, measure as measure_batch_sizes, tune, workers};

use crate::chess::Ply;
use shakmaty::Move;
use thiserror::Error;

/// Evaluates positions in batches; one per search worker.
pub trait Evaluator: Send {
    /// Positions that one batch may hold.
    fn capacity(&self) -> usize;

    /// Adds the last position of `plies` (the line that led to it comes before)
    /// with its legal moves. At most [`capacity`](Self::capacity) pushes a batch.
    fn push(&mut self, plies: &[Ply], moves: &[Move]);

    /// Evaluates what was pushed, writes one answer each in that order, and
    /// empties the batch. After an error the batch is empty too.
    fn run(&mut self, answers: &mut Answers) -> Result<(), EvalError>;

    /// Whether answers take microseconds, so that a look at the clock after each
    /// would cost as much.
    fn is_quick(&self) -> bool {
        false
    }
}

/// Makes evaluators for workers; shared by all of them.
pub trait EvaluatorSource: Send + Sync {
    /// A fresh evaluator for batches of up to `capacity` positions.
    fn create(&self, capacity: usize) -> Result<Box<dyn Evaluator>, EvalError>;

    /// One line for people, e.g. `ONNX Runtime 1.31.1, CPU, f32`.
    fn describe(&self) -> String;

    /// Whether batches go to a device of its own, which wants few workers and
    /// large batches; otherwise each worker brings its own thread.
    fn is_accelerator(&self) -> bool {
        false
    }
}

/// Why a batch could not be evaluated.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct EvalError(pub String);
