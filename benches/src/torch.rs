//! PyTorch in a child process that measures a round when told to.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Torch {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Torch {
    /// `None` unless `ARBOR_BENCH_PYTHON` names a Python that has PyTorch.
    pub fn start(rounds: usize, steps: usize, batch: usize) -> Option<Torch> {
        let python = std::env::var_os("ARBOR_BENCH_PYTHON")?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/train_step.py");
        let mut command = Command::new(&python);
        command.arg(script).args([rounds, steps, batch].map(|n| n.to_string()));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let (input, output) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        let mut torch = Torch { child, input, output };
        (torch.line()? == "ready").then_some(torch)
    }

    /// Positions per second of one round.
    pub fn round(&mut self) -> f64 {
        let asked = self.input.write_all(b"go\n").and_then(|()| self.input.flush());
        let answer = asked.ok().and_then(|()| self.line());
        answer.and_then(|line| line.parse().ok()).unwrap_or(f64::NAN)
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.output.read_line(&mut line).ok().filter(|length| *length > 0)?;
        Some(line.trim().to_string())
    }
}

impl Drop for Torch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
