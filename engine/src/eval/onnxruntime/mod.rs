//! Networks on ONNX Runtime: one session per evaluator.
//!
//! In: a checked [`Network`] and a [`Provider`]. Out: evaluators. On the CPU one
//! single-threaded session per search worker gives more positions per second
//! than one session with many threads; on a device several sessions keep
//! several batches in flight.

mod device;
mod host;
mod provider;
mod tensors;

pub use provider::Provider;
pub use tensors::TensorSession;

use super::batch::{Numbers, Outputs};
use super::cache::cache_folder;
use super::network::{Layout, TensorPort};
use super::runtime::Runtime;
use super::{EvalError, Evaluator, EvaluatorSource, Network};
use device::DeviceEvaluator;
use half::f16;
use host::HostEvaluator;
use ort::session::builder::{AutoDevicePolicy, GraphOptimizationLevel, SessionBuilder};
use ort::session::{Session, SessionOutputs};
use provider::{ProviderSettings, dispatch};
use std::sync::Arc;

/// The largest batch that tuning tries on a device.
pub(super) const LARGEST_BATCH: usize = 512;

/// A network on one provider of ONNX Runtime.
pub struct OnnxRuntime {
    runtime: Arc<Runtime>,
    network: Arc<Network>,
    provider: Provider,
    options: DeviceOptions,
}

/// Settings of a device; the CPU has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceOptions {
    pub device_id: i32,
    /// Lets the provider compute in 16 bits where it can convert by itself.
    pub fp16: bool,
}

impl OnnxRuntime {
    pub fn new(
        runtime: Arc<Runtime>,
        network: Arc<Network>,
        provider: Provider,
        options: DeviceOptions,
    ) -> OnnxRuntime {
        OnnxRuntime { runtime, network, provider, options }
    }

    pub fn provider(&self) -> Provider {
        self.provider
    }

    fn session(&self, capacity: usize) -> Result<Session, EvalError> {
        let failed = |e: ort::Error| {
            let (provider, needs) = (self.provider, self.provider.needs());
            let message = one_line(e.message());
            EvalError(match provider {
                Provider::Cpu => format!("ONNX Runtime refuses {}: {message}", self.network.name()),
                _ => format!("{provider} does not start: {message}. It needs {needs}"),
            })
        };
        self.build_session(capacity).map_err(failed)
    }

    fn build_session(&self, capacity: usize) -> ort::Result<Session> {
        let mut builder = single_threaded(&self.runtime)?;
        // One range of batches for all evaluators, so that one engine serves them.
        let max_batch = capacity.max(LARGEST_BATCH);
        let settings = ProviderSettings {
            device_id: self.options.device_id,
            fp16: self.options.fp16,
            max_batch,
            input: &self.network.layout.input.name,
            planes: self.network.layout.encoder.planes(),
            engine_cache: self.engine_cache(max_batch),
        };
        if let Some(dispatch) = dispatch(self.provider, &settings) {
            builder = builder.with_execution_providers([dispatch])?;
        }
        builder.commit_from_memory(&self.network.bytes)
    }

    /// A folder for engines that TensorRT compiles, which takes minutes: one for
    /// each network, runtime and range of batches.
    fn engine_cache(&self, max_batch: usize) -> Option<String> {
        if self.provider != Provider::Tensorrt {
            return None;
        }
        let name = format!(
            "{}-{}-1to{max_batch}-{}",
            self.network.hash.get(..16)?,
            self.runtime.version,
            if self.options.fp16 { "fp16" } else { "f32" }
        );
        let folder = cache_folder()?.join("tensorrt").join(name);
        std::fs::create_dir_all(&folder).ok()?;
        Some(folder.to_str()?.to_string())
    }
}

impl EvaluatorSource for OnnxRuntime {
    fn create(&self, capacity: usize) -> Result<Box<dyn Evaluator>, EvalError> {
        let capacity = capacity.max(1);
        let session = self.session(capacity)?;
        let layout = &self.network.layout;
        if self.provider == Provider::Cpu {
            return Ok(Box::new(HostEvaluator::new(session, layout, capacity)));
        }
        let device = self.options.device_id;
        Ok(Box::new(DeviceEvaluator::new(session, layout, capacity, self.provider, device)?))
    }

    fn describe(&self) -> String {
        let precision = match (self.network.layout.input.half, self.options.fp16) {
            (true, _) => "f16",
            (false, true) if self.provider != Provider::Cpu => "f32 with fp16 allowed",
            _ => "f32",
        };
        format!("ONNX Runtime {}, {}, {precision}", self.runtime.version, self.provider)
    }

    fn is_accelerator(&self) -> bool {
        self.provider.is_accelerator()
    }
}

fn single_threaded(runtime: &Runtime) -> ort::Result<SessionBuilder> {
    Ok(Session::builder(&runtime.environment)?
        // Otherwise a library with several devices might choose one itself.
        .with_auto_device(AutoDevicePolicy::PreferCPU)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        // One worker, one thread: with 1 the calling thread does the work,
        // and nothing spins.
        .with_intra_threads(1)?
        .with_inter_threads(1)?
        .with_parallel_execution(false)?
        .with_intra_op_spinning(false)?)
}

/// The output tensors that the layout names, read in place.
fn read_outputs<'a>(
    outputs: &'a SessionOutputs<'_>,
    layout: &Layout,
) -> Result<Outputs<'a>, EvalError> {
    let moves_left = layout.moves_left_output.as_ref();
    Ok(Outputs {
        policy: numbers(outputs, &layout.policy_output)?,
        value: numbers(outputs, &layout.value_output)?,
        moves_left: moves_left.map(|port| numbers(outputs, port)).transpose()?,
    })
}

fn numbers<'a>(
    outputs: &'a SessionOutputs<'_>,
    port: &TensorPort,
) -> Result<Numbers<'a>, EvalError> {
    let Some(value) = outputs.get(&port.name) else {
        return Err(EvalError(format!("the network gave no `{}`", port.name)));
    };
    let numbers = if port.half {
        value.try_extract_tensor::<f16>().map(|(_, data)| Numbers::Half(data))
    } else {
        value.try_extract_tensor::<f32>().map(|(_, data)| Numbers::Single(data))
    };
    numbers.map_err(|e| run_error(&e))
}

fn run_error(error: &ort::Error) -> EvalError {
    EvalError(format!("ONNX Runtime failed: {}", one_line(error.message())))
}

/// The runtime's message in one line, without the place in its source code and
/// its error code: `/src/x.cc:12 f() [ONNXRuntimeError] : 1 : FAIL : message`.
fn one_line(message: &str) -> String {
    let tail = message.rsplit_once("[ONNXRuntimeError] : ").map_or(message, |(_, tail)| tail);
    let words = tail.splitn(3, " : ").last().unwrap_or(tail).split_whitespace();
    words.collect::<Vec<_>>().join(" ").trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests;
