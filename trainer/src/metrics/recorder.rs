//! One set of named values a step, to all of a run's files.

use super::event_file::{self, EventFile};
use super::histogram::histogram;
use super::proto::{Content, SummaryValue};
use super::{LogLine, MetricsError, MetricsLog};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// ```
/// # fn main() -> Result<(), trainer::metrics::MetricsError> {
/// # let folder = tempfile::tempdir().unwrap();
/// let mut recorder = trainer::metrics::Recorder::open(folder.path(), None)?;
/// recorder.scalar("train/loss", 2.5);
/// recorder.histogram("weights/stem", &[0.1, -0.1]);
/// recorder.finish_step(100, 25_600)?;
/// # Ok(()) }
/// ```
pub struct Recorder {
    log: MetricsLog,
    events: EventFile,
    scalars: BTreeMap<String, Option<f64>>,
    summary: Vec<SummaryValue>,
}

impl Recorder {
    /// The run's log in its folder.
    pub const LOG: &str = "metrics.jsonl";

    /// Without `resume_after` a new run; with it, a run that goes on after that
    /// step, and what was recorded of later ones is forgotten.
    pub fn open(folder: &Path, resume_after: Option<u64>) -> Result<Recorder, MetricsError> {
        Ok(Recorder {
            log: MetricsLog::open(&folder.join(Self::LOG), resume_after)?,
            events: EventFile::create(folder, resume_after)?,
            scalars: BTreeMap::new(),
            summary: vec![],
        })
    }

    /// Names with slashes are grouped by what stands before the slash.
    pub fn scalar(&mut self, name: &str, value: f64) {
        self.scalars.insert(name.to_string(), Some(value));
        self.summary.push(event_file::value(name, Content::SimpleValue(value as f32)));
    }

    /// For TensorBoard only.
    pub fn histogram(&mut self, name: &str, values: &[f32]) {
        if let Some(made) = histogram(values) {
            self.summary.push(event_file::value(name, Content::Histogram(made)));
        }
    }

    /// Markdown, for TensorBoard only; written at once, at step 0.
    pub fn text(&mut self, name: &str, markdown: &str) -> Result<(), MetricsError> {
        self.events.summary(0, wall_time(), vec![event_file::text(name, markdown)])
    }

    /// Writes what was given since the last call. `positions` counts all that
    /// the run has trained on so far.
    pub fn finish_step(&mut self, step: u64, positions: u64) -> Result<(), MetricsError> {
        let wall_time = wall_time();
        let values = std::mem::take(&mut self.scalars);
        self.log.append(&LogLine { step, wall_time, positions, values })?;
        self.events.summary(step, wall_time, std::mem::take(&mut self.summary))
    }
}

/// Seconds since 1970, to the millisecond.
fn wall_time() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_millis() as f64 / 1000.0
}
