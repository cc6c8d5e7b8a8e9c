//! Networks in pure Rust, for machines without ONNX Runtime: slower, but it is
//! always there.
//!
//! The model is loaded once and shared; each evaluator runs it on a thread of
//! its own.

use super::batch::{Batch, Inference, Numbers, Outputs};
use super::network::Layout;
use super::{Answers, EvalError, Evaluator, EvaluatorSource, Network};
use rten::{Model, NodeId, RunOptions, ThreadPool, Value as Tensor};
use rten_tensor::NdTensorView;
use rten_tensor::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A network on rten.
pub struct RustBackend {
    model: Arc<Model>,
    layout: Layout,
    ports: Ports,
}

/// The model's ends, by rten's node numbers.
#[derive(Clone)]
struct Ports {
    input: NodeId,
    /// Policy, value and, where there is one, moves left.
    outputs: Vec<NodeId>,
}

impl RustBackend {
    pub fn new(network: &Network) -> Result<RustBackend, EvalError> {
        let layout = network.layout.clone();
        let half = [Some(&layout.input), Some(&layout.policy_output), Some(&layout.value_output)]
            .into_iter()
            .chain([layout.moves_left_output.as_ref()])
            .flatten()
            .any(|port| port.half);
        let refuse = |cause: String| {
            EvalError(format!("the rust backend cannot run {}: {cause}", network.name()))
        };
        if half {
            return Err(refuse("it is an f16 network, and this backend has f32 only".to_string()));
        }
        let model = guarded(|| Model::load(network.bytes.clone()).map_err(|e| e.to_string()))
            .map_err(refuse)?;
        let node = |name: &str| model.node_id(name).map_err(|e| refuse(format!("{name}: {e}")));
        let outputs = [&layout.policy_output, &layout.value_output]
            .into_iter()
            .chain(&layout.moves_left_output)
            .map(|port| node(&port.name))
            .collect::<Result<_, _>>()?;
        let ports = Ports { input: node(&layout.input.name)?, outputs };
        Ok(RustBackend { model: Arc::new(model), layout, ports })
    }
}

impl EvaluatorSource for RustBackend {
    fn create(&self, capacity: usize) -> Result<Box<dyn Evaluator>, EvalError> {
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        Ok(Box::new(RustEvaluator {
            model: Arc::clone(&self.model),
            ports: self.ports.clone(),
            options: RunOptions::default().with_thread_pool(Some(pool)),
            batch: Batch::new(&self.layout, capacity),
        }))
    }

    fn describe(&self) -> String {
        "rten (pure Rust), CPU, f32".to_string()
    }
}

struct RustEvaluator {
    model: Arc<Model>,
    ports: Ports,
    options: RunOptions,
    batch: Batch,
}

impl Inference for RustEvaluator {
    fn batch(&self) -> &Batch {
        &self.batch
    }

    fn batch_mut(&mut self) -> &mut Batch {
        &mut self.batch
    }

    fn infer(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        let failed = |cause: String| EvalError(format!("the rust backend failed: {cause}"));
        let view = NdTensorView::from_data(self.batch.shape(), self.batch.planes());
        let inputs = vec![(self.ports.input, view.into())];
        let options = Some(self.options.clone());
        let run =
            || self.model.run(inputs, &self.ports.outputs, options).map_err(|e| e.to_string());
        let outputs = guarded(run).map_err(failed)?;
        let numbers = |i: usize| outputs.get(i).and_then(numbers);
        let (Some(policy), Some(value)) = (numbers(0), numbers(1)) else {
            return Err(failed("an output is not f32".to_string()));
        };
        let outputs = Outputs { policy, value, moves_left: numbers(2) };
        self.batch.answer(&outputs, answers)
    }
}

fn numbers(tensor: &Tensor) -> Option<Numbers<'_>> {
    match tensor {
        Tensor::FloatTensor(tensor) => tensor.data().map(Numbers::Single),
        _ => None,
    }
}

/// rten checks less of a model than ONNX Runtime does, and may panic on a
/// damaged one; that must cost the network, not the engine.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err("the model is damaged or unsupported".to_string()))
}
