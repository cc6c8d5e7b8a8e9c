//! What reaches a running search from outside: `stop` and `ponderhit`.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

#[derive(Default)]
pub struct Signals {
    stop: AtomicBool,
    /// When `ponderhit` came.
    ponderhit: Mutex<Option<Instant>>,
    guard: Mutex<()>,
    bell: Condvar,
}

impl Signals {
    /// Ready for the next search.
    pub fn reset(&self) {
        self.stop.store(false, SeqCst);
        *self.lock_ponderhit() = None;
    }

    pub fn stop(&self) {
        self.stop.store(true, SeqCst);
        self.ring();
    }

    pub fn ponderhit(&self) {
        *self.lock_ponderhit() = Some(Instant::now());
        self.ring();
    }

    /// Wakes a waiting search; the guard makes sure that it sees the change.
    fn ring(&self) {
        let _guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        self.bell.notify_all();
    }

    fn lock_ponderhit(&self) -> MutexGuard<'_, Option<Instant>> {
        self.ponderhit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(SeqCst)
    }

    pub fn ponderhit_time(&self) -> Option<Instant> {
        *self.lock_ponderhit()
    }

    /// Sleeps until `stop`, or also until `ponderhit` where that ends the wait.
    pub fn wait(&self, ponderhit_ends: bool) {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        while !(self.is_stopped() || ponderhit_ends && self.ponderhit_time().is_some()) {
            guard = self.bell.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
