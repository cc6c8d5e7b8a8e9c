//! The engine as the rest of the trainer sees it.

use serde::Serialize;
use shakmaty::Color;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::process::{LONGEST_UCI_LINE, NoLine, Process};
use super::ranking::Ranking;
use super::{EngineCommand, EngineOption, Info, UciError};

/// The greeting needs no network and no tables: who says nothing for so long
/// does not speak UCI.
const GREETING: Duration = Duration::from_secs(30);

/// When a search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Limit {
    Nodes(u64),
    Depth(u32),
    MoveTime(Duration),
    Clock(Clocks),
}

/// The clocks of a game before a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Clocks {
    pub white: Duration,
    pub black: Duration,
    pub white_increment: Duration,
    pub black_increment: Duration,
    /// Moves until time is added; `None` when the time is for the whole game.
    pub moves_to_go: Option<u32>,
}

impl Limit {
    fn go(self) -> String {
        match self {
            Limit::Nodes(nodes) => format!("go nodes {nodes}"),
            Limit::Depth(depth) => format!("go depth {depth}"),
            Limit::MoveTime(time) => format!("go movetime {}", milliseconds(time)),
            Limit::Clock(clocks) => {
                let mut go = format!(
                    "go wtime {} btime {} winc {} binc {}",
                    milliseconds(clocks.white),
                    milliseconds(clocks.black),
                    clocks.white_increment.as_millis(),
                    clocks.black_increment.as_millis()
                );
                if let Some(moves) = clocks.moves_to_go {
                    go.push_str(&format!(" movestogo {moves}"));
                }
                go
            }
        }
    }

    /// How long the search may take; `None` when that depends on the engine.
    fn time(self, mover: Color) -> Option<Duration> {
        match self {
            Limit::Nodes(_) | Limit::Depth(_) => None,
            Limit::MoveTime(time) => Some(time),
            Limit::Clock(clocks) => Some(mover.fold_wb(clocks.white, clocks.black)),
        }
    }
}

/// At least one: engines take none for no limit.
fn milliseconds(time: Duration) -> u128 {
    time.as_millis().max(1)
}

/// Whose turn it is after `moves` from `fen`.
fn mover(fen: &str, moves: &[String]) -> Color {
    let start = Color::from_black(fen.split_ascii_whitespace().nth(1) == Some("b"));
    if moves.len().is_multiple_of(2) { start } else { !start }
}

/// How long an answer is waited for.
#[derive(Clone, Copy)]
struct Wait {
    within: Duration,
    /// Anew after every line.
    renewed: bool,
}

impl Wait {
    fn of(within: Duration) -> Wait {
        Wait { within, renewed: false }
    }
}

/// What a search came to. Moves are in UCI notation and not checked: whether
/// they are legal is for those to say who know the position.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub best: String,
    /// Lines with distinct first moves: that of the best move if it has one,
    /// then the others by rank. Empty when the engine gave no scores.
    pub lines: Vec<Info>,
}

pub struct Engine {
    process: Process,
    name: String,
    options: Vec<EngineOption>,
    /// How long any answer may take, beyond the time a search is given. Without
    /// such a time it may take longer, as long as the engine is not silent.
    patience: Duration,
    stop: Option<Arc<AtomicBool>>,
}

/// How often the flag is looked at that stops a search.
const GLANCE: Duration = Duration::from_millis(100);

impl Engine {
    /// Starts and greets; the options are as the engine has them by default.
    pub fn start(command: &EngineCommand, patience: Duration) -> Result<Engine, UciError> {
        let process = Process::start(command, LONGEST_UCI_LINE)
            .map_err(|source| UciError::Start { command: command.to_string(), source })?;
        let name = command.program.clone();
        let mut engine = Engine { process, name, options: Vec::new(), patience, stop: None };
        engine.greet().map_err(|error| engine.not_uci(command, &error))?;
        Ok(engine)
    }

    /// Searches are given up once the flag is raised.
    pub fn stop_at(&mut self, flag: Arc<AtomicBool>) {
        self.stop = Some(flag);
    }

