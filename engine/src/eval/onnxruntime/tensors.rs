//! A model as tensors in and tensors out, on one thread of the CPU: for tools
//! that look inside a network or compare two, where [`Evaluator`](super::Evaluator)
//! shows legal moves only.

use super::{one_line, run_error, single_threaded};
use crate::eval::EvalError;
use crate::eval::runtime::Runtime;
use ort::session::Session;
use ort::value::TensorRef;
use std::collections::BTreeMap;

/// An f32 model with one input [batch, planes, 8, 8].
pub struct TensorSession {
    session: Session,
    planes: usize,
}

impl TensorSession {
    /// Opens the bytes of a model whose input has `planes` planes.
    pub fn open(
        runtime: &Runtime,
        model: &[u8],
        planes: usize,
    ) -> Result<TensorSession, EvalError> {
        let session = single_threaded(runtime)
            .and_then(|mut builder| builder.commit_from_memory(model))
            .map_err(|e| {
                EvalError(format!("ONNX Runtime refuses it: {}", one_line(e.message())))
            })?;
        Ok(TensorSession { session, planes })
    }

    /// All outputs by name, for as many positions as `planes` holds.
    pub fn run(&mut self, planes: &[f32]) -> Result<BTreeMap<String, Vec<f32>>, EvalError> {
        let shape = [planes.len() / (self.planes * 64), self.planes, 8, 8];
        let input = TensorRef::from_array_view((shape, planes)).map_err(|e| run_error(&e))?;
        let outputs = self.session.run(ort::inputs![input]).map_err(|e| run_error(&e))?;
        let mut tensors = BTreeMap::new();
        for (name, tensor) in outputs.iter() {
            let (_, data) = tensor.try_extract_tensor::<f32>().map_err(|e| run_error(&e))?;
            tensors.insert(name.to_string(), data.to_vec());
        }
        Ok(tensors)
    }
}
