//! From a line of text to a command. Never panics, whatever the line.
//!
//! ```
//! use engine::uci::{Command, parse};
//! assert_eq!(parse("isready"), Ok(Some(Command::IsReady)));
//! assert_eq!(parse("   "), Ok(None));
//! assert!(parse("go depth many").is_err());
//! ```

use std::time::Duration;

use thiserror::Error;

use crate::time::Limits;

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Uci,
    Debug(bool),
    IsReady,
    SetOption {
        name: String,
        value: String,
    },
    Register,
    NewGame,
    Position {
        start: StartPosition,
        moves: Vec<String>,
    },
    Go(GoCommand),
    Stop,
    PonderHit,
    Quit,
    /// Show the board; not UCI, but every engine has it.
    Display,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartPosition {
    Initial,
    Fen(String),
}

/// `go` as written; its moves are not checked against a position yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoCommand {
    /// Everything but the moves.
    pub limits: Limits,
    pub searchmoves: Vec<String>,
    /// Words that mean nothing here; UCI wants them passed over.
    pub unknown: Vec<String>,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParseError {
    #[error("unknown command: {0}")]
    UnknownCommand(String),
    #[error("{command}: {problem}")]
    Malformed { command: &'static str, problem: String },
}

const GO_KEYWORDS: [&str; 12] = [
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "movetime",
    "nodes",
    "depth",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
];

/// Longest quotation of bad input in a message.
const QUOTE: usize = 60;

/// Reads one line; `None` for an empty one.
pub fn parse(line: &str) -> Result<Option<Command>, ParseError> {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return Ok(None) };
    let rest: Vec<&str> = words.collect();
    Ok(Some(match first {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "register" => Command::Register,
        "d" => Command::Display,
        "debug" => debug(&rest)?,
        "setoption" => set_option(&rest)?,
        "position" => position(&rest)?,
        "go" => Command::Go(go(&rest)?),
        other => return Err(ParseError::UnknownCommand(quote(other))),
    }))
}

fn malformed(command: &'static str, problem: impl Into<String>) -> ParseError {
    ParseError::Malformed { command, problem: problem.into() }
}

/// The input in a message: short, and without control characters.
fn quote(text: &str) -> String {
    let clean = |c: char| if c.is_control() { '?' } else { c };
    let mut quoted: String = text.chars().take(QUOTE).map(clean).collect();
    if text.chars().count() > QUOTE {
        quoted.push_str("...");
    }
    quoted
}

fn debug(words: &[&str]) -> Result<Command, ParseError> {
    match words {
        ["on"] => Ok(Command::Debug(true)),
        ["off"] => Ok(Command::Debug(false)),
        _ => Err(malformed("debug", "say `debug on` or `debug off`")),
    }
}

/// `setoption name <words> [value <words>]`: both may contain spaces.
fn set_option(words: &[&str]) -> Result<Command, ParseError> {
    let Some((&"name", rest)) = words.split_first() else {
        return Err(malformed("setoption", "`name` is missing"));
    };
    let split = rest.iter().position(|word| *word == "value").unwrap_or(rest.len());
    let name = rest[..split].join(" ");
    if name.is_empty() {
        return Err(malformed("setoption", "the option's name is missing"));
    }
    let value = rest.get(split + 1..).unwrap_or(&[]).join(" ");
    Ok(Command::SetOption { name, value })
}

fn position(words: &[&str]) -> Result<Command, ParseError> {
    let split = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
    let start = match words[..split].split_first() {
        Some((&"startpos", [])) => StartPosition::Initial,
        Some((&"fen", fields)) if !fields.is_empty() => StartPosition::Fen(fields.join(" ")),
        _ => return Err(malformed("position", "say `position startpos` or `position fen FEN`")),
    };
    let moves = words.get(split + 1..).unwrap_or(&[]).iter().map(|m| m.to_string()).collect();
    Ok(Command::Position { start, moves })
}

fn go(words: &[&str]) -> Result<GoCommand, ParseError> {
    let mut command = GoCommand::default();
    let mut words = words.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => command.limits.infinite = true,
            "ponder" => command.limits.ponder = true,
            "searchmoves" => {
                while let Some(m) = words.next_if(|w| !GO_KEYWORDS.contains(w)) {
                    command.searchmoves.push(m.to_string());
                }
            }
            _ if !GO_KEYWORDS.contains(&word) => command.unknown.push(quote(word)),
            keyword => set_number(&mut command.limits, keyword, words.next())?,
        }
    }
    Ok(command)
}