    /// As in `id name`, or the program's path.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn options(&self) -> &[EngineOption] {
        &self.options
    }

    /// Names are told apart without regard to case, as the protocol has it.
    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Whether the engine has the option; if so, it is set.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<bool, UciError> {
        match self.option(name) {
            None => Ok(false),
            Some(option) => {
                let line = option.set(value)?;
                self.send(&line)?;
                Ok(true)
            }
        }
    }

    /// Waits until everything said so far is done.
    pub fn ready(&mut self) -> Result<(), UciError> {
        self.send("isready")?;
        self.read("isready", Wait::of(self.patience), |line| (line == "readyok").then_some(()))
    }

    /// The next position has nothing to do with the last.
    pub fn new_game(&mut self) -> Result<(), UciError> {
        self.send("ucinewgame")?;
        self.ready()
    }

    /// Searches the position after `moves` from `fen`.
    pub fn search(
        &mut self,
        fen: &str,
        moves: &[String],
        limit: Limit,
    ) -> Result<Answer, UciError> {
        let played = if moves.is_empty() { String::new() } else { " moves ".to_string() };
        self.send(&format!("position fen {fen}{played}{}", moves.join(" ")))?;
        let go = limit.go();
        self.send(&go)?;
        let time = limit.time(mover(fen, moves));
        let wait =
            Wait { within: self.patience + time.unwrap_or_default(), renewed: time.is_none() };
        let mut ranking = Ranking::default();
        let best = self.read(&go, wait, |line| match line.strip_prefix("bestmove") {
            Some(rest) => Some(rest.split_whitespace().next().unwrap_or_default().to_string()),
            None => {
                if let Some(info) = Info::parse(line) {
                    ranking.add(info);
                }
                None
            }
        })?;
        if matches!(best.as_str(), "" | "(none)" | "0000" | "NULL") {
            return Err(UciError::Nonsense { to: go, answer: format!("bestmove {best}") });
        }
        Ok(Answer { lines: ranking.finish(&best), best })
    }

    fn greet(&mut self) -> Result<(), UciError> {
        self.send("uci")?;
        let (mut name, mut options) = (None, Vec::new());
        self.read("uci", Wait::of(GREETING.min(self.patience)), |line| {
            if let Some(text) = line.strip_prefix("id name ") {
                name = Some(text.trim().to_string());
            }
            options.extend(EngineOption::parse(line));
            (line == "uciok").then_some(())
        })?;
        self.name = name.unwrap_or_else(|| self.name.clone());
        self.options = options;
        Ok(())
    }

    fn not_uci(&mut self, command: &EngineCommand, error: &UciError) -> UciError {
        let cause = match error {
            UciError::Died { status, .. } => format!("it ended ({status}) before `uciok`"),
            UciError::Silent { within, .. } => {
                format!("no `uciok` within {} s", within.as_secs_f32())
            }
            other => other.to_string(),
        };
        UciError::NotUci { command: command.to_string(), cause, said: self.process.said() }
    }

    fn send(&mut self, line: &str) -> Result<(), UciError> {
        self.process.send(line).map_err(|_| self.died(line))
    }

    /// Reads lines until `take` has what it wants.
    fn read<T>(
        &mut self,
        to: &str,
        wait: Wait,
        mut take: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, UciError> {
        let within = wait.within;
        let mut deadline = Instant::now() + within;
        loop {
            match self.process.receive(deadline.min(Instant::now() + GLANCE)) {
                Ok(line) => {
                    if let Some(found) = take(&line) {
                        return Ok(found);
                    }
                    if wait.renewed {
                        deadline = Instant::now() + within;
                    }
                }
                Err(NoLine::Ended) => return Err(self.died(to)),
                Err(NoLine::Late) => {}
            }
            if self.stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Err(UciError::Stopped);
            }
            if Instant::now() >= deadline {
                let said = self.process.said();
                return Err(UciError::Silent { to: to.to_string(), within, said });
            }
        }
    }

    fn died(&mut self, at: &str) -> UciError {
        let status = self.process.status();
        UciError::Died { status, at: at.to_string(), said: self.process.said() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_with_a_clock_is_asked_for_in_milliseconds() {
        let second = Duration::from_secs(1);
        let clocks = Clocks {
            white: 10 * second,
            black: second / 2,
            white_increment: second / 10,
            black_increment: Duration::ZERO,
            moves_to_go: Some(40),
        };
        let limit = Limit::Clock(clocks);
        assert_eq!(limit.go(), "go wtime 10000 btime 500 winc 100 binc 0 movestogo 40");
        let moves = ["e2e4".to_string()];
        assert_eq!(limit.time(mover("8/8/8/8/8/8/8/8 w - - 0 1", &[])), Some(10 * second));
        assert_eq!(limit.time(mover("8/8/8/8/8/8/8/8 w - - 0 1", &moves)), Some(second / 2));
        assert_eq!(limit.time(mover("8/8/8/8/8/8/8/8 b - - 0 1", &moves)), Some(10 * second));
        assert_eq!(Limit::Nodes(5).time(Color::White), None);
        assert_eq!(Limit::MoveTime(Duration::from_micros(10)).go(), "go movetime 1");
    }
}
