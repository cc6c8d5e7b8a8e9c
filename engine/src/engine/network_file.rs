//! Finding the network: the one asked for, or the default.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::eval::{BackendError, EvalError, Network, NetworkError};
use crate::options::NetChoice;

/// The default network's file, looked for in `nets/` of several folders.
const DEFAULT_FILE: &str = "nets/default.onnx";

/// Folders above the binary that are searched: `target/release` is two deep.
const LEVELS_UP: usize = 5;

/// Built in, so that the engine always has a network: random weights, only
/// good enough to play legal chess.
const BUILT_IN: &[u8] = include_bytes!("../../../nets/tiny-basic18.onnx");

#[derive(Debug, Error)]
pub enum LoadError {
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Evaluator(#[from] EvalError),
}

/// Opens the network; `say` hears which one it is when it was not named.
pub fn open_network(choice: &NetChoice, say: &dyn Fn(String)) -> Result<Network, LoadError> {
    match choice {
        NetChoice::File(path) => Ok(Network::open(path)?),
        NetChoice::Auto => match default_file() {
            Some(path) => Ok(Network::open(path)?),
            None => {
                say("no default network found: playing with the tiny built-in one, which has \
                     random weights; set Net to a network file for real chess"
                    .to_string());
                Ok(Network::from_bytes("built-in", BUILT_IN.to_vec())?)
            }
        },
    }
}

/// `nets/default.onnx` or `default.onnx` beside the binary, above it, or where
/// the source was at build time: a GUI starts engines from anywhere, so the
/// working directory says nothing.
pub fn default_file() -> Option<PathBuf> {
    let binary = std::env::current_exe().and_then(|path| path.canonicalize()).ok();
    let mut candidates = Vec::new();
    if let Some(folder) = binary.as_deref().and_then(Path::parent) {
        candidates.push(folder.join("default.onnx"));
        candidates.extend(folder.ancestors().take(LEVELS_UP).map(|up| up.join(DEFAULT_FILE)));
    }
    candidates.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(DEFAULT_FILE));
    candidates.into_iter().find(|path| path.is_file())
}
