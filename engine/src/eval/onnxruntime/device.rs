//! The evaluator for devices with memory of their own.
//!
//! Batches run in a few sizes (powers of two up to the capacity), because a
//! device plans anew for each shape it meets. Each size has its tensors bound
//! once, in page-locked host memory where the provider offers that.

use super::{Provider, read_outputs, run_error};
use crate::eval::batch::{Batch, Inference};
use crate::eval::network::{Layout, TensorPort};
use crate::eval::{Answers, EvalError};
use half::f16;
use half::slice::HalfFloatSliceExt;
use ort::memory::{AllocationDevice, Allocator, AllocatorType, MemoryInfo, MemoryType};
use ort::session::{IoBinding, Session};
use ort::value::{DynTensor, TensorElementType};

pub(super) struct DeviceEvaluator {
    session: Session,
    layout: Layout,
    batch: Batch,
    provider: Provider,
    device_id: i32,
    /// One slot per batch size, filled when the size is first met.
    slots: Vec<Slot>,
}

/// Bound tensors for one batch size.
struct Slot {
    size: usize,
    input: DynTensor,
    binding: IoBinding,
}

impl DeviceEvaluator {
    /// Runs the full batch once, so that planning, compiling and every failure
    /// of the device happen here and not in the first search.
    pub fn new(
        session: Session,
        layout: &Layout,
        capacity: usize,
        provider: Provider,
        device_id: i32,
    ) -> Result<DeviceEvaluator, EvalError> {
        let batch = Batch::new(layout, capacity);
        let layout = layout.clone();
        let mut evaluator =
            DeviceEvaluator { session, layout, batch, provider, device_id, slots: Vec::new() };
        let slot = evaluator.slot(capacity)?;
        let Slot { input, binding, .. } = &mut evaluator.slots[slot];
        let name = evaluator.layout.input.name.as_str();
        fill(input, evaluator.layout.input.half, &[])
            .and_then(|()| binding.bind_input(name, input))
            .and_then(|()| evaluator.session.run_binding(binding).map(drop))
            .map_err(|e| run_error(&e))?;
        Ok(evaluator)
    }

    /// Index of the slot for batches of `size`.
    fn slot(&mut self, size: usize) -> Result<usize, EvalError> {
        if let Some(index) = self.slots.iter().position(|slot| slot.size == size) {
            return Ok(index);
        }
        let slot = self.bind(size).map_err(|e| run_error(&e))?;
        self.slots.push(slot);
        Ok(self.slots.len() - 1)
    }

    fn bind(&self, size: usize) -> ort::Result<Slot> {
        let layout = &self.layout;
        let tensor = |port: &TensorPort, usage, shape: &[usize]| -> ort::Result<DynTensor> {
            DynTensor::new(&self.allocator(usage)?, element(port), shape.to_vec())
        };
        let shape = [size, layout.encoder.planes(), 8, 8];
        let input = tensor(&layout.input, MemoryType::CPUInput, &shape)?;
        let mut binding = self.session.create_binding()?;
        let outputs = [
            (Some(&layout.policy_output), layout.policy.len()),
            (Some(&layout.value_output), layout.value.width()),
            (layout.moves_left_output.as_ref(), 1),
        ];
        for (port, width) in outputs {
            let Some(port) = port else { continue };
            let output = tensor(port, MemoryType::CPUOutput, &[size, width])?;
            binding.bind_output(port.name.as_str(), output)?;
        }
        Ok(Slot { size, input, binding })
    }

    fn allocator(&self, usage: MemoryType) -> ort::Result<Allocator> {
        match self.provider {
            Provider::Cuda | Provider::Tensorrt => {
                let pinned = AllocationDevice::CUDA_PINNED;
                let info = MemoryInfo::new(pinned, self.device_id, AllocatorType::Device, usage)?;
                Allocator::new(&self.session, info)
            }
            _ => Ok(Allocator::default()),
        }
    }
}

impl Inference for DeviceEvaluator {
    fn batch(&self) -> &Batch {
        &self.batch
    }

    fn batch_mut(&mut self) -> &mut Batch {
        &mut self.batch
    }

    fn infer(&mut self, answers: &mut Answers) -> Result<(), EvalError> {
        let size = self.batch.len().next_power_of_two().min(self.batch.capacity());
        let index = self.slot(size)?;
        let Slot { input, binding, .. } = &mut self.slots[index];
        fill(input, self.layout.input.half, self.batch.planes()).map_err(|e| run_error(&e))?;
        // Binding is what copies the planes to the device.
        binding.bind_input(self.layout.input.name.as_str(), input).map_err(|e| run_error(&e))?;
        let outputs = self.session.run_binding(binding).map_err(|e| run_error(&e))?;
        self.batch.answer(&read_outputs(&outputs, &self.layout)?, answers)
    }
}

fn element(port: &TensorPort) -> TensorElementType {
    if port.half { TensorElementType::Float16 } else { TensorElementType::Float32 }
}

/// Copies the planes in; the rest of the tensor, which no answer comes from,
/// becomes zero so that stale numbers cannot overflow there.
fn fill(input: &mut DynTensor, half: bool, planes: &[f32]) -> ort::Result<()> {
    if half {
        let (_, data) = input.try_extract_tensor_mut::<f16>()?;
        let (used, rest) = data.split_at_mut(planes.len());
        used.convert_from_f32_slice(planes);
        rest.fill(f16::ZERO);
    } else {
        let (_, data) = input.try_extract_tensor_mut::<f32>()?;
        let (used, rest) = data.split_at_mut(planes.len());
        used.copy_from_slice(planes);
        rest.fill(0.0);
    }
    Ok(())
}
