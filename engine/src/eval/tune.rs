//! The batch size that suits a network on this machine: measured once in half a
//! second, then remembered.
//!
//! In: a source and a [`TuneKey`]. Out: a [`Tuning`], from the cache where the
//! same architecture, backend, runtime and processor were measured before. Larger
//! batches make a search play worse at equal nodes, so the generations of a network
//! must not have different ones because the machine was busy in between.

use super::cache::{cache_folder, write_atomically};
use super::measure::{Speed, Workload};
use super::onnxruntime::LARGEST_BATCH;
use super::{EvalError, EvaluatorSource};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// All measurements of one tuning together.
const BUDGET: Duration = Duration::from_millis(500);

/// Sizes are measured in turn, several times, and the best counts: a machine
/// that is busy for a moment must not decide for good.
const ROUNDS: u32 = 3;

/// What a measurement holds for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TuneKey {
    pub architecture: String,
    pub backend: &'static str,
    /// Version of ONNX Runtime, or empty.
    pub runtime: String,
    pub cpu: String,
}

impl TuneKey {
    fn text(&self) -> String {
        let TuneKey { architecture, backend, runtime, cpu } = self;
        format!("{architecture} {backend} {runtime} {cpu}")
    }
}

/// The chosen batch size and its speed on one evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    pub batch: usize,
    pub positions_per_second: f64,
    /// Seconds from the first push of a batch to its answers.
    pub latency: f64,
}

/// The cached tuning for `key`, or a fresh one, which is then cached.
pub fn tune(source: &dyn EvaluatorSource, key: &TuneKey) -> Result<Tuning, EvalError> {
    let file = cache_file(key);
    if let Some(tuning) = file.as_ref().and_then(|(path, text)| recall(path, text)) {
        return Ok(tuning);
    }
    let tuning = measure(source)?;
    if let Some((path, text)) = file {
        let record = Record { key: text, tuning };
        let json = serde_json::to_vec_pretty(&record).unwrap_or_default();
        if let Err(e) = write_atomically(&path, &json) {
            tracing::warn!("cannot write {}: {e}", path.display());
        }
    }
    Ok(tuning)
}

/// Search workers that suit a source: one per thread on the CPU; two on a
/// device, so that one batch is filled while the other runs.
pub fn workers(source: &dyn EvaluatorSource, threads: usize) -> usize {
    if source.is_accelerator() { 2 } else { threads.max(1) }
}

/// Measures without the cache.
pub fn measure(source: &dyn EvaluatorSource) -> Result<Tuning, EvalError> {
    let largest = if source.is_accelerator() { LARGEST_BATCH } else { 32 };
    let workload = Workload::new();
    let mut evaluator = source.create(largest)?;
    // One that answers position by position gains nothing from a batch, whatever
    // the noise of a measurement says.
    let largest = if evaluator.is_quick() { 1 } else { largest };
    let sizes: Vec<usize> = (0..10).map(|i| 1 << i).take_while(|b| *b <= largest).collect();
    let share = BUDGET / (ROUNDS * sizes.len() as u32);
    let start = Instant::now();
    let mut speeds: Vec<Speed> = Vec::new();
    for round in 0..ROUNDS {
        for (i, &batch) in sizes.iter().enumerate() {
            // A slow machine overdraws its budget at the large sizes, which it
            // does not need to know.
            if round > 0 && (i >= speeds.len() || start.elapsed() > BUDGET) {
                break;
            }
            let speed = workload.measure(evaluator.as_mut(), batch, share)?;
            match speeds.get_mut(i) {
                Some(best) if best.positions_per_second >= speed.positions_per_second => {}
                Some(best) => *best = speed,
                None => speeds.push(speed),
            }
            if start.elapsed() > BUDGET {
                break;
            }
        }
    }
    Ok(choose(&speeds))
}

/// The smallest batch within 5 % of the best speed: a smaller one keeps the
/// search's choices fresh.
fn choose(speeds: &[Speed]) -> Tuning {
    let best = speeds.iter().map(|s| s.positions_per_second).fold(0.0, f64::max);
    let chosen = speeds.iter().find(|s| s.positions_per_second >= best * 0.95);
    match chosen {
        Some(speed) => Tuning {
            batch: speed.batch,
            positions_per_second: speed.positions_per_second,
            latency: speed.latency.as_secs_f64(),
        },
        None => Tuning { batch: 1, positions_per_second: 0.0, latency: 0.0 },
    }
}

/// A cached tuning with the whole key, because file names hold only its hash.
#[derive(Serialize, Deserialize)]
struct Record {
    key: String,
    tuning: Tuning,
}

fn cache_file(key: &TuneKey) -> Option<(PathBuf, String)> {
    use sha2::{Digest, Sha256};
    let text = key.text();
    let hash = Sha256::digest(text.as_bytes());
    let name: String = hash.iter().take(8).map(|b| format!("{b:02x}")).collect();
    Some((cache_folder()?.join("tuning").join(format!("{name}.json")), text))
}

/// A record that is unreadable, of another key or out of range counts as absent.
fn recall(path: &PathBuf, key: &str) -> Option<Tuning> {
    let record: Record = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    (record.key == key && (1..=LARGEST_BATCH).contains(&record.tuning.batch))
        .then_some(record.tuning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::RandomSource;

    fn speed(batch: usize, positions_per_second: f64) -> Speed {
        Speed { batch, positions_per_second, latency: Duration::from_millis(1) }
    }

    #[test]
    fn the_smallest_batch_near_the_best_wins() {
        let speeds = [speed(1, 600.0), speed(2, 940.0), speed(4, 960.0), speed(8, 1000.0)];
        assert_eq!(choose(&speeds).batch, 4);
        assert_eq!(choose(&[]).batch, 1);
    }

    #[test]
    fn damaged_records_are_ignored() {
        let folder = std::env::temp_dir().join(format!("arbor-tune-{}", std::process::id()));
        let path = folder.join("record.json");
        let tuning = Tuning { batch: 8, positions_per_second: 1.0, latency: 0.1 };
        let json = serde_json::to_vec(&Record { key: "k".into(), tuning }).unwrap();
        write_atomically(&path, &json).unwrap();
        assert_eq!(recall(&path, "k"), Some(tuning));
        assert_eq!(recall(&path, "other"), None);
        write_atomically(&path, b"{\"key\":").unwrap();
        assert_eq!(recall(&path, "k"), None);
        write_atomically(&path, &String::from_utf8(json).unwrap().replace('8', "0").into_bytes())
            .unwrap();
        assert_eq!(recall(&path, "k"), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn measuring_stays_in_its_budget() {
        let start = Instant::now();
        let tuning = measure(&RandomSource { seed: 1 }).unwrap();
        assert!(start.elapsed() < BUDGET * 2);
        assert!(tuning.positions_per_second > 100_000.0, "{tuning:?}");
        // It answers position by position.
        assert_eq!(tuning.batch, 1);
        assert_eq!(workers(&RandomSource { seed: 1 }, 3), 3);
    }
}
