//! When a game is over: by the rules of chess, or because its result is clear.

use super::record::Ending;
use crate::players::GameLine;
use crate::shards::{Outcome, Score};
use engine::chess::RulesEnd;
use engine::tablebase::{Tablebases, Wdl};
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Position};

/// Games that need not be played to their end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Adjudication {
    pub draw: Option<DrawRule>,
    pub win: Option<WinRule>,
    /// A draw after so many moves.
    pub max_moves: Option<u32>,
    /// Folders of Syzygy tables.
    pub syzygy: Option<String>,
}

/// A draw once both players have scored every one of their last `moves` moves
/// within `score` centipawns of equality, not before move `after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRule {
    pub after: u32,
    pub moves: u32,
    pub score: i32,
}

/// A win once both players agree, for `moves` moves each, that one of them is
/// ahead by `score` centipawns or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WinRule {
    pub moves: u32,
    pub score: i32,
}

/// Watches one game.
pub struct Judge<'a> {
    rules: &'a Adjudication,
    tables: Option<&'a Tablebases>,
    /// Plies in a row that were scored as level.
    level: u32,
    /// The side that is ahead by all scores of so many plies in a row.
    ahead: Option<(Color, u32)>,
    played: u32,
}

impl<'a> Judge<'a> {
    pub fn new(rules: &'a Adjudication, tables: Option<&'a Tablebases>) -> Judge<'a> {
        Judge { rules, tables, level: 0, ahead: None, played: 0 }
    }

    /// Takes note of a move, scored in the mover's view.
    pub fn note(&mut self, mover: Color, score: Option<Score>) {
        self.played += 1;
        let centipawns = score.map(|score| match score {
            Score::Centipawns(cp) => cp,
            Score::Mate(moves) if moves > 0 => i32::MAX,
            Score::Mate(_) => -i32::MAX,
        });
        let within = |rule: DrawRule| {
            centipawns.is_some_and(|cp| cp.unsigned_abs() <= rule.score.unsigned_abs())
        };
        self.level = if self.rules.draw.is_some_and(within) { self.level + 1 } else { 0 };
        let leader = self.rules.win.and_then(|rule| match centipawns? {
            cp if cp >= rule.score => Some(mover),
            cp if cp <= -rule.score => Some(!mover),
            _ => None,
        });
        self.ahead = leader.map(|leader| match self.ahead {
            Some((same, plies)) if same == leader => (leader, plies + 1),
            _ => (leader, 1),
        });
    }

    /// How the game has ended, if it has.
    pub fn verdict(&self, game: &GameLine) -> Option<(Outcome, Ending)> {
        by_rules(game).or_else(|| self.adjudicated(game))
    }

    fn adjudicated(&self, game: &GameLine) -> Option<(Outcome, Ending)> {
        let position = game.position();
        if let Some(probe) = self.tables.and_then(|tables| tables.probe_root(position)) {
            let outcome = match probe.result {
                Wdl::Win => won_by(position.turn()),
                Wdl::Loss => won_by(!position.turn()),
                _ => Outcome::Draw,
            };
            return Some((outcome, Ending::Tablebase));
        }
        if let (Some(rule), Some((leader, plies))) = (self.rules.win, self.ahead)
            && plies / 2 >= rule.moves
        {
            return Some((won_by(leader), Ending::AgreedWin));
        }
        if let Some(rule) = self.rules.draw
            && position.fullmoves().get() > rule.after
            && self.level / 2 >= rule.moves
        {
            return Some((Outcome::Draw, Ending::AgreedDraw));
        }
        let limit = self.rules.max_moves.map(|moves| moves.saturating_mul(2));
        (limit.is_some_and(|limit| self.played >= limit))
            .then_some((Outcome::Draw, Ending::MoveLimit))
    }
}

