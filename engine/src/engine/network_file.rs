//! Finding the network: the one asked for, or the default.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::eval::{BackendError, EvalError, Network, NetworkError};
use crate::options::NetChoice;

/// The default network's file, looked for in `nets/` of several folders.
const DEFAULT_FILE: &str = "nets/default.onnx";

/// Folders above the binary that are searched: `target/release` is two deep.
const LEVELS_UP: usize = 5;

/// Built in, so that the engine plays wherever its binary is copied to.
pub const BUILT_IN: &[u8] = include_bytes!("../../../nets/default.onnx");

#[derive(Debug, Error)]
pub enum LoadError {
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Evaluator(#[from] EvalError),
}

/// Opens the network; `say` hears why it is not the one that was expected.
pub fn open_network(choice: &NetChoice, say: &dyn Fn(String)) -> Result<Network, LoadError> {
    if let NetChoice::File(path) = choice {
        return Ok(Network::open(path)?);
    }
    if let Some(path) = default_file() {
        match Network::open(&path) {
            Ok(network) => return Ok(network),
            Err(error) => say(format!("{error}; playing with the built-in network instead")),
        }
    }
    Ok(Network::from_bytes("built-in", BUILT_IN.to_vec())?)
}

/// `nets/default.onnx` or `default.onnx` beside the binary, above it, or where
/// the source was at build time: a GUI starts engines from anywhere, so the
/// working directory says nothing.
fn default_file() -> Option<PathBuf> {
    let binary = std::env::current_exe().and_then(|path| path.canonicalize()).ok();
    let mut candidates = Vec::new();
    if let Some(folder) = binary.as_deref().and_then(Path::parent) {
        candidates.push(folder.join("default.onnx"));
        candidates.extend(folder.ancestors().take(LEVELS_UP).map(|up| up.join(DEFAULT_FILE)));
    }
    candidates.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(DEFAULT_FILE));
    candidates.into_iter().find(|path| path.is_file())
}
