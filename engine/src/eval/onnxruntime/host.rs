//! The CPU evaluator: planes are read where they were encoded, outputs where the
//! runtime wrote them.

use super::{read_outputs, run_error};
use crate::eval::batch::{Batch, Inference};
use crate::eval::network::Layout;
use crate::eval::{Answers, EvalError};
use half::f16;
use half::slice::HalfFloatSliceExt;
use ort::session::Session;
use ort::value::TensorRef;

pub(super) struct HostEvaluator {
    session: Session,
    layout: Layout,
    batch: Batch,
    /// The planes again, for networks with f16 input.
    half: Vec<f16>,
}

impl HostEvaluator {
    pub fn new(session: Session, layout: &Layout, capacity: usize) -> HostEvaluator {
        let batch = Batch::new(layout, capacity);
        HostEvaluator { session, layout: layout.clone(), batch, half: Vec::new() }
    }
}

impl Inference for HostEvaluator {
    fn batch(&self) -> &Batch {
        &self.batch
    }

    fn batch_mut(&mut self) -> &mut Batch {
        &mut self.batch
    }

    fn infer(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        let (shape, planes) = (self.batch.shape(), self.batch.planes());
        // A batch that is not full runs as the smaller batch that it is.
        let input = if self.layout.input.half {
            self.half.resize(planes.len(), f16::ZERO);
            self.half.convert_from_f32_slice(planes);
            TensorRef::from_array_view((shape, &*self.half)).map(TensorRef::into_dyn)
        } else {
            TensorRef::from_array_view((shape, planes)).map(TensorRef::into_dyn)
        };
        let input = input.map_err(|e| run_error(&e))?;
        let outputs = self.session.run(ort::inputs![input]).map_err(|e| run_error(&e))?;
        self.batch.answer(&read_outputs(&outputs, &self.layout)?, answers)
    }
}
