//! How fast an evaluator is, on positions as they come up in games.

use super::{Answers, EvalError, Evaluator};
use crate::chess::Line;
use shakmaty::{Chess, MoveList};
use std::time::{Duration, Instant};

/// Speed at one batch size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    pub batch: usize,
    pub positions_per_second: f64,
    /// Time from the first push of a batch to its answers.
    pub latency: Duration,
}

/// Positions to measure with: a fixed walk through random games, so that every
/// run on every machine has the same work.
pub struct Workload {
    positions: Vec<(Line, MoveList)>,
}

impl Workload {
    pub fn new() -> Workload {
        let mut positions = Vec::new();
        let mut line = Line::new(Chess::default());
        let mut random = 1u64;
        while positions.len() < 64 {
            let moves = line.legal_moves();
            if moves.is_empty() || line.len() > 120 {
                line.truncate(1);
                continue;
            }
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let choice = moves[(random >> 33) as usize % moves.len()];
            if line.len().is_multiple_of(5) {
                positions.push((line.clone(), moves));
            }
            line.push(choice);
        }
        Workload { positions }
    }

    /// Runs batches of `batch` positions for `time`, after one to warm up. The
    /// speed is that of the faster half of the runs: what else the machine does
    /// only ever makes runs slower.
    pub fn measure(
        &self,
        evaluator: &mut dyn Evaluator,
        batch: usize,
        time: Duration,
    ) -> Result<Speed, EvalError> {
        let mut answers = Answers::default();
        let mut next = self.positions.iter().cycle();
        let mut run = || {
            let start = Instant::now();
            for (line, moves) in next.by_ref().take(batch) {
                evaluator.push(line.plies(), moves);
            }
            evaluator.run(&mut answers).map(|()| start.elapsed())
        };
        run()?;
        let (start, mut runs) = (Instant::now(), Vec::new());
        while runs.len() < 2 || start.elapsed() < time {
            runs.push(run()?);
        }
        runs.sort_unstable();
        runs.truncate(runs.len().div_ceil(2));
        let latency = runs.iter().sum::<Duration>() / runs.len() as u32;
        let seconds = latency.as_secs_f64().max(1e-9);
        Ok(Speed { batch, positions_per_second: batch as f64 / seconds, latency })
    }
}

impl Default for Workload {
    fn default() -> Workload {
        Workload::new()
    }
}
