//! The trainer's binary: command line in, exit code out.

use clap::Parser;
use std::panic;
use std::process::exit;
use trainer::commands::{Arguments, run};

/// 128 and the number of SIGPIPE, as shells report it.
const NOBODY_READS: i32 = 141;

fn main() {
    end_quietly_without_reader();
    exit(run(Arguments::parse()));
}

/// `print!` panics when its reader is gone, as with `trainer nets | head -1`. The
/// signal that ends other programs then stays off: it would also end this one when
/// an engine dies.
fn end_quietly_without_reader() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.payload_as_str().unwrap_or_default();
        if text.starts_with("failed printing to stdout") && text.contains("Broken pipe") {
            exit(NOBODY_READS);
        }
        usual(info);
    }));
}
