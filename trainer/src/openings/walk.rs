//! One line of a book: a named opening, played on with moves that a teacher finds
//! good enough.

use super::eco;
use super::{MakeSettings, Opening};
use crate::shards::Score;
use crate::uci::{Engine, Limit, UciError};
use engine::chess::parse_move;
use engine::search::Random;
use shakmaty::{Chess, Position};

/// A line and what the teacher thinks of it.
pub struct Candidate {
    pub opening: Opening,
    /// Centipawns, in the view of the side to move.
    pub balance: i32,
}

/// A line, or `None` when it ended in something that is no opening: mate, or a
/// score beyond the balance. Depends on the generator and the teacher alone.
pub fn walk(
    teacher: &mut Engine,
    settings: &MakeSettings,
    random: &mut Random,
) -> Result<Option<Candidate>, UciError> {
    let length = settings.shortest + random.below(settings.longest - settings.shortest + 1);
    let mut opening = begin(length, random);
    teacher.new_game()?;
    while opening.moves.len() < length {
        let line = opening.line();
        let limit = Limit::Nodes(settings.walk_nodes);
        let answer = teacher.search(line.start_fen(), line.moves(), limit)?;
        let Some(best) = answer.lines.first().and_then(|line| centipawns(line.score)) else {
            return Ok(None);
        };
        let good: Vec<_> = answer
            .lines
            .iter()
            .filter(|line| centipawns(line.score).is_some_and(|cp| cp >= best - settings.spread))
            .filter_map(|info| parse_move(line.position(), &info.pv[0]))
            .collect();
        match good.get(random.below(good.len())) {
            Some(m) => opening.moves.push(*m),
            None => return Ok(None),
        }
    }
    let line = opening.line();
    if line.position().is_game_over() {
        return Ok(None);
    }
    let limit = Limit::Nodes(settings.nodes);
    let answer = teacher.search(line.start_fen(), line.moves(), limit)?;
    let balance = answer.lines.first().and_then(|line| centipawns(line.score));
    let balance = balance.filter(|cp| cp.abs() <= settings.balance);
    Ok(balance.map(|balance| Candidate { opening, balance }))
}

/// One of the table's lines, as far as the length allows: openings that have a
/// name are those that people play.
fn begin(length: usize, random: &mut Random) -> Opening {
    let lines: Vec<eco::Named> = eco::lines().collect();
    let named = lines.get(random.below(lines.len()));
    let mut opening = named.and_then(|named| Opening::from_san(named.moves)).unwrap_or(Opening {
        start: Chess::default(),
        moves: Vec::new(),
        name: None,
    });
    opening.moves.truncate(length);
    opening
}

/// `None` for a mate.
fn centipawns(score: Score) -> Option<i32> {
    match score {
        Score::Centipawns(cp) => Some(cp),
        Score::Mate(_) => None,
    }
}
