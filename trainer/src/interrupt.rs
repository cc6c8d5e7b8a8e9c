//! Ctrl-C and termination: a flag that long commands look at between steps.
//!
//! The first signal asks the command to finish what it holds and save; the
//! second ends the process at once.

use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell reports for a process that ended by Ctrl-C.
pub const EXIT_CODE: i32 = 130;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Starts listening for signals; called once, from the command line.
pub fn listen() {
    let outcome = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT_CODE);
        }
        eprintln!("finishing the current step; press Ctrl-C again to stop at once");
    });
    if let Err(error) = outcome {
        eprintln!("warning: Ctrl-C will stop without saving: {error}");
    }
}

/// Whether the command should finish its step, save and return.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
