//! The places of an import that went wrong, and how far it is.

use super::source::Sources;
use crate::files::AtomicFile;
use crate::progress;
use indicatif::ProgressBar;
use std::io::{self, Write};
use std::path::Path;

/// How many broken places are shown.
const SHOWN: u64 = 20;

/// Shows the first broken places on standard error and writes all of them to a
/// file, one per line: `FILE:LINE: CAUSE`.
pub struct Report {
    bar: ProgressBar,
    file: Option<AtomicFile>,
    count: u64,
    failure: io::Result<()>,
}

impl Report {
    /// `path` is where all broken places go, if anywhere.
    pub fn create(sources: &Sources, path: Option<&Path>) -> io::Result<Report> {
        Ok(Report {
            bar: progress::bar(sources.total(), "bytes"),
            file: path.map(AtomicFile::create).transpose()?,
            count: 0,
            failure: Ok(()),
        })
    }

    /// Keeps quiet.
    pub fn silent() -> Report {
        Report { bar: ProgressBar::hidden(), file: None, count: SHOWN, failure: Ok(()) }
    }

    pub fn broken(&mut self, path: &str, line: u64, cause: &str) {
        self.count += 1;
        if self.count <= SHOWN {
            self.bar.suspend(|| eprintln!("{path}:{line}: {cause}"));
        }
        if let Some(file) = &mut self.file
            && let Err(error) = writeln!(file, "{path}:{line}: {cause}")
        {
            self.failure = Err(error);
            self.file = None;
        }
    }

    pub fn progress(&self, bytes: u64, message: String) {
        self.bar.set_position(bytes);
        self.bar.set_message(message);
    }

    /// Ends the bar and closes the file.
    pub fn finish(self) -> io::Result<()> {
        self.bar.finish_and_clear();
        if self.count > SHOWN && self.file.is_none() {
            eprintln!("and {} more; --report FILE lists them all", self.count - SHOWN);
        }
        self.failure?;
        self.file.map_or(Ok(()), AtomicFile::finish)
    }
}
