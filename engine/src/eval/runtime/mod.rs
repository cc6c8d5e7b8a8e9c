//! The ONNX Runtime library: found, checked and loaded once per process.
//!
//! In: an explicit path or none. Out: a [`Runtime`] that sessions are built in,
//! or a message that says where the library was looked for and how to get it.
//! No other module may call `ort` before [`Runtime::load`] has succeeded: `ort`
//! would look for a library by itself, and panic where it finds none.

mod discover;
mod image;
mod probe;

pub use discover::{Candidate, Origin, candidates};
pub use probe::ProbeError;

use discover::named_file;
use ort::environment::Environment;
use ort::logging::LogLevel;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// The version that the build script fetches.
pub const PINNED_VERSION: &str = "1.31.1";

/// A command that puts the library where the engine finds it.
pub const REMEDY: &str = "run `cargo build --release -p engine` with a network connection and \
     Python, or set ORT_DYLIB_PATH to an ONNX Runtime library of version 1.24 or later";

/// Why there is no runtime.
#[derive(Clone, Debug, Error)]
pub enum RuntimeError {
    #[error("no ONNX Runtime library found (looked for {looked}): {REMEDY}")]
    NotFound { looked: String },
    #[error("{cause} ({origin}): {REMEDY}")]
    Unusable { origin: Origin, cause: ProbeError },
    #[error(
        "ONNX Runtime is already loaded from {}: restart the engine to load {} instead",
        loaded.display(), asked.display()
    )]
    AlreadyLoaded { loaded: PathBuf, asked: PathBuf },
    #[error("ONNX Runtime from {} does not start: {cause}", path.display())]
    Start { path: PathBuf, cause: String },
}

/// The loaded library.
pub struct Runtime {
    pub path: PathBuf,
    pub origin: Origin,
    pub version: String,
    pub(super) environment: Environment,
}

/// What this process has done so far: `ort` takes one library for good, so a
/// failed start is remembered as well as a good one.
static LOADED: Mutex<Option<Result<Arc<Runtime>, RuntimeError>>> = Mutex::new(None);

impl Runtime {
    /// The process's runtime. `explicit` is the path from the options; without
    /// it `ORT_DYLIB_PATH`, the binary's folder, the cache and the system are
    /// searched in this order. A named file that fails is an error; a file that
    /// was merely found is passed over for the next one.
    pub fn load(explicit: Option<&Path>) -> Result<Arc<Runtime>, RuntimeError> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outcome) = loaded.as_ref() {
            let runtime = outcome.clone()?;
            return match explicit {
                Some(asked) if !same_file(&named_file(asked), &runtime.path) => {
                    let loaded = runtime.path.clone();
                    Err(RuntimeError::AlreadyLoaded { loaded, asked: asked.to_path_buf() })
                }
                _ => Ok(runtime),
            };
        }
        let (candidate, version) = choose(explicit)?;
        let outcome = start(candidate, version);
        *loaded = Some(outcome.clone());
        outcome
    }
}

/// The first candidate that passes the probe, with its version.
fn choose(explicit: Option<&Path>) -> Result<(Candidate, String), RuntimeError> {
    let mut looked = Vec::new();
    let mut first_failure = None;
    for candidate in candidates(explicit) {
        looked.push(format!("{} {}", candidate.path.display(), candidate.origin));
        match probe::probe(&candidate) {
            Ok(version) => return Ok((candidate, version)),
            Err(cause) if candidate.origin.is_named() => {
                return Err(RuntimeError::Unusable { origin: candidate.origin, cause });
            }
            Err(ProbeError::Missing { .. }) => {}
            // The system loader has no such library: as good as missing.
            Err(ProbeError::Loader { .. }) if candidate.origin == Origin::System => {}
            Err(cause) => {
                tracing::warn!("{cause}");
                let failure = RuntimeError::Unusable { origin: candidate.origin, cause };
                first_failure.get_or_insert(failure);
            }
        }
    }
    Err(first_failure.unwrap_or(RuntimeError::NotFound { looked: looked.join(", ") }))
}

fn start(candidate: Candidate, version: String) -> Result<Arc<Runtime>, RuntimeError> {
    let Candidate { path, origin } = candidate;
    let failed = |cause: String| RuntimeError::Start { path: path.clone(), cause };
    let environment = ort::init_from(&path)
        .map_err(|e| failed(e.to_string()))?
        .with_name("arbor")
        .with_telemetry(false)
        .with_logger(Arc::new(log))
        .build()
        .map_err(|e| failed(e.to_string()))?;
    // A custom logger starts at the most verbose level.
    environment.set_log_level(LogLevel::Warning);
    Ok(Arc::new(Runtime { path, origin, version, environment }))
}

/// What the library itself would print on stderr goes to the engine's log.
fn log(level: LogLevel, _category: &str, _id: &str, place: &str, message: &str) {
    match level {
        LogLevel::Error | LogLevel::Fatal => tracing::error!("ONNX Runtime: {message} ({place})"),
        LogLevel::Warning => tracing::warn!("ONNX Runtime: {message} ({place})"),
        _ => tracing::debug!("ONNX Runtime: {message} ({place})"),
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    let resolve = |p: &Path| p.canonicalize().unwrap_or_else(|_| p.to_path_buf());
    resolve(a) == resolve(b)
}
