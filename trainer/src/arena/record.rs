//! A finished game, as the journal keeps it: one line of JSON.

use crate::shards::{Outcome, Score};
use crate::statistics::GameResult;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// In the order of the schedule, from 0. Two games after each other, of
    /// which the first has an even number, are a pair.
    pub game: u64,
    pub white: String,
    pub black: String,
    pub opening: OpeningRecord,
    /// What the players did after the opening.
    pub moves: Vec<MoveRecord>,
    #[serde(serialize_with = "outcome_text", deserialize_with = "outcome")]
    pub result: Outcome,
    pub ending: Ending,
    /// What went wrong, in the words of the one who noticed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Seconds since 1970.
    pub started: u64,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpeningRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub fen: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub chess960: bool,
    /// In UCI notation.
    pub moves: Vec<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// The names are short because there are millions of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// In UCI notation.
    pub m: String,
    /// Centipawns, in the mover's view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Microseconds.
    pub us: u64,
}

impl MoveRecord {
    pub fn score(&self) -> Option<Score> {
        self.mate.map(Score::Mate).or(self.cp.map(Score::Centipawns))
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    Checkmate,
    Stalemate,
    Material,
    Repetition,
    FiftyMoves,
    AgreedWin,
    AgreedDraw,
    Tablebase,
    MoveLimit,
    TimeLoss,
    IllegalMove,
    Crash,
    Hang,
}

impl Ending {
    /// Whether the loser failed rather than was beaten.
    pub fn is_fault(self) -> bool {
        matches!(self, Ending::TimeLoss | Ending::IllegalMove | Ending::Crash | Ending::Hang)
    }

    pub fn text(self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::Material => "insufficient material",
            Ending::Repetition => "threefold repetition",
            Ending::FiftyMoves => "fifty-move rule",
            Ending::AgreedWin => "adjudication: both agree on a win",
            Ending::AgreedDraw => "adjudication: both agree on a draw",
            Ending::Tablebase => "adjudication: tablebase",
            Ending::MoveLimit => "adjudication: move limit",
            Ending::TimeLoss => "time loss",
            Ending::IllegalMove => "illegal move",
            Ending::Crash => "crash",
            Ending::Hang => "no answer",
        }
    }
}

impl GameRecord {
    /// In White's view.
    pub fn white_result(&self) -> GameResult {
        match self.result {
            Outcome::White => GameResult::Win,
            Outcome::Black => GameResult::Loss,
            Outcome::Draw | Outcome::Unknown => GameResult::Draw,
        }
    }

    /// The player who lost.
    pub fn loser(&self) -> Option<&str> {
        match self.result {
            Outcome::White => Some(&self.black),
            Outcome::Black => Some(&self.white),
            Outcome::Draw | Outcome::Unknown => None,
        }
    }
}

fn outcome_text<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(outcome.text())
}

fn outcome<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
    let text = String::deserialize(deserializer)?;
    Outcome::parse(&text)
        .filter(|outcome| *outcome != Outcome::Unknown)
        .ok_or_else(|| D::Error::custom(format!("`{text}` is no result of a finished game")))
}
