//! The engine's process: lines in, lines out, and its last words.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::EngineCommand;

/// Longer lines come from no UCI engine; the rest of such a line is a line
/// itself.
pub const LONGEST_UCI_LINE: u64 = 1 << 16;
/// Lines that wait to be read; a process that floods has to wait as well.
const WAITING_LINES: usize = 1024;
/// Last words worth quoting, and how much of each.
const QUOTED_LINES: usize = 4;
const QUOTED_CHARACTERS: usize = 160;
/// Time to leave after `quit`, before it is killed.
const FAREWELL: Duration = Duration::from_millis(300);

pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    errors: Arc<Mutex<VecDeque<String>>>,
    errors_reader: Option<JoinHandle<()>>,
    heard: VecDeque<String>,
}

/// Why there is no line.
pub enum NoLine {
    Late,
    Ended,
}

impl Process {
    pub fn start(command: &EngineCommand, longest_line: u64) -> io::Result<Process> {
        let mut child = command.build().spawn()?;
        let (sender, output) = sync_channel(WAITING_LINES);
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                read_lines(stdout, longest_line, |line| sender.send(line).is_ok())
            });
        }
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        let errors_reader = child.stderr.take().map(|stderr| {
            let errors = Arc::clone(&errors);
            thread::spawn(move || {
                read_lines(stderr, LONGEST_UCI_LINE, |line| {
                    keep(&mut errors.lock().unwrap_or_else(PoisonError::into_inner), line);
                    true
                });
            })
        });
        let input = child.stdin.take();
        Ok(Process { child, input, output, errors, errors_reader, heard: VecDeque::new() })
    }

    /// Fails when the process is gone.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(format!("{line}\n").as_bytes())?;
        input.flush()
    }

    /// The next line, without blanks around it.
    pub fn receive(&mut self, deadline: Instant) -> Result<String, NoLine> {
        match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                // What a search says is not worth keeping.
                if !line.starts_with("info ") {
                    keep(&mut self.heard, line.clone());
                }
                Ok(line)
            }
            Err(RecvTimeoutError::Timeout) => Err(NoLine::Late),
            Err(RecvTimeoutError::Disconnected) => Err(NoLine::Ended),
        }
    }

    /// How it ended; a process that only closed its output is killed.
    pub fn status(&mut self) -> String {
        let deadline = Instant::now() + FAREWELL;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.hear_out(deadline);
                    return status.to_string();
                }
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                _ => {
                    self.kill();
                    return "its output is closed".to_string();
                }
            }
        }
    }

    /// Waits for the last errors of a process that has ended. A child of its
    /// own may keep them open, so not without end.
    fn hear_out(&self, deadline: Instant) {
        let reading = || self.errors_reader.as_ref().is_some_and(|reader| !reader.is_finished());
        while reading() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// With all of its group: an engine may hide behind a script.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Ok(group) = i32::try_from(self.child.id()) {
            // SAFETY: a plain system call. The group is the child's own, as long
            // as the child has not been waited for.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        let _ = self.child.kill();
    }

    /// Its last lines, for a message.
    pub fn said(&self) -> String {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = self.heard.iter().chain(errors.iter()).map(String::as_str).collect();
        match lines.is_empty() {
            true => "it said nothing".to_string(),
            false => format!("it said: {}", lines.join(" | ")),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.send("quit");
        self.input = None;
        let deadline = Instant::now() + FAREWELL;
        // The end of output is the end of the process; one that floods has no end.
        while Instant::now() < deadline && self.receive(deadline).is_ok() {}
        self.kill();
        let _ = self.child.wait();
    }
}

/// Hands on each line that is not empty, until the end or until `take` has
/// enough.
fn read_lines(source: impl Read, longest: u64, mut take: impl FnMut(String) -> bool) {
    let mut source = BufReader::new(source);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match source.by_ref().take(longest).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let line = String::from_utf8_lossy(&bytes).trim().to_string();
                if !line.is_empty() && !take(line) {
                    return;
                }
            }
        }
    }
}

fn keep(lines: &mut VecDeque<String>, line: String) {
    if lines.len() == QUOTED_LINES {
        lines.pop_front();
    }
    let printable = line.chars().filter(|c| !c.is_control());
    lines.push_back(printable.take(QUOTED_CHARACTERS).collect());
}
