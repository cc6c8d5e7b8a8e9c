//! How games end by the rules.

use super::Line;
use shakmaty::{Color, Position};

/// A position that has been there so often before ends the game.
const REPETITIONS: u8 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulesEnd {
    Checkmate { winner: Color },
    Stalemate,
    Material,
    Repetition,
    FiftyMoves,
}

impl RulesEnd {
    /// What the rules say of the end of a line; `None` if the game goes on. A mate
    /// on the hundredth ply counts.
    pub fn of(line: &Line) -> Option<RulesEnd> {
        let last = line.last();
        let position = &last.position;
        if line.legal_moves().is_empty() {
            return Some(match position.is_check() {
                true => RulesEnd::Checkmate { winner: !position.turn() },
                false => RulesEnd::Stalemate,
            });
        }
        if position.is_insufficient_material() {
            Some(RulesEnd::Material)
        } else if last.repetitions >= REPETITIONS {
            Some(RulesEnd::Repetition)
        } else if position.halfmoves() >= 100 {
            Some(RulesEnd::FiftyMoves)
        } else {
            None
        }
    }

    /// `None` is a draw.
    pub fn winner(self) -> Option<Color> {
        match self {
            RulesEnd::Checkmate { winner } => Some(winner),
            _ => None,
        }
    }
}
