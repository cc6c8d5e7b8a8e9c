//! From a backend's name and a network to something that evaluates.
//!
//! A backend that is asked for by name runs or gives an error, never something
//! else. `auto` takes the best that starts, and says what it took and why.

use super::onnxruntime::{DeviceOptions, OnnxRuntime, Provider};
use super::runtime::{REMEDY, Runtime, RuntimeError};
use super::{
    DenseBackend, EvalError, EvaluatorSource, NativeBackend, Network, NetworkError, RandomSource,
    RustBackend,
};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// What evaluates positions, by the names of the options.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Backend {
    #[default]
    Auto,
    Cpu,
    Cuda,
    Tensorrt,
    Openvino,
    Coreml,
    Directml,
    Native,
    Rust,
    Random,
}

impl Backend {
    pub const ALL: [Backend; 10] = [
        Backend::Auto,
        Backend::Cpu,
        Backend::Cuda,
        Backend::Tensorrt,
        Backend::Openvino,
        Backend::Coreml,
        Backend::Directml,
        Backend::Native,
        Backend::Rust,
        Backend::Random,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Cpu => "cpu",
            Backend::Cuda => "cuda",
            Backend::Tensorrt => "tensorrt",
            Backend::Openvino => "openvino",
            Backend::Coreml => "coreml",
            Backend::Directml => "directml",
            Backend::Native => "native",
            Backend::Rust => "rust",
            Backend::Random => "random",
        }
    }

    /// The provider behind a backend of ONNX Runtime.
    pub fn provider(self) -> Option<Provider> {
        match self {
            Backend::Cpu => Some(Provider::Cpu),
            Backend::Cuda => Some(Provider::Cuda),
            Backend::Tensorrt => Some(Provider::Tensorrt),
            Backend::Openvino => Some(Provider::Openvino),
            Backend::Coreml => Some(Provider::Coreml),
            Backend::Directml => Some(Provider::Directml),
            Backend::Auto | Backend::Native | Backend::Rust | Backend::Random => None,
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = BackendError;

    fn from_str(text: &str) -> Result<Backend, BackendError> {
        let wanted = text.trim();
        let found = Backend::ALL.into_iter().find(|b| b.name().eq_ignore_ascii_case(wanted));
        found.ok_or_else(|| BackendError::Unknown(wanted.to_string()))
    }
}

/// What to open.
#[derive(Clone, Debug, Default)]
pub struct BackendSettings {
    pub backend: Backend,
    /// Needed by every backend but `random`.
    pub network: Option<Arc<Network>>,
    /// The ONNX Runtime library to load; `None` searches for it.
    pub runtime_library: Option<PathBuf>,
    /// Which of several devices.
    pub device_id: i32,
    /// Allows 16-bit arithmetic on devices.
    pub fp16: bool,
    /// Seed of the `random` backend.
    pub seed: u64,
}

/// An opened backend.
pub struct Opened {
    pub source: Arc<dyn EvaluatorSource>,
    /// The backend that runs: never `Auto`.
    pub backend: Backend,
    /// Version of ONNX Runtime, where it runs.
    pub runtime_version: Option<String>,
    /// Lines for people: what was chosen instead of what, and how to mend it.
    pub notes: Vec<String>,
}

/// Why a backend cannot be opened.
#[derive(Debug, Error)]
pub enum BackendError {
    #[error(
        "unknown backend `{0}`: choose one of auto, cpu, cuda, tensorrt, openvino, coreml, directml, native, rust, random"
    )]
    Unknown(String),
    #[error("the backend {0} needs a network file")]
    NoNetwork(Backend),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    #[error("ONNX Runtime {version} at {path} has no {provider}: {}", provider.remedy())]
    NoProvider { provider: Provider, version: String, path: String },
    #[error(transparent)]
    Start(#[from] EvalError),
}

/// Opens a backend and proves that it runs by making one evaluator.
pub fn open_backend(settings: &BackendSettings) -> Result<Opened, BackendError> {
    let network = || settings.network.clone().ok_or(BackendError::NoNetwork(settings.backend));
    match settings.backend {
        Backend::Random => {
            let source = Arc::new(RandomSource { seed: settings.seed });
            Ok(opened(Backend::Random, source, None))
        }
        Backend::Rust => {
            let source = Arc::new(RustBackend::new(&*network()?)?);
            Ok(opened(Backend::Rust, source, None))
        }
        Backend::Native => Ok(opened(Backend::Native, native(&*network()?)?, None)),
        Backend::Auto => open_auto(settings, network()?),
        named => match named.provider() {
            Some(provider) => {
                let network = network()?;
                let runtime = Runtime::load(settings.runtime_library.as_deref())?;
                open_provider(settings, &runtime, network, named, provider)
            }
            None => Err(BackendError::Unknown(named.name().to_string())),
        },
    }
}

