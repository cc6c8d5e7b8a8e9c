//! The ranges of a network's activations on real positions.
//!
//! In: the network with its points as outputs, and planes. Out: for each point
//! the range that its 8 bits should cover. The positions run twice: for the
//! extremes, then for the histograms between them.

use super::ExportError;
use super::histogram::{Histogram, Range};
use crate::model::Architecture;
use engine::eval::{Runtime, TensorSession};
use std::collections::BTreeMap;

/// Ranges by the names of the points.
pub(super) type Ranges = BTreeMap<String, Range>;

/// Positions that run at once: their activations must fit into memory.
const BATCH: usize = 16;

pub(super) fn ranges(
    runtime: &Runtime,
    observed: &[u8],
    calibration: &[f32],
    architecture: &Architecture,
) -> Result<Ranges, ExportError> {
    let planes = architecture.encoder.planes();
    let mut session = TensorSession::open(runtime, observed, planes)?;
    let batches = || calibration.chunks(BATCH * planes * 64);
    let mut whole = Ranges::new();
    for batch in batches() {
        for (name, numbers) in session.run(batch)? {
            whole.entry(name).or_insert(Range::EMPTY).widen(&numbers);
        }
    }
    let mut histograms: BTreeMap<String, Histogram> =
        whole.into_iter().map(|(name, range)| (name, Histogram::new(range))).collect();
    for batch in batches() {
        for (name, numbers) in session.run(batch)? {
            if let Some(histogram) = histograms.get_mut(&name) {
                histogram.add(&numbers);
            }
        }
    }
    let mut ranges: Ranges =
        histograms.into_iter().map(|(name, histogram)| (name, histogram.best_range())).collect();
    // Planes of ones and zeros are exact in steps of 1/255. Planes that count
    // are not, so they and the first convolution stay in f32.
    if calibration.iter().all(|x| (0.0..=1.0).contains(x)) {
        ranges.insert("planes".to_string(), Range { low: 0.0, high: 1.0 });
    }
    Ok(ranges)
}
