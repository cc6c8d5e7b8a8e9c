//! Plays a record through: each ply with the line of positions before it.

use super::{Ply, Record};
use engine::chess::{FenError, Line, PackedMove, parse_fen};
use shakmaty::{Chess, Move, Position};
use thiserror::Error;

/// Why a record cannot be played through.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ReplayError {
    #[error("start FEN {fen:?} is {cause}")]
    Start { fen: String, cause: FenError },
    #[error("ply {ply}: {m} is not legal")]
    IllegalMove { ply: usize, m: String },
    #[error("ply {ply}: no move, though the record goes on")]
    MissingMove { ply: usize },
}

/// A record under way; [`advance`](Self::advance) goes from ply to ply.
///
/// ```
/// use trainer::shards::{Record, Replay};
///
/// # fn plies(record: &Record) -> Result<(), trainer::shards::ReplayError> {
/// let mut replay = Replay::new(record)?;
/// while let Some(step) = replay.advance()? {
///     println!("{}: {:?}", step.index, step.line.last().position);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Replay<'a> {
    record: &'a Record,
    line: Line,
    next: usize,
    /// The move of the ply that was shown last; it is on the line from the next on.
    pending: Option<Move>,
}

/// One ply of a record.
pub struct Step<'a, 'r> {
    /// Counts from 0.
    pub index: usize,
    /// From the record's start to the position of this ply.
    pub line: &'r Line,
    pub ply: &'a Ply,
    /// The ply's move, known to be legal.
    pub played: Option<Move>,
}

impl<'a> Replay<'a> {
    pub fn new(record: &'a Record) -> Result<Replay<'a>, ReplayError> {
        let start = parse_fen(&record.start_fen, record.chess960)
            .map_err(|cause| ReplayError::Start { fen: record.start_fen.clone(), cause })?;
        Ok(Replay { record, line: Line::new(start), next: 0, pending: None })
    }

    /// The next ply; `None` after the last.
    pub fn advance(&mut self) -> Result<Option<Step<'a, '_>>, ReplayError> {
        if let Some(m) = self.pending.take() {
            self.line.push(m);
        }
        let index = self.next;
        let Some(ply) = self.record.plies.get(index) else { return Ok(None) };
        if let Some(packed) = ply.played {
            self.pending = Some(
                legal(packed, &self.line.last().position)
                    .ok_or_else(|| ReplayError::IllegalMove { ply: index, m: describe(packed) })?,
            );
        } else if index + 1 < self.record.plies.len() {
            return Err(ReplayError::MissingMove { ply: index });
        }
        self.next += 1;
        Ok(Some(Step { index, line: &self.line, ply, played: self.pending }))
    }
}

/// The move, if it is legal here and its code is the one that legal move has.
pub(super) fn legal(packed: PackedMove, position: &Chess) -> Option<Move> {
    let m = packed.unpack(position);
    (PackedMove::new(m) == packed && position.is_legal(m)).then_some(m)
}

/// A move that may be none on any board.
pub(super) fn describe(packed: PackedMove) -> String {
    let promotion = packed.promotion().map_or(String::new(), |role| role.char().to_string());
    format!("{}{}{promotion} (code {})", packed.from(), packed.to(), packed.0)
}
