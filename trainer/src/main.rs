//! The trainer's binary: command line in, exit code out.

use clap::Parser;
use trainer::commands::{Arguments, run};

fn main() {
    std::process::exit(run(Arguments::parse()));
}
