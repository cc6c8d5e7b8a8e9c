//! What a run tells of itself: `metrics.jsonl` for programs, TensorBoard event
//! files for eyes.
//!
//! Values go in by name, one set a step, through [`Recorder`]; both kinds of
//! file come out in the run's folder. A resumed run continues them as if it had
//! never stopped.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod event_file;
mod histogram;
mod log;
mod proto;
mod recorder;

pub use log::{LogLine, MetricsLog, read_metrics};
pub use recorder::Recorder;

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum MetricsError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}:{line}: not a line of metrics ({reason}); remove the line", path.display())]
    BadLine { path: PathBuf, line: usize, reason: String },
}

impl MetricsError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> MetricsError {
        let path = path.to_path_buf();
        move |source| MetricsError::Io { path, source }
    }
}
