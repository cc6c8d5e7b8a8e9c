//! A running engine: lines in, lines out, never a blind sleep.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::turn::{self, Shared};

/// Longer than anything takes, even on a slow and busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The small network with random weights.
pub fn tiny_net() -> String {
    root().join("nets/tiny-basic18.onnx").display().to_string()
}

/// The engine's binary beside this test's, brought up to date first: Cargo does
/// not build other packages' binaries for a test.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Some(path) = std::env::var_os("ARBOR_TEST_ENGINE") {
            return path.into();
        }
        let test = std::env::current_exe().unwrap();
        let profile = test.parent().and_then(Path::parent).unwrap().to_path_buf();
        let path = profile.join(format!("engine{}", std::env::consts::EXE_SUFFIX));
        // Outside `cargo test` the variable is missing, and what is there is tested.
        if let Some(cargo) = std::env::var_os("CARGO").or((!path.exists()).then(|| "cargo".into()))
        {
            let mut build = Command::new(cargo);
            // All of the workspace: a part alone would have other features of what
            // they share, and build it again.
            build.args(["build", "--workspace", "--bins", "--target-dir"]);
            build.arg(profile.parent().unwrap());
            if profile.ends_with("release") {
                build.arg("--release");
            }
            assert!(build.current_dir(root()).status().unwrap().success(), "no engine to test");
        }
        path
    })
}

/// The engine's binary in a folder of its own. A link where that can be: what is
/// written here stays open in processes that other tests start meanwhile, and
/// the system runs no file that somebody may be writing.
pub fn binary_in(folder: &Path) -> PathBuf {
    let lonely = folder.join("engine");
    if std::fs::hard_link(binary(), &lonely).is_err() {
        std::fs::copy(binary(), &lonely).unwrap();
    }
    lonely
}

pub struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
    _turn: Shared,
}

/// Starts a process, waiting for those who still have its file open for writing;
/// see [`binary_in`].
fn start(command: &mut Command) -> Child {
    let since = Instant::now();
    loop {
        match command.spawn() {
            Err(e) if e.kind() == ErrorKind::ExecutableFileBusy && since.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(10));
            }
            outcome => return outcome.unwrap(),
        }
    }
}

impl Engine {
    pub fn start(args: &[&str]) -> Engine {
        Engine::spawn(Command::new(binary()).args(args))
    }

    /// Needs no network, is quick, and does the same on every run.
    pub fn random() -> Engine {
        Engine::start(&["--backend", "random", "--threads", "1", "--hash", "32"])
    }

    /// The tiny network on ONNX Runtime, in all threads.
    pub fn tiny() -> Engine {
        Engine::start(&["--backend", "cpu", "--net", &tiny_net(), "--batch", "8", "--hash", "64"])
    }

    pub fn spawn(command: &mut Command) -> Engine {
        let turn = turn::share();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = start(command);
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        Engine { input: child.stdin.take(), child, lines, _turn: turn }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, line: &str) -> Instant {
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    /// Returns when it was sent.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Instant {
        let input = self.input.as_mut().expect("input is closed");
        let now = Instant::now();
        input.write_all(bytes).and_then(|()| input.flush()).expect("the engine is gone");
        now
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next line, with the time it came; `None` when it does not come.
    pub fn next(&mut self, within: Duration) -> Option<(Instant, String)> {
        self.lines.recv_timeout(within).ok()
    }

    /// All lines up to the first that `is_last`.
    pub fn read_until(&mut self, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        self.read_timed(is_last).0
    }

    pub fn read_timed(&mut self, is_last: impl Fn(&str) -> bool) -> (Vec<String>, Instant) {
        let deadline = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok((time, line)) => {
                    lines.push(line);
                    if is_last(&lines[lines.len() - 1]) {
                        return (lines, time);
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("waited in vain after {lines:#?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("engine gone after {lines:#?}"),
            }
        }
    }

    /// `isready`; the lines before `readyok`.
    pub fn ready(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.read_until(|line| line == "readyok");
        lines.pop();
        lines
    }

    pub fn set(&mut self, option: &str, value: &str) {
        self.send(&format!("setoption name {option} value {value}"));
    }

    /// Sends a `go` that ends by itself; all lines with the best move last.
    pub fn go(&mut self, command: &str) -> Vec<String> {
        self.send(command);
        self.read_until(is_best)
    }

    /// `stop`, then all lines with the best move last.
    pub fn stop(&mut self) -> Vec<String> {
        self.send("stop");
        self.read_until(is_best)
    }

    /// What is printed in answer to a line that should do nothing else.
    pub fn reply(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.ready()
    }

    /// The position's FEN, by the `d` command.
    pub fn fen(&mut self) -> String {
        self.send("d");
        let lines = self.read_until(|line| line.starts_with("info string fen "));
        lines[lines.len() - 1]["info string fen ".len()..].to_string()
    }

    /// How it ended, and what it still had to say; `None` if it did not.
    pub fn wait_exit(&mut self, within: Duration) -> Option<(ExitStatus, Vec<String>)> {
        let deadline = Instant::now() + within;
        let mut lines = Vec::new();
        // The end of output is the end of the process, or just before it.
        while let Ok((_, line)) =
            self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            lines.push(line);
        }
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Some((status, lines));
            }
            thread::sleep(Duration::from_millis(1));
        }
        None
    }

    pub fn quit(mut self) {
        self.send("quit");
        let (status, _) = self.wait_exit(PATIENCE).expect("quit does not quit");
        assert!(status.success(), "{status}");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn is_best(line: &str) -> bool {
    line.starts_with("bestmove ")
}

pub fn is_remark(line: &str) -> bool {
    line.starts_with("info string ")
}

/// News of a network being loaded.
pub fn is_progress(line: &str) -> bool {
    line.starts_with("info string loading ")
}

/// The move and the ponder move of a `bestmove` line.
pub fn best_and_ponder(line: &str) -> (String, Option<String>) {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        ["bestmove", best] => (best.to_string(), None),
        ["bestmove", best, "ponder", reply] => (best.to_string(), Some(reply.to_string())),
        _ => panic!("strange line: {line}"),
    }
}

/// Runs a one-shot command to its end.
pub fn run(args: &[&str]) -> Output {
    run_with(args, "")
}

/// The same, with a little to read on its standard input.
pub fn run_with(args: &[&str], input: &str) -> Output {
    let _turn = turn::share();
    let mut command = Command::new(binary());
    let mut child = command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that ended at once reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let mut errors = child.stderr.take().unwrap();
    let errors = thread::spawn(move || {
        let mut text = Vec::new();
        errors.read_to_end(&mut text).map(|_| text)
    });
    let mut output = child.wait_with_output().unwrap();
    output.stderr = errors.join().unwrap().unwrap();
    output
}

/// The same, for commands that must succeed; their output.
pub fn run_ok(args: &[&str]) -> String {
    let output = run(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// A folder that is not in the repository; a note says what is missed.
pub fn outside(variable: &str, default: &str, what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map_or_else(|| root().join(default), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no {what} in {} (set {variable})", folder.display());
    None
}
