//! Whose turn the machine is: most tests share it, those that measure time
//! have it to themselves.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

struct State {
    sharing: usize,
    alone: bool,
}

static STATE: Mutex<State> = Mutex::new(State { sharing: 0, alone: false });
static CHANGED: Condvar = Condvar::new();

thread_local! {
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Held by every running engine.
pub struct Shared(bool);

/// Held by a test that measures time.
pub struct Alone(());

/// Waits until nobody is alone; does not wait in the thread that is.
pub fn share() -> Shared {
    if IS_ALONE.get() {
        return Shared(false);
    }
    let mut state = state();
    while state.alone {
        state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    state.sharing += 1;
    Shared(true)
}

/// Waits until no other test runs an engine.
pub fn alone() -> Alone {
    let mut state = state();
    while state.alone || state.sharing > 0 {
        state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    state.alone = true;
    IS_ALONE.set(true);
    Alone(())
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.0 {
            state().sharing -= 1;
            CHANGED.notify_all();
        }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        IS_ALONE.set(false);
        state().alone = false;
        CHANGED.notify_all();
    }
}
