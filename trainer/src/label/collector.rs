//! Takes the answers of all processes in the order of their roots.

use super::segment::Outcome;
use super::store::Store;
use super::{LabelError, Summary};
use crate::progress;
use crate::shards::Record;
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::Receiver;

/// Roots in a row that the teacher fails at before the run is given up.
const HOPELESS: usize = 20;

/// What came of a root. `turn` counts the roots of a run without gaps.
pub struct Answer {
    pub turn: u64,
    pub number: u64,
    pub outcome: Result<Outcome, LabelError>,
}

pub struct Collector<'a> {
    store: Store,
    summary: &'a mut Summary,
    restarts: &'a AtomicU64,
    bar: ProgressBar,
    /// Roots skipped since the last that went well. They count as done only
    /// when another goes well after them: else it is the teacher that is broken.
    skipped: Vec<u64>,
}

impl<'a> Collector<'a> {
    pub fn new(store: Store, summary: &'a mut Summary, restarts: &'a AtomicU64) -> Collector<'a> {
        let bar = progress::bar(Some(summary.roots), "positions");
        bar.set_position(summary.finished);
        bar.reset_eta();
        Collector { store, summary, restarts, bar, skipped: Vec::new() }
    }

    /// Takes everything up to the first root without an answer, and saves it.
    /// When something fails for good, `over` tells the others.
    pub fn collect(
        mut self,
        answers: Receiver<Answer>,
        over: &AtomicBool,
    ) -> Result<(), LabelError> {
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        let mut failure = None;
        for answer in answers {
            waiting.insert(answer.turn, answer);
            while failure.is_none()
                && let Some(answer) = waiting.remove(&turn)
            {
                match self.take(answer) {
                    Ok(true) => turn += 1,
                    // The root stays undone, and so do all that follow.
                    Ok(false) => break,
                    Err(error) => {
                        over.store(true, Relaxed);
                        failure = Some(error);
                    }
                }
            }
        }
        // An answer that never came may hide why it did not.
        let hidden = waiting.into_values().find_map(|answer| answer.outcome.err());
        let failure = failure.or(hidden);
        self.bar.finish_and_clear();
        if failure.is_none() {
            self.settle_skipped()?;
        }
        self.store.save()?;
        failure.map_or(Ok(()), Err)
    }

    /// False when there is no answer.
    fn take(&mut self, answer: Answer) -> Result<bool, LabelError> {
        match answer.outcome? {
            Outcome::Abandoned => return Ok(false),
            Outcome::Labeled { record, cut } => {
                if let Some((fen, cause)) = cut {
                    self.warn(&format!("not followed any further: {fen} ({cause})"));
                }
                self.settle_skipped()?;
                self.labeled(answer.number, *record)?;
            }
            Outcome::Skipped { fen, cause } => {
                self.warn(&format!("skipped: {fen} ({cause})"));
                self.skipped.push(answer.number);
                if self.skipped.len() == HOPELESS {
                    return Err(LabelError::Hopeless { count: HOPELESS, fen, cause });
                }
            }
        }
        let restarts = self.restarts.load(Relaxed);
        let labeled = self.summary.positions;
        self.bar.set_message(format!("{labeled} labeled, {restarts} restarts"));
        Ok(true)
    }

    fn labeled(&mut self, number: u64, record: Record) -> Result<(), LabelError> {
        self.summary.records += 1;
        self.summary.positions += record.plies.len() as u64;
        self.done(number, Some(record))
    }

    fn settle_skipped(&mut self) -> Result<(), LabelError> {
        for number in std::mem::take(&mut self.skipped) {
            self.summary.skipped += 1;
            self.done(number, None)?;
        }
        Ok(())
    }

    fn done(&mut self, number: u64, record: Option<Record>) -> Result<(), LabelError> {
        self.summary.finished += 1;
        self.bar.inc(1);
        self.store.add(number, record)
    }

    fn warn(&self, text: &str) {
        self.bar.suspend(|| eprintln!("warning: {text}"));
    }
}
