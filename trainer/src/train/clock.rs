//! The speed of a run: time, and how much of it went into waiting for data.

use crate::dataset::Dataset;
use std::time::{Duration, Instant};

pub struct Clock {
    since: Instant,
    waited: Duration,
    positions: u64,
}

pub struct Speed {
    pub positions_per_second: f64,
    pub wait_share: f64,
}

impl Speed {
    pub fn describe(&self) -> String {
        let wait = self.wait_share * 100.0;
        format!("{:.0} positions/s, {wait:.1}% waiting", self.positions_per_second)
    }
}

impl Clock {
    /// Starts now, with so many positions behind it.
    pub fn start(dataset: &Dataset, positions: u64) -> Clock {
        Clock { since: Instant::now(), waited: dataset.wait(), positions }
    }

    /// The speed since the start, or since the last lap.
    pub fn lap(&mut self, dataset: &Dataset, positions: u64) -> Speed {
        let seconds = self.since.elapsed().as_secs_f64().max(1e-9);
        let waited = dataset.wait().saturating_sub(self.waited).as_secs_f64();
        let speed = Speed {
            positions_per_second: (positions - self.positions) as f64 / seconds,
            wait_share: waited / seconds,
        };
        *self = Clock::start(dataset, positions);
        speed
    }
}
