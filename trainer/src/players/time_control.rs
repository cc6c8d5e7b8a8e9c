//! How much a player may think.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Per game, or per move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TimeControl {
    /// Time for `moves` moves, or for the whole game, and time added per move.
    Clock {
        moves: Option<u32>,
        base: Duration,
        increment: Duration,
    },
    MoveTime(Duration),
    Nodes(u64),
    Depth(u32),
}

const EXPECTED: &str = "expected seconds with an increment such as 10+0.1, moves with a time such \
                        as 40/60, movetime=0.5 (seconds), nodes=800 or depth=6";

impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeControl, String> {
        let refuse = || format!("`{text}` is no time control: {EXPECTED}");
        let positive = |number: &str| number.parse().ok().filter(|number| *number > 0);
        if let Some((kind, number)) = text.split_once('=') {
            return match kind.trim() {
                "movetime" => {
                    seconds(number).filter(|time| !time.is_zero()).map(TimeControl::MoveTime)
                }
                "nodes" => positive(number).map(TimeControl::Nodes),
                "depth" => number.parse().ok().filter(|n| *n > 0).map(TimeControl::Depth),
                _ => None,
            }
            .ok_or_else(refuse);
        }
        let (moves, time) = match text.split_once('/') {
            Some((moves, time)) => (Some(moves), time),
            None => (None, text),
        };
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        let moves = match moves {
            None => None,
            Some(moves) => Some(moves.parse().ok().filter(|n| *n > 0).ok_or_else(refuse)?),
        };
        let base = seconds(base).filter(|base| !base.is_zero()).ok_or_else(refuse)?;
        let increment = seconds(increment).ok_or_else(refuse)?;
        Ok(TimeControl::Clock { moves, base, increment })
    }
}

/// Seconds, or minutes and seconds as `5:30`.
fn seconds(text: &str) -> Option<Duration> {
    let (minutes, seconds) = text.split_once(':').unwrap_or(("0", text));
    let minutes = f64::from(minutes.trim().parse::<u32>().ok()?);
    let total = minutes * 60.0 + seconds.trim().parse::<f64>().ok()?;
    // Clocks are told in milliseconds; less is a slip as well.
    if total > 0.0 && total < 0.001 {
        return None;
    }
    // Longer than a day is a slip.
    Duration::try_from_secs_f64(total).ok().filter(|time| *time <= Duration::from_secs(86_400))
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            TimeControl::Clock { moves, base, increment } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}", base.as_secs_f64())?;
                match increment.is_zero() {
                    true => Ok(()),
                    false => write!(f, "+{}", increment.as_secs_f64()),
                }
            }
            TimeControl::MoveTime(time) => write!(f, "movetime={}", time.as_secs_f64()),
            TimeControl::Nodes(nodes) => write!(f, "nodes={nodes}"),
            TimeControl::Depth(depth) => write!(f, "depth={depth}"),
        }
    }
}

impl TryFrom<String> for TimeControl {
    type Error = String;

    fn try_from(text: String) -> Result<TimeControl, String> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> String {
        control.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["10+0.1", "40/60+0.5", "300", "movetime=0.25", "nodes=800", "depth=6"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        assert_eq!("5:30+3".parse::<TimeControl>().unwrap().to_string(), "330+3");
    }

    #[test]
    fn nonsense_is_refused_with_examples() {
        for text in [
            "",
            "x",
            "0",
            "0+1",
            "-3",
            "0/60",
            "40/",
            "nodes=0",
            "movetime=0",
            "10+-1",
            "inf",
            "movetime=0.0004",
        ] {
            let refusal = text.parse::<TimeControl>().unwrap_err();
            assert!(refusal.contains("10+0.1"), "{text}: {refusal}");
        }
    }
}
