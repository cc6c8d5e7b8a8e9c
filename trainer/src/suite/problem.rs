//! One problem: a position and what is to be found there.

use crate::players::GameLine;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Move};

#[derive(Clone, Debug)]
pub struct Problem {
    pub id: String,
    /// Up to where the solver is to move; there is at least one legal move.
    pub start: GameLine,
    pub solution: Expected,
    /// How hard it is, on the scale of players' ratings.
    pub rating: Option<f64>,
    pub themes: Vec<String>,
}

/// What solves a problem. All moves are legal where they are to be played.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// One move: among `best` unless that is empty, and not among `avoid`.
    Choice { best: Vec<Move>, avoid: Vec<Move> },
    /// Solver and opponent in turn; the solver has the first and the last word.
    Line(Vec<Move>),
    /// One move, the better the more points it is worth; 0 to 1. There are at
    /// least two.
    Valued(Vec<(Move, f64)>),
}

impl Problem {
    /// The solution in SAN, for people to read.
    pub fn expected(&self) -> String {
        let mut position = self.start.position().clone();
        match &self.solution {
            Expected::Choice { best, avoid } => {
                let best = (!best.is_empty()).then(|| either(&position, best));
                let avoid =
                    (!avoid.is_empty()).then(|| format!("not {}", either(&position, avoid)));
                best.into_iter().chain(avoid).collect::<Vec<_>>().join(", ")
            }
            Expected::Valued(moves) => {
                let best = moves.iter().max_by(|a, b| a.1.total_cmp(&b.1));
                best.map_or(String::new(), |(m, _)| either(&position, &[*m]))
            }
            Expected::Line(moves) => {
                let play = |&m| SanPlus::from_move_and_play_unchecked(&mut position, m).to_string();
                moves.iter().map(play).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

fn either(position: &Chess, moves: &[Move]) -> String {
    let san = |&m| SanPlus::from_move(position.clone(), m).to_string();
    moves.iter().map(san).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::chess::{parse_fen, parse_move};

    fn expected(fen: &str, solution: impl Fn(&Chess) -> Expected) -> String {
        let position = parse_fen(fen, false).unwrap();
        let solution = solution(&position);
        let start = GameLine::new(position);
        Problem { id: "x".into(), start, solution, rating: None, themes: vec![] }.expected()
    }

    #[test]
    fn choices_name_both_kinds() {
        let rook = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1";
        let choice = |best: &[&str], avoid: &[&str]| {
            expected(rook, |position| {
                let moves = |texts: &[&str]| {
                    texts.iter().map(|text| parse_move(position, text).unwrap()).collect()
                };
                Expected::Choice { best: moves(best), avoid: moves(avoid) }
            })
        };
        assert_eq!(choice(&["a1a8", "e1c1"], &["a1a7"]), "Ra8# or O-O-O, not Ra7");
        assert_eq!(choice(&[], &["a1a7", "e1e2"]), "not Ra7 or Ke2");
        assert_eq!(choice(&["a1a8"], &[]), "Ra8#");
    }

    #[test]
    fn lines_are_read_on_from_move_to_move() {
        let text = expected("2r3k1/5ppp/8/8/8/8/4R3/4R1K1 w - - 0 1", |position| {
            let mut position = position.clone();
            let mut play = |text| {
                let m = parse_move(&position, text).unwrap();
                shakmaty::Position::play_unchecked(&mut position, m);
                m
            };
            Expected::Line(vec![play("e2e8"), play("c8e8"), play("e1e8")])
        });
        assert_eq!(text, "Re8+ Rxe8 Rxe8#");
    }
}
