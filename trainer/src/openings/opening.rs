//! One opening: a start position and moves from it.

use super::eco::name_of;
use crate::players::GameLine;
use shakmaty::san::{San, SanPlus};
use shakmaty::{Chess, Move, Position};

#[derive(Clone, Debug)]
pub struct Opening {
    pub start: Chess,
    pub moves: Vec<Move>,
    /// As the book has it.
    pub name: Option<String>,
}

impl Opening {
    /// Moves in SAN from the usual start; `None` when one of them is illegal.
    pub fn from_san(moves: &str) -> Option<Opening> {
        let mut position = Chess::default();
        let mut played = Vec::new();
        for word in moves.split_ascii_whitespace() {
            let san: San = word.trim_end_matches(['+', '#']).parse().ok()?;
            let m = san.to_move(&position).ok()?;
            position.play_unchecked(m);
            played.push(m);
        }
        Some(Opening { start: Chess::default(), moves: played, name: None })
    }

    /// In SAN.
    pub fn san(&self) -> String {
        let mut position = self.start.clone();
        let words =
            self.moves.iter().map(|m| SanPlus::from_move_and_play_unchecked(&mut position, *m));
        words.map(|word| word.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// The game so far, ready for the first move of a player.
    pub fn line(&self) -> GameLine {
        let mut line = GameLine::new(self.start.clone());
        for m in &self.moves {
            line.push(*m);
        }
        line
    }

    /// The book's name, or else the table's.
    pub fn title(&self) -> Option<String> {
        let known = || name_of(self.line().line()).map(|named| named.to_string());
        self.name.clone().or_else(known)
    }
}
