//! What a run came to.

use indicatif::HumanCount;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Default)]
pub struct Summary {
    pub teacher: String,
    /// Of all runs on this folder.
    pub roots: u64,
    pub finished: u64,
    /// Of this run: records, positions with a label, roots left out.
    pub records: u64,
    pub positions: u64,
    pub skipped: u64,
    pub restarts: u64,
    pub time: Duration,
    pub out: PathBuf,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rate = self.positions as f64 / self.time.as_secs_f64().max(1e-9);
        writeln!(f, "{:<28}{}", "teacher", self.teacher)?;
        for (name, count) in [
            ("records written", self.records),
            ("positions labeled", self.positions),
            ("positions per second", rate as u64),
            ("skipped", self.skipped),
            ("restarts", self.restarts),
        ] {
            writeln!(f, "{name:<28}{:>14}", HumanCount(count).to_string())?;
        }
        let (finished, roots) = (HumanCount(self.finished), HumanCount(self.roots));
        write!(f, "{:<28}{finished} of {roots}, in {}", "done in all", self.out.display())
    }
}
