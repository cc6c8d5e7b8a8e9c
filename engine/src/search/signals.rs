//! What reaches a running search from outside: `stop` and `ponderhit`.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, PoisonError};

#[derive(Default)]
pub struct Signals {
    stop: AtomicBool,
    ponderhit: AtomicBool,
    guard: Mutex<()>,
    bell: Condvar,
}

impl Signals {
    /// Ready for the next search.
    pub fn reset(&self) {
        self.stop.store(false, SeqCst);
        self.ponderhit.store(false, SeqCst);
    }

    pub fn stop(&self) {
        self.ring(&self.stop);
    }

    pub fn ponderhit(&self) {
        self.ring(&self.ponderhit);
    }

    fn ring(&self, flag: &AtomicBool) {
        let _guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        flag.store(true, SeqCst);
        self.bell.notify_all();
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(SeqCst)
    }

    pub fn is_ponderhit(&self) -> bool {
        self.ponderhit.load(SeqCst)
    }

    /// Sleeps until `stop`, or also until `ponderhit` where that ends the wait.
    pub fn wait(&self, ponderhit_ends: bool) {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        while !(self.is_stopped() || ponderhit_ends && self.is_ponderhit()) {
            guard = self.bell.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
