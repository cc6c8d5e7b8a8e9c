//! The speeds of networks side by side, on one thread of ONNX Runtime's CPU.

use super::ExportError;
use engine::eval::{
    DeviceOptions, EvaluatorSource, Network, OnnxRuntime, Provider, Runtime, Speed, Workload,
};
use std::sync::Arc;
use std::time::Duration;

/// What to measure.
#[derive(Clone, Debug)]
pub struct SpeedSettings {
    pub batches: Vec<usize>,
    /// Networks take turns this often; the best turn counts.
    pub rounds: usize,
    /// The time of one turn at one batch size.
    pub turn: Duration,
}

impl Default for SpeedSettings {
    fn default() -> SpeedSettings {
        SpeedSettings { batches: vec![1, 8, 32], rounds: 5, turn: Duration::from_millis(60) }
    }
}

/// For each network its speeds, one per batch size. What else the machine does
/// hits all networks alike, because they take short turns.
pub fn speed(
    networks: &[Arc<Network>],
    settings: &SpeedSettings,
) -> Result<Vec<Vec<Speed>>, ExportError> {
    let runtime = Runtime::load(None).map_err(ExportError::NotVerified)?;
    let largest = settings.batches.iter().copied().max().unwrap_or(1);
    let mut evaluators = Vec::new();
    for network in networks {
        let (runtime, network) = (Arc::clone(&runtime), Arc::clone(network));
        let source = OnnxRuntime::new(runtime, network, Provider::Cpu, DeviceOptions::default());
        evaluators.push(source.create(largest)?);
    }
    let workload = Workload::new();
    let mut best: Vec<Vec<Speed>> = vec![Vec::new(); networks.len()];
    for &batch in &settings.batches {
        for round in 0..settings.rounds.max(1) {
            for (evaluator, best) in evaluators.iter_mut().zip(&mut best) {
                let speed = workload.measure(evaluator.as_mut(), batch, settings.turn)?;
                match best.last_mut() {
                    Some(last) if round > 0 => {
                        if speed.positions_per_second > last.positions_per_second {
                            *last = speed;
                        }
                    }
                    _ => best.push(speed),
                }
            }
        }
    }
    Ok(best)
}