fn set_number(limits: &mut Limits, keyword: &str, value: Option<&str>) -> Result<(), ParseError> {
    let text = value.ok_or_else(|| malformed("go", format!("{keyword} needs a number")))?;
    let number = whole_number(text)
        .ok_or_else(|| malformed("go", format!("{keyword} {} is not a number", quote(text))))?;
    let millis = Duration::from_millis(number);
    let small = u32::try_from(number).unwrap_or(u32::MAX);
    match keyword {
        "wtime" => limits.white = Some(millis),
        "btime" => limits.black = Some(millis),
        "winc" => limits.white_increment = millis,
        "binc" => limits.black_increment = millis,
        // `movestogo 0` is how some GUIs say that there is no such limit.
        "movestogo" => limits.movestogo = Some(small).filter(|n| *n > 0),
        "movetime" => limits.movetime = Some(millis),
        "nodes" => limits.nodes = Some(number),
        "depth" => limits.depth = Some(small),
        _ => limits.mate = Some(small),
    }
    Ok(())
}

/// Decimal digits with an optional sign. Negative numbers, which GUIs send when
/// a clock ran out, count as 0; too large ones as a hundred years.
fn whole_number(text: &str) -> Option<u64> {
    const HUNDRED_YEARS_MS: u64 = 3_155_760_000_000;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    if text.starts_with('-') {
        return Some(0);
    }
    Some(digits.parse::<u64>().map_or(HUNDRED_YEARS_MS, |n| n.min(HUNDRED_YEARS_MS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Command {
        parse(line).unwrap().unwrap()
    }

    #[test]
    fn options_with_spaces_on_both_sides() {
        assert_eq!(
            parsed("setoption name Debug Log File value C:\\My Games\\log.txt"),
            Command::SetOption {
                name: "Debug Log File".into(),
                value: "C:\\My Games\\log.txt".into()
            }
        );
        assert_eq!(
            parsed("setoption name Clear Hash"),
            Command::SetOption { name: "Clear Hash".into(), value: String::new() }
        );
    }

    #[test]
    fn positions() {
        assert_eq!(
            parsed("position startpos moves e2e4 e7e5"),
            Command::Position {
                start: StartPosition::Initial,
                moves: vec!["e2e4".into(), "e7e5".into()]
            }
        );
        let Command::Position { start, moves } = parsed("position fen 8/8/8/8/8/8/8/8 w - - 0 1")
        else {
            panic!()
        };
        assert_eq!(start, StartPosition::Fen("8/8/8/8/8/8/8/8 w - - 0 1".into()));
        assert!(moves.is_empty());
    }

    #[test]
    fn go_takes_everything_in_any_order() {
        let Command::Go(go) = parsed(
            "go ponder btime 300000 wtime -5 searchmoves e2e4 d2d4 depth 300 winc 10 binc 20 \
             movestogo 0 nodes 99999999999999999999999 mate 3 movetime 5 quickly infinite",
        ) else {
            panic!()
        };
        let limits = &go.limits;
        assert!(limits.ponder && limits.infinite);
        assert_eq!(limits.white, Some(Duration::ZERO));
        assert_eq!(limits.black, Some(Duration::from_secs(300)));
        assert_eq!(go.searchmoves, ["e2e4", "d2d4"]);
        assert_eq!((limits.depth, limits.mate, limits.movestogo), (Some(300), Some(3), None));
        assert_eq!(go.unknown, ["quickly"]);
    }

    #[test]
    fn bad_lines_are_refused_with_a_reason() {
        for line in [
            "go depth",
            "go depth many",
            "go wtime 1e5",
            "position",
            "position fen",
            "debug maybe",
            "setoption Hash 3",
            "setoption name value 3",
            "joho",
            "\u{0}\u{1}",
        ] {
            let message = parse(line).unwrap_err().to_string();
            assert!(!message.is_empty() && !message.contains('\u{0}'), "{line}");
        }
        let long = "x".repeat(100_000);
        assert!(parse(&long).unwrap_err().to_string().len() < 100);
    }
}
