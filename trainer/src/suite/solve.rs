//! One player before one problem.

use super::{Expected, Problem};
use crate::players::{Fault, GameLine, Player, mates};
use crate::uci::Limit;
use serde::Serialize;
use shakmaty::Move;
use std::time::Instant;

/// Starts a player.
pub type Start<'a> = dyn Fn() -> Result<Box<dyn Player>, Fault> + Sync + 'a;

/// A move that gives away less than this counts as the best: labels are no
/// better than that.
const GOOD_ENOUGH: f64 = 0.005;

/// How a player did on one problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attempt {
    pub id: String,
    pub solved: bool,
    /// Points, where the moves have values; 0 for the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_away: Option<f64>,
    /// The player's moves in UCI notation, up to the first wrong one.
    pub played: Vec<String>,
    /// The solution in SAN.
    pub expected: String,
    /// Of all moves together; `None` if the player tells of none.
    pub nodes: Option<u64>,
    /// Spent thinking.
    pub seconds: f64,
    pub fault: Option<String>,
}

/// A player's seat: whoever had a fault is replaced before the next problem.
pub struct Solver<'a> {
    start: &'a Start<'a>,
    limit: Limit,
    player: Option<Box<dyn Player>>,
}

impl<'a> Solver<'a> {
    /// The player is started when it is first needed.
    pub fn new(start: &'a Start<'a>, limit: Limit) -> Solver<'a> {
        Solver { start, limit, player: None }
    }

    /// The error is that no player can be started; faults on the way are part of
    /// the attempt.
    pub fn solve(&mut self, problem: &Problem, seed: u64) -> Result<Attempt, Fault> {
        let mut player = match self.player.take() {
            Some(player) => player,
            None => (self.start)()?,
        };
        let attempt = attempt(player.as_mut(), problem, self.limit, seed);
        if attempt.fault.is_none() {
            self.player = Some(player);
        }
        Ok(attempt)
    }
}

/// Sets the problem to the player. A fault leaves it unsolved.
pub fn attempt(player: &mut dyn Player, problem: &Problem, limit: Limit, seed: u64) -> Attempt {
    let attempt = Attempt {
        id: problem.id.clone(),
        solved: false,
        given_away: None,
        played: Vec::new(),
        expected: problem.expected(),
        nodes: None,
        seconds: 0.0,
        fault: None,
    };
    let mut sitting = Sitting { player, limit, attempt };
    match sitting.solve(problem, seed) {
        Ok(solved) => sitting.attempt.solved = solved,
        Err(fault) => sitting.attempt.fault = Some(fault.to_string()),
    }
    sitting.attempt
}

/// An attempt under way.
struct Sitting<'a> {
    player: &'a mut dyn Player,
    limit: Limit,
    attempt: Attempt,
}

impl Sitting<'_> {
    fn solve(&mut self, problem: &Problem, seed: u64) -> Result<bool, Fault> {
        self.player.new_game(seed)?;
        let mut game = problem.start.clone();
        match &problem.solution {
            Expected::Choice { best, avoid } => {
                let m = self.ask(&game)?;
                Ok((best.is_empty() || best.contains(&m)) && !avoid.contains(&m))
            }
            Expected::Valued(moves) => {
                let m = self.ask(&game)?;
                let given_away = given_away(moves, m);
                self.attempt.given_away = Some(given_away);
                Ok(given_away < GOOD_ENOUGH)
            }
            Expected::Line(line) => {
                for turn in line.chunks(2) {
                    let m = self.ask(&game)?;
                    // Lichess's rule: there may be several mates, and each wins.
                    if mates(game.position(), m) {
                        return Ok(true);
                    }
                    if turn.first() != Some(&m) {
                        return Ok(false);
                    }
                    turn.iter().for_each(|&m| game.push(m));
                }
                Ok(true)
            }
        }
    }

    fn ask(&mut self, game: &GameLine) -> Result<Move, Fault> {
        let begun = Instant::now();
        let thought = self.player.think(game, self.limit);
        self.attempt.seconds += begun.elapsed().as_secs_f64();
        let thought = thought?;
        if let Some(nodes) = thought.nodes {
            *self.attempt.nodes.get_or_insert(0) += nodes;
        }
        self.attempt.played.push(thought.best.to_uci(game.castling()).to_string());
        Ok(thought.best)
    }
}

