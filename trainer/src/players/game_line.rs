//! The game so far, as rules and engines need it.

use engine::chess::Line;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

/// A start position and the moves since, kept as positions and as UCI text.
#[derive(Clone, Debug)]
pub struct GameLine {
    line: Line,
    start_fen: String,
    moves: Vec<String>,
}

impl GameLine {
    pub fn new(start: Chess) -> GameLine {
        let start_fen = Fen::from_position(&start, EnPassantMode::Legal).to_string();
        GameLine { line: Line::new(start), start_fen, moves: Vec::new() }
    }

    /// Plays a legal move.
    pub fn push(&mut self, m: Move) {
        self.moves.push(m.to_uci(self.castling()).to_string());
        self.line.push(m);
    }

    /// The current position.
    pub fn position(&self) -> &Chess {
        &self.line.last().position
    }

    /// Every position from the start, with repetitions counted.
    pub fn line(&self) -> &Line {
        &self.line
    }

    pub fn start_fen(&self) -> &str {
        &self.start_fen
    }

    /// In UCI notation; castling is king takes rook in Chess960 only.
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    pub fn castling(&self) -> CastlingMode {
        self.position().castles().mode()
    }
}
