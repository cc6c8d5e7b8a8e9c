//! The trainer's binary: command line in, exit code out.

use clap::Parser;

/// Arbor's trainer: turns games and teacher labels into networks for the engine.
///
/// Its commands (importing games, labeling, self-play, training, export and
/// matches) are not part of this version yet.
#[derive(Parser)]
#[command(version)]
struct Arguments {}

fn main() {
    Arguments::parse();
}