/// A move without a value was not worth one: it counts as the worst that has.
fn given_away(moves: &[(Move, f64)], m: Move) -> f64 {
    let values = moves.iter().map(|(_, value)| *value);
    let best = values.clone().fold(f64::NEG_INFINITY, f64::max);
    let worst = values.fold(f64::INFINITY, f64::min);
    let value = moves.iter().find(|(known, _)| *known == m).map_or(worst, |(_, value)| *value);
    best - value
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{NODES, Scripted};
    use super::*;
    use crate::suite::read;
    use engine::chess::parse_move;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const LIMIT: Limit = Limit::Nodes(100);
    /// Two rooks and the queen bear on e8, where one rook defends.
    const PUZZLE: &str = "a,2r3k1/p3Rppp/8/8/Q7/8/5PPP/4R1K1 b - - 0 1,a7a6 e7e8 c8e8 e1e8";
    const FIRST: &str = "2r3k1/4Rppp/p7/8/Q7/8/5PPP/4R1K1 w - - 0 2";
    const SECOND: &str = "4r1k1/5ppp/p7/8/Q7/8/5PPP/4R1K1 w - - 0 3";

    fn epd(line: &str) -> Problem {
        read("epd", line.as_bytes(), false).unwrap().problems.remove(0)
    }

    fn puzzle(row: &str) -> Problem {
        let text = format!("PuzzleId,FEN,Moves\n{row}");
        read("csv", text.as_bytes(), false).unwrap().problems.remove(0)
    }

    fn answer(problem: &Problem, table: &[(&str, &str)]) -> Attempt {
        attempt(&mut Scripted::new(table), problem, LIMIT, 7)
    }

    #[test]
    fn a_choice_is_one_move() {
        let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
        let solved = |operations: &str, m: &str| {
            answer(&epd(&format!("{fen} {operations}")), &[(fen, m)]).solved
        };
        for (operations, m, expected) in [
            ("bm Ra8 Ra7;", "a1a8", true),
            ("bm Ra8 Ra7;", "a1a7", true),
            ("bm Ra8 Ra7;", "a1a6", false),
            ("am Ra8;", "a1a7", true),
            ("am Ra8;", "a1a8", false),
            ("bm Ra8; am Ra7;", "a1a8", true),
            ("bm Ra8; am Ra7;", "a1a7", false),
            ("bm Ra8; am Ra7;", "a1a6", false),
            // Mates count only where they are asked for.
            ("bm Ra7;", "a1a8", false),
        ] {
            assert_eq!(solved(operations, m), expected, "{operations} {m}");
        }
    }

    #[test]
    fn values_say_what_a_move_gives_away() {
        let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
        let mut problem = epd(&format!("{fen} bm Ra8;"));
        let position = problem.start.position().clone();
        let moves = [("a1a8", 1.0), ("a1a7", 0.75), ("a1a2", 0.998)];
        let value = |(text, value)| (parse_move(&position, text).unwrap(), value);
        problem.solution = Expected::Valued(moves.map(value).to_vec());
        for (m, given_away, solved) in
            [("a1a8", 0.0, true), ("a1a7", 0.25, false), ("g1h1", 0.25, false)]
        {
            let attempt = answer(&problem, &[(fen, m)]);
            assert_eq!((attempt.given_away, attempt.solved), (Some(given_away), solved), "{m}");
            assert_eq!(attempt.expected, "Ra8#");
        }
        assert!(answer(&problem, &[(fen, "a1a2")]).solved);
        let fault = answer(&problem, &[(fen, "crash")]);
        assert_eq!((fault.given_away, fault.solved), (None, false));
    }

    #[test]
    fn every_move_of_a_line_is_to_be_found() {
        let problem = puzzle(PUZZLE);
        let found = answer(&problem, &[(FIRST, "e7e8"), (SECOND, "e1e8")]);
        assert!(found.solved);
        assert_eq!(found.played, ["e7e8", "e1e8"]);
        assert_eq!(found.expected, "Re8+ Rxe8 Rxe8#");
        assert_eq!((found.nodes, found.fault), (Some(2 * NODES), None));
        let missed = answer(&problem, &[(FIRST, "e7e8"), (SECOND, "e1d1")]);
        assert!(!missed.solved);
        assert_eq!(missed.played, ["e7e8", "e1d1"]);
        let missed = answer(&problem, &[(FIRST, "e7e6")]);
        assert!(!missed.solved);
        assert_eq!((missed.played.len(), missed.fault), (1, None));
    }

    #[test]
    fn any_mate_solves_a_puzzle() {
        let problem = puzzle(PUZZLE);
        assert!(answer(&problem, &[(FIRST, "e7e8"), (SECOND, "a4e8")]).solved);
        let problem = puzzle("b,7k/2p3pp/8/8/8/8/8/RR4K1 b - - 0 1,c7c6 a1a2 h8g8 b1b2");
        let first = "7k/6pp/2p5/8/8/8/8/RR4K1 w - - 0 2";
        let mated = answer(&problem, &[(first, "b1b8")]);
        assert!(mated.solved);
        assert_eq!(mated.played, ["b1b8"]);
        assert!(!answer(&problem, &[(first, "b1b7")]).solved);
    }

    #[test]
    fn castling_is_written_as_the_position_writes_it() {
        let standard = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        let chess960 = "4k3/8/8/8/8/8/8/1R2K2R w HB - 0 1";
        for (fen, played) in [(standard, "e1g1"), (chess960, "e1h1")] {
            let attempt = answer(&epd(&format!("{fen} bm O-O;")), &[(fen, "e1h1")]);
            assert!(attempt.solved, "{fen}");
            assert_eq!(attempt.played, [played]);
        }
    }

    #[test]
    fn faults_leave_a_problem_unsolved() {
        let faulted = answer(&puzzle(PUZZLE), &[(FIRST, "e7e8"), (SECOND, "crash")]);
        assert!(!faulted.solved);
        assert_eq!(faulted.fault.as_deref(), Some("crash"));
        assert_eq!((faulted.played, faulted.nodes), (vec!["e7e8".to_string()], Some(NODES)));
    }

    #[test]
    fn whoever_had_a_fault_is_replaced() {
        let started = AtomicUsize::new(0);
        let start = || -> Result<Box<dyn Player>, Fault> {
            match started.fetch_add(1, Ordering::Relaxed) {
                0 => Ok(Box::new(Scripted::new(&[(FIRST, "e7e8"), (SECOND, "crash")]))),
                1 => Ok(Box::new(Scripted::new(&[(FIRST, "e7e8"), (SECOND, "e1e8")]))),
                _ => Err(Fault::Crash("gone".into())),
            }
        };
        let mut solver = Solver::new(&start, LIMIT);
        let problem = puzzle(PUZZLE);
        assert!(solver.solve(&problem, 1).unwrap().fault.is_some());
        assert!(solver.solve(&problem, 2).unwrap().solved);
        assert!(solver.solve(&problem, 3).unwrap().solved);
        assert_eq!(started.load(Ordering::Relaxed), 2);
        let unknown = epd("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8;");
        assert!(solver.solve(&unknown, 4).unwrap().fault.is_some());
        assert_eq!(solver.solve(&problem, 5), Err(Fault::Crash("gone".into())));
    }
}
