//! Keeps a damaged file from taking the process down.
//!
//! The Parquet library asserts in places that lengths and offsets of a file make
//! sense: of 6,000 files with one bit flipped, about one in a thousand made it
//! panic. Here that becomes an error like any other, without the noise.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The work's answer, or what it panicked with.
pub(super) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                report(panic);
            }
        }));
    });
    GUARDED.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    outcome.map_err(|cause| describe(cause.as_ref()))
}

fn describe(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| cause.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "its contents contradict each other".to_string())
}

#[cfg(test)]
mod tests {
    use super::guard;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(guard(|| 7), Ok(7));
        let length = std::hint::black_box(-1);
        let answer = guard(|| assert!(length >= 0, "length {length} is negative"));
        assert_eq!(answer, Err("length -1 is negative".to_string()));
    }
}
