//! Residual networks on the processor with our own arithmetic.
//!
//! In: a network as our trainer or lc0 writes it, in f32. Out: evaluators that
//! each run on the thread of their worker. `compile` turns the file into a
//! `plan` of steps, `convolution` and `gemm` do the arithmetic.
//!
//! Boards of 8x8 squares are small, and Winograd's algorithm needs a quarter of
//! the multiplications that a general runtime does: `engine doctor` compares the
//! backends' speed.

mod compile;
mod convolution;
mod gemm;
mod plan;

use super::batch::{Batch, Inference, Numbers, Outputs};
use super::network::Layout;
use super::{Answers, EvalError, Evaluator, EvaluatorSource, Network};
use plan::{Memory, Plan};
use std::sync::Arc;

/// A network as a plan.
pub struct NativeBackend {
    plan: Arc<Plan>,
    layout: Layout,
}

impl NativeBackend {
    pub fn new(network: &Network) -> Result<NativeBackend, EvalError> {
        let layout = network.layout.clone();
        let ports = [Some(&layout.policy_output), Some(&layout.value_output)]
            .into_iter()
            .chain([layout.moves_left_output.as_ref()])
            .flatten();
        let names: Vec<&str> = ports.map(|port| port.name.as_str()).collect();
        let planes = layout.encoder.planes();
        let plan = compile::compile(&network.bytes, &layout.input.name, planes, &names).map_err(
            |cause| EvalError(format!("the native backend cannot run {}: {cause}", network.name())),
        )?;
        Ok(NativeBackend { plan: Arc::new(plan), layout })
    }
}

impl EvaluatorSource for NativeBackend {
    fn create(&self, capacity: usize) -> Result<Box<dyn Evaluator>, EvalError> {
        Ok(Box::new(NativeEvaluator {
            plan: Arc::clone(&self.plan),
            memory: Memory::new(&self.plan, capacity.max(1)),
            outputs: vec![Vec::new(); self.plan.outputs.len()],
            batch: Batch::new(&self.layout, capacity),
        }))
    }

    fn describe(&self) -> String {
        "native, CPU, f32".to_string()
    }
}

struct NativeEvaluator {
    plan: Arc<Plan>,
    memory: Memory,
    outputs: Vec<Vec<f32>>,
    batch: Batch,
}

impl Inference for NativeEvaluator {
    fn batch(&self) -> &Batch {
        &self.batch
    }

    fn batch_mut(&mut self) -> &mut Batch {
        &mut self.batch
    }

    fn infer(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        self.memory.load(&self.plan, self.batch.planes());
        self.memory.run(&self.plan);
        for (slot, output) in self.plan.outputs.iter().zip(&mut self.outputs) {
            self.memory.output(&self.plan, *slot, output);
        }
        let numbers = |index: usize| self.outputs.get(index).map(|output| Numbers::Single(output));
        let (Some(policy), Some(value)) = (numbers(0), numbers(1)) else {
            return Err(EvalError("the network has no policy or value".to_string()));
        };
        self.batch.answer(&Outputs { policy, value, moves_left: numbers(2) }, answers)
    }
}

#[cfg(test)]
mod tests;
