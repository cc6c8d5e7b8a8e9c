//! Standard output, one line at a time from any thread, and the debug log.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

pub struct Output {
    inner: Mutex<Inner>,
    start: Instant,
}

struct Inner {
    out: Box<dyn Write + Send>,
    log: Option<File>,
    /// Where the log was last asked for, even if it could not be opened.
    log_path: Option<PathBuf>,
    /// The reader of our output went away.
    broken: bool,
}

impl Output {
    pub fn new(out: Box<dyn Write + Send>) -> Output {
        let inner = Inner { out, log: None, log_path: None, broken: false };
        Output { inner: Mutex::new(inner), start: Instant::now() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes lines that belong together, then flushes.
    pub fn print<'a>(&self, lines: impl IntoIterator<Item = &'a str>) {
        let mut inner = self.lock();
        for line in lines {
            self.log(&mut inner, "<", line);
            if writeln!(inner.out, "{line}").is_err() {
                inner.broken = true;
            }
        }
        if inner.out.flush().is_err() {
            inner.broken = true;
        }
    }

    pub fn is_broken(&self) -> bool {
        self.lock().broken
    }

    /// Notes a line that was read.
    pub fn log_input(&self, line: &str) {
        self.log(&mut self.lock(), ">", line);
    }

    /// Appends to `path` from now on, or to nothing. A path that fails is told
    /// once, not again with every later call.
    pub fn log_to(&self, path: Option<&Path>) -> io::Result<()> {
        let mut inner = self.lock();
        if inner.log_path.as_deref() == path {
            return Ok(());
        }
        inner.log = None;
        inner.log_path = path.map(Path::to_path_buf);
        if let Some(path) = path {
            inner.log = Some(OpenOptions::new().create(true).append(true).open(path)?);
        }
        Ok(())
    }

    /// A full disk must not end a game: what cannot be logged is not logged.
    fn log(&self, inner: &mut Inner, direction: &str, line: &str) {
        if let Some(file) = &mut inner.log {
            let seconds = self.start.elapsed().as_secs_f64();
            let _ = writeln!(file, "{seconds:10.3} {direction} {line}");
        }
    }
}
