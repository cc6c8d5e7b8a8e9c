//! A root and the plies after it become a record.

use super::chance::{Purpose, random_move, stream};
use super::positions::Root;
use super::teacher::{Failure, Question, Teacher};
use super::{LabelError, SearchSettings};
use crate::interrupt;
use crate::shards::{Ply, Record};
use engine::chess::{Line, PackedMove};
use engine::search::Random;
use shakmaty::fen::Fen;
use shakmaty::{EnPassantMode, Move, Position};

/// What came of a root.
pub enum Outcome {
    /// With the FEN and the cause where the teacher failed on the way, if it did.
    Labeled {
        record: Box<Record>,
        cut: Option<(String, String)>,
    },
    Skipped {
        fen: String,
        cause: String,
    },
    /// The user interrupts: a segment cut short would not be the one that an
    /// undisturbed run has, so it is left for the next.
    Abandoned,
}

/// Labels the root with this number; an error when there is no teacher any more.
pub fn label_root(
    teacher: &mut Teacher,
    root: &Root,
    seed: u64,
    number: u64,
) -> Result<Outcome, LabelError> {
    let mut random = stream(seed, Purpose::Follow, number);
    let start_fen = fen(&root.position);
    let mode = root.position.castles().mode();
    let mut line = Line::new(root.position.clone());
    let (mut moves, mut plies) = (Vec::new(), Vec::<Ply>::new());
    let mut cut = None;
    // The move to the position at hand.
    let mut arrived_by = None;
    loop {
        let position = &line.last().position;
        let is_root = plies.is_empty();
        if !is_root && interrupt::requested() {
            return Ok(Outcome::Abandoned);
        }
        let question = Question { fen: &start_fen, moves: &moves, position, is_root };
        let label = match teacher.ask(&question) {
            Ok(label) => label,
            Err(Failure::Position(cause)) if is_root => {
                return Ok(Outcome::Skipped { fen: start_fen, cause });
            }
            Err(Failure::Position(cause)) => {
                cut = Some((fen(position), cause));
                break;
            }
            Err(Failure::Teacher(error)) => return Err(error),
        };
        if let Some(last) = plies.last_mut() {
            last.played = arrived_by;
        }
        plies.push(label.ply);
        if plies.len() > teacher.search.follow {
            break;
        }
        let m = choose(label.best, &line, teacher.search, &mut random);
        line.push(m);
        if is_over(&line) {
            break;
        }
        moves.push(m.to_uci(mode).to_string());
        arrived_by = Some(PackedMove::new(m));
    }
    let record = Record {
        group: root.group,
        start_fen,
        chess960: mode.is_chess960(),
        plies,
        source: root.source.clone(),
        seed: Some(seed),
        ..Record::default()
    };
    Ok(Outcome::Labeled { record: Box::new(record), cut })
}

fn choose(best: Move, line: &Line, search: &SearchSettings, random: &mut Random) -> Move {
    if random.unit() < search.follow_random {
        random_move(&line.last().position, random).unwrap_or(best)
    } else {
        best
    }
}

/// Nothing is left to be learned there.
fn is_over(line: &Line) -> bool {
    let last = line.last();
    last.position.is_game_over() || last.repetitions >= 2 || last.rule50() >= 100
}

fn fen(position: &shakmaty::Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}
