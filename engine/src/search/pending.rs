//! Positions that some worker is about to evaluate, so that no other worker
//! evaluates them at the same time.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One row of keys per worker; 0 is an empty place.
pub struct Pending {
    rows: Vec<Box<[AtomicU64]>>,
}

impl Pending {
    pub fn new(workers: usize, batch: usize) -> Pending {
        let row = || (0..batch).map(|_| AtomicU64::new(0)).collect();
        Pending { rows: (0..workers).map(|_| row()).collect() }
    }

    /// Enters `key` at `place` of the worker's row. False, and nothing entered,
    /// when another worker has it.
    pub fn announce(&self, worker: usize, place: usize, key: u64) -> bool {
        let others = self.rows.iter().enumerate().filter(|(number, _)| *number != worker);
        for (_, row) in others {
            if row.iter().take_while(|k| k.load(Relaxed) != 0).any(|k| k.load(Relaxed) == key) {
                return false;
            }
        }
        self.rows[worker][place].store(key, Relaxed);
        true
    }

    /// Empties the first `count` places of the worker's row.
    pub fn withdraw(&self, worker: usize, count: usize) {
        for place in &self.rows[worker][..count] {
            place.store(0, Relaxed);
        }
    }
}
