//! The engine's binary: command line in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    let matches = engine::cli::command().get_matches();
    match engine::cli::run(&matches) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output is gone; there is nobody to tell.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("engine: {error}");
            ExitCode::FAILURE
        }
    }
}