fn by_rules(game: &GameLine) -> Option<(Outcome, Ending)> {
    let end = RulesEnd::of(game.line())?;
    let ending = match end {
        RulesEnd::Checkmate { .. } => Ending::Checkmate,
        RulesEnd::Stalemate => Ending::Stalemate,
        RulesEnd::Material => Ending::Material,
        RulesEnd::Repetition => Ending::Repetition,
        RulesEnd::FiftyMoves => Ending::FiftyMoves,
    };
    Some((end.winner().map_or(Outcome::Draw, won_by), ending))
}

pub fn won_by(color: Color) -> Outcome {
    color.fold_wb(Outcome::White, Outcome::Black)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::chess::{parse_fen, parse_move};
    use shakmaty::Chess;

    fn game(fen: &str, moves: &str) -> GameLine {
        let mut game = GameLine::new(parse_fen(fen, false).unwrap());
        for text in moves.split_whitespace() {
            let m = parse_move(game.position(), text).unwrap();
            game.push(m);
        }
        game
    }

    fn ending(rules: &Adjudication, scores: &[i32]) -> Option<(Outcome, Ending)> {
        let mut judge = Judge::new(rules, None);
        let mut mover = Color::White;
        for cp in scores {
            judge.note(mover, Some(Score::Centipawns(*cp)));
            mover = !mover;
        }
        judge.verdict(&GameLine::new(Chess::default()))
    }

    #[test]
    fn the_rules_of_chess() {
        let rules = Adjudication::default();
        let judge = Judge::new(&rules, None);
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for (fen, moves, expected) in [
            (start, "f2f3 e7e5 g2g4 d8h4", Some((Outcome::Black, Ending::Checkmate))),
            ("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "g5g6", Some((Outcome::Draw, Ending::Stalemate))),
            ("8/8/4k3/8/8/3nK3/8/8 w - - 0 1", "e3d3", Some((Outcome::Draw, Ending::Material))),
            (
                "4k3/4p3/8/8/8/8/4P3/4K3 w - - 99 80",
                "e1d1",
                Some((Outcome::Draw, Ending::FiftyMoves)),
            ),
            ("4k3/4p3/8/8/8/8/4P3/4K3 w - - 97 80", "e1d1", None),
            (
                start,
                "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
                Some((Outcome::Draw, Ending::Repetition)),
            ),
            (start, "g1f3 g8f6 f3g1 f6g8", None),
        ] {
            assert_eq!(judge.verdict(&game(fen, moves)), expected, "{fen} {moves}");
        }
    }

    #[test]
    fn a_win_needs_both_players() {
        let win = Some(WinRule { moves: 2, score: 500 });
        let rules = Adjudication { win, ..Adjudication::default() };
        let white = Some((Outcome::White, Ending::AgreedWin));
        assert_eq!(ending(&rules, &[600, -600, 700, -500]), white);
        assert_eq!(ending(&rules, &[600, -600, 700]), None);
        assert_eq!(ending(&rules, &[600, -400, 700, -600, 700]), None);
        // Each believes to be ahead.
        assert_eq!(ending(&rules, &[600, 600, 600, 600, 600]), None);
        let black = Some((Outcome::Black, Ending::AgreedWin));
        assert_eq!(ending(&rules, &[0, 500, -500, 500, -500]), black);
    }

    #[test]
    fn a_draw_needs_time_and_both_players() {
        let draw = Some(DrawRule { after: 0, moves: 2, score: 10 });
        let rules = Adjudication { draw, ..Adjudication::default() };
        assert_eq!(ending(&rules, &[5, -5, 10, 0]), Some((Outcome::Draw, Ending::AgreedDraw)));
        assert_eq!(ending(&rules, &[5, -5, 11, 0]), None);
        let draw = Some(DrawRule { after: 30, moves: 2, score: 10 });
        let early = Adjudication { draw, ..Adjudication::default() };
        assert_eq!(ending(&early, &[5, -5, 10, 0]), None);
    }

    #[test]
    fn a_game_can_be_too_long() {
        let rules = Adjudication { max_moves: Some(2), ..Adjudication::default() };
        assert_eq!(ending(&rules, &[0, 0, 0]), None);
        assert_eq!(ending(&rules, &[0, 0, 0, 0]), Some((Outcome::Draw, Ending::MoveLimit)));
    }
}
