//! What a network was tuned for, as its metadata say.

use crate::onnx::ModelInfo;
use serde::Serialize;
use std::ops::RangeInclusive;

/// Search parameters that suit a network; what it does not name is left to the
/// engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TunedFor {
    /// Softmax temperature of the policy.
    pub policy_temperature: Option<f32>,
    pub cpuct: Option<f32>,
    pub cpuct_at_root: Option<f32>,
    pub fpu_reduction: Option<f32>,
}

impl TunedFor {
    /// All parameters by the names that they have in metadata after `arbor.`.
    pub fn entries(&self) -> [(&'static str, Option<f32>); 4] {
        [
            ("policy_temperature", self.policy_temperature),
            ("cpuct", self.cpuct),
            ("cpuct_at_root", self.cpuct_at_root),
            ("fpu_reduction", self.fpu_reduction),
        ]
    }

    /// The refusal in words.
    pub(super) fn read(model: &ModelInfo) -> Result<TunedFor, String> {
        let number = |name: &str, range: RangeInclusive<f32>| {
            let Some(text) = model.metadata.get(&format!("arbor.{name}")) else { return Ok(None) };
            let found = text.trim().parse::<f32>().ok().filter(|x| range.contains(x));
            let (low, high) = (range.start(), range.end());
            found.map(Some).ok_or_else(|| {
                format!("`arbor.{name}` is `{text}`, not a number between {low} and {high}")
            })
        };
        Ok(TunedFor {
            policy_temperature: number("policy_temperature", 0.01..=100.0)?,
            cpuct: number("cpuct", 0.0..=100.0)?,
            cpuct_at_root: number("cpuct_at_root", 0.0..=100.0)?,
            fpu_reduction: number("fpu_reduction", -10.0..=10.0)?,
        })
    }
}