fn open_provider(
    settings: &BackendSettings,
    runtime: &Arc<Runtime>,
    network: Arc<Network>,
    backend: Backend,
    provider: Provider,
) -> Result<Opened, BackendError> {
    if !provider.compiled_in() {
        let (version, path) = (runtime.version.clone(), runtime.path.display().to_string());
        return Err(BackendError::NoProvider { provider, version, path });
    }
    let fp16_unused = settings.fp16 && provider == Provider::Cuda && !network.layout.input.half;
    let options = DeviceOptions { device_id: settings.device_id, fp16: settings.fp16 };
    let source = OnnxRuntime::new(Arc::clone(runtime), network, provider, options);
    // A provider may be compiled in and still lack its driver or libraries.
    source.create(1)?;
    let mut opened = opened(backend, Arc::new(source), Some(runtime.version.clone()));
    if fp16_unused {
        opened.notes.push(
            "CUDA computes this f32 network in f32 (TF32 where the device has it): use the \
             tensorrt backend or an f16 network for 16 bits"
                .to_string(),
        );
    }
    Ok(opened)
}

/// Devices first, then our own arithmetic where it knows the network, then ONNX
/// Runtime on the CPU, and without that the Rust backend.
fn open_auto(settings: &BackendSettings, network: Arc<Network>) -> Result<Opened, BackendError> {
    let mut notes = Vec::new();
    let mut loaded = Runtime::load(settings.runtime_library.as_deref());
    if let Err(e @ RuntimeError::AlreadyLoaded { .. }) = &loaded {
        notes.push(e.to_string());
        loaded = Runtime::load(None);
    }
    let mut try_provider = |backend: Backend| {
        let (Ok(runtime), Some(provider)) = (&loaded, backend.provider()) else { return None };
        if !provider.compiled_in() {
            return None;
        }
        match open_provider(settings, runtime, Arc::clone(&network), backend, provider) {
            Ok(opened) => Some(opened),
            Err(e) => {
                notes.push(format!("backend {backend} not used: {e}"));
                None
            }
        }
    };
    // TensorRT is left out: its first start compiles for minutes.
    let devices = [Backend::Cuda, Backend::Coreml, Backend::Directml];
    let native = || Some(opened(Backend::Native, native(&network).ok()?, None));
    let found = devices
        .into_iter()
        .find_map(&mut try_provider)
        .or_else(native)
        .or_else(|| try_provider(Backend::Cpu));
    if let Some(mut opened) = found {
        // Without a library our own arithmetic needs no excuse; one that was
        // named and does not load is worth a word.
        match loaded {
            Ok(_) | Err(RuntimeError::NotFound { .. }) => {}
            Err(e) => notes.push(format!("ONNX Runtime is not used: {e}")),
        }
        opened.notes.splice(0..0, notes);
        return Ok(opened);
    }
    match loaded {
        Ok(_) => {}
        Err(RuntimeError::NotFound { .. }) => notes.push(format!(
            "no ONNX Runtime library found, so the slower Rust backend plays: {REMEDY}"
        )),
        Err(e) => notes.push(format!("the slower Rust backend plays: {e}")),
    }
    let mut opened = opened(Backend::Rust, Arc::new(RustBackend::new(&network)?), None);
    opened.notes = notes;
    Ok(opened)
}

/// Our own arithmetic for the two kinds of networks that it knows.
fn native(network: &Network) -> Result<Arc<dyn EvaluatorSource>, EvalError> {
    match DenseBackend::new(network) {
        Ok(dense) => Ok(Arc::new(dense)),
        Err(not_dense) => match NativeBackend::new(network) {
            Ok(residual) => Ok(Arc::new(residual)),
            Err(error) => Err(EvalError(format!("{error}; as a dense network: {not_dense}"))),
        },
    }
}

fn opened(
    backend: Backend,
    source: Arc<dyn EvaluatorSource>,
    runtime_version: Option<String>,
) -> Opened {
    Opened { source, backend, runtime_version, notes: Vec::new() }
}
