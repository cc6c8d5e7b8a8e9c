//! What the workers of one search share: tree, limits and totals.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::budget::Budget;
use super::cache::EvalCache;
use super::frozen::Frozen;
use super::params::Params;
use super::pending::Pending;
use super::tree::Tree;
use super::{Signals, Totals};
use crate::chess::Ply;
use crate::tablebase::Tablebases;

/// What all workers of one search share.
pub struct Shared<'a> {
    pub tree: &'a Tree,
    pub cache: &'a EvalCache,
    pub params: &'a Params,
    pub tablebases: Option<&'a Tablebases>,
    pub cache_key: &'a (dyn Fn(&[Ply]) -> u64 + Sync),
    pub signals: &'a Signals,
    pub halted: AtomicBool,
    /// Times are counted from here.
    pub epoch: Instant,
    /// Microseconds after `epoch` at which every worker stops.
    pub deadline: AtomicU64,
    pub frozen: Frozen,
    pub pending: Pending,
    pub budget: Budget,
    /// Worth of a draw for the side to move at the root (bits of an `f32`).
    pub root_draw_value: AtomicU32,
    pub counters: Counters,
}

impl Shared<'_> {
    pub fn halt(&self) {
        self.halted.store(true, Relaxed);
    }

    pub fn set_deadline(&self, end: Instant) {
        let micros = end.saturating_duration_since(self.epoch).as_micros() as u64;
        self.deadline.store(micros, Relaxed);
    }

    /// How far past the deadline it is now.
    pub fn lateness(&self) -> Duration {
        let deadline = Duration::from_micros(self.deadline.load(Relaxed));
        self.epoch.elapsed().saturating_sub(deadline)
    }

    pub fn is_over(&self) -> bool {
        self.halted.load(Relaxed)
            || self.signals.is_stopped()
            || self.epoch.elapsed().as_micros() as u64 >= self.deadline.load(Relaxed)
    }
}

/// Totals of one search.
#[derive(Default)]
pub struct Counters {
    pub visits: AtomicU64,
    pub depth_sum: AtomicU64,
    pub deepest: AtomicU32,
    pub tablebase_hits: AtomicU64,
    pub cache_hits: AtomicU64,
    pub evaluations: AtomicU64,
    pub batches: AtomicU64,
    /// Nanoseconds all workers spent waiting for the network.
    pub network_time: AtomicU64,
    /// The longest batch so far, in microseconds.
    pub slowest_batch: AtomicU64,
    pub recyclings: AtomicU64,
}

impl Counters {
    pub fn totals(&self, carried: u64, elapsed: Duration) -> Totals {
        Totals {
            visits: self.visits.load(Relaxed),
            carried,
            evaluations: self.evaluations.load(Relaxed),
            batches: self.batches.load(Relaxed),
            cache_hits: self.cache_hits.load(Relaxed),
            tablebase_hits: self.tablebase_hits.load(Relaxed),
            recyclings: self.recyclings.load(Relaxed),
            network_time: Duration::from_nanos(self.network_time.load(Relaxed)),
            elapsed,
        }
    }
}
