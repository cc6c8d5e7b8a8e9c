//! An engine in a child process, asked for its speed over UCI.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct UciChild {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl UciChild {
    /// Starts `command` (program and arguments, separated by spaces), sets
    /// `options` and waits until it is ready.
    pub fn start(command: &str, options: &[(&str, &str)]) -> io::Result<UciChild> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or_else(|| io::Error::other("no program named"))?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or_else(|| io::Error::other("no standard input"))?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?;
        let mut engine = UciChild { child, input, output: BufReader::new(output) };
        engine.send("uci")?;
        engine.read_until("uciok")?;
        for (name, value) in options {
            engine.send(&format!("setoption name {name} value {value}"))?;
        }
        engine.send("isready")?;
        engine.read_until("readyok")?;
        Ok(engine)
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.input, "{line}")?;
        self.input.flush()
    }

    /// All lines up to one that starts with `word`.
    fn read_until(&mut self, word: &str) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(io::Error::other(format!("the engine ended before {word}")));
            }
            let done = line.starts_with(word);
            lines.push(line);
            if done {
                return Ok(lines);
            }
        }
    }

    /// Tells of a position, asks for a move and waits for it.
    pub fn search(&mut self, position: &str, go: &str) -> io::Result<()> {
        self.send(position)?;
        self.send(go)?;
        self.read_until("bestmove").map(drop)
    }

    /// Nodes per second of one search, by the engine's own last count.
    pub fn nodes_per_second(&mut self, fen: &str, milliseconds: u64) -> io::Result<f64> {
        self.send(&format!("position fen {fen}"))?;
        self.send(&format!("go movetime {milliseconds}"))?;
        let lines = self.read_until("bestmove")?;
        let number = |line: &str, key: &str| -> Option<f64> {
            let mut words = line.split_whitespace().skip_while(|word| *word != key);
            words.nth(1)?.parse().ok()
        };
        lines
            .iter()
            .rev()
            .find_map(|line| Some(number(line, "nodes")? / number(line, "time")? * 1000.0))
            .ok_or_else(|| io::Error::other("the engine printed no nodes"))
    }
}

impl Drop for UciChild {
    fn drop(&mut self) {
        let _ = self.send("quit");
        let _ = self.child.wait();
    }
}
