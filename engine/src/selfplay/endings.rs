//! How games end: by the rules, by resignation, by adjudication.

use super::protocol::Resignation;
use super::settings::{Adjudicate, Resign, Verdict};
use crate::chess::{Line, RulesEnd};
use shakmaty::Color;

/// What ended a game, in the words of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// `None` is a draw.
    pub winner: Option<Color>,
    pub termination: &'static str,
}

impl End {
    /// As PGN has it.
    pub fn result(&self) -> &'static str {
        match self.winner {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        }
    }
}

/// What the rules say of the end of a line; `None` if the game goes on.
pub fn by_the_rules(line: &Line) -> Option<End> {
    let end = RulesEnd::of(line)?;
    let termination = match end {
        RulesEnd::Checkmate { .. } => "checkmate",
        RulesEnd::Stalemate => "stalemate",
        RulesEnd::Material => "insufficient material",
        RulesEnd::Repetition => "threefold repetition",
        RulesEnd::FiftyMoves => "fifty moves",
    };
    Some(End { winner: end.winner(), termination })
}

/// Watches the values of one game.
#[derive(Default)]
pub struct Watch {
    /// Moves in a row on which each side was hopeless, by `Color as usize`.
    hopeless: [u32; 2],
    /// Plies in a row on which a side was winning; the winner.
    winning: (u32, Option<Color>),
    drawn: u32,
    pub resignation: Option<Resignation>,
    /// Whether resignations are noted and not obeyed.
    plays_on: bool,
}

impl Watch {
    /// `dice` is uniform in 0 to 1 and decides whether the game is played on.
    pub fn new(resign: Option<&Resign>, dice: f64) -> Watch {
        let plays_on = resign.is_some_and(|resign| dice < f64::from(resign.play_on));
        Watch { plays_on, ..Watch::default() }
    }

    /// Hears what the side to move expects, before it moves.
    pub fn hear(
        &mut self,
        ply: u32,
        mover: Color,
        q: f32,
        resign: Option<&Resign>,
        adjudicate: &Adjudicate,
    ) -> Option<End> {
        if let Some(resign) = resign
            && let Some(end) = self.resigns(ply, mover, q, resign)
        {
            return Some(end);
        }
        self.verdicts(ply, mover, q, adjudicate)
    }

    fn resigns(&mut self, ply: u32, mover: Color, q: f32, resign: &Resign) -> Option<End> {
        let count = &mut self.hopeless[mover as usize];
        *count = if q <= -resign.value { *count + 1 } else { 0 };
        if *count < resign.moves || self.resignation.is_some() {
            return None;
        }
        self.resignation = Some(Resignation { ply, white: mover.is_white() });
        (!self.plays_on).then_some(End { winner: Some(!mover), termination: "resignation" })
    }

    fn verdicts(&mut self, ply: u32, mover: Color, q: f32, rules: &Adjudicate) -> Option<End> {
        let leader = if q >= 0.0 { mover } else { !mover };
        let holds = |verdict: &Option<Verdict>, fits: &dyn Fn(f32) -> bool| {
            let verdict = verdict.as_ref()?;
            verdict.limit(ply).filter(|limit| fits(*limit)).map(|_| verdict.plies)
        };
        // The plies in a row at which both sides' searches said the same.
        match holds(&rules.win, &|limit| q.abs() >= limit) {
            Some(plies) => {
                let before = if self.winning.1 == Some(leader) { self.winning.0 } else { 0 };
                self.winning = (before + 1, Some(leader));
                if self.winning.0 >= plies && !self.plays_on {
                    return Some(End { winner: Some(leader), termination: "adjudicated win" });
                }
            }
            None => self.winning = (0, None),
        }
        match holds(&rules.draw, &|limit| q.abs() <= limit) {
            Some(plies) => {
                self.drawn += 1;
                if self.drawn >= plies && !self.plays_on {
                    return Some(End { winner: None, termination: "adjudicated draw" });
                }
            }
            None => self.drawn = 0,
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESIGN: Resign = Resign { value: 0.9, moves: 2, play_on: 0.5 };

    fn play(watch: &mut Watch, values: &[f32], rules: &Adjudicate) -> Option<(usize, End)> {
        values.iter().enumerate().find_map(|(ply, q)| {
            let mover = if ply % 2 == 0 { Color::White } else { Color::Black };
            watch.hear(ply as u32, mover, *q, Some(&RESIGN), rules).map(|end| (ply, end))
        })
    }

    #[test]
    fn a_side_resigns_after_its_own_moves_in_a_row() {
        let mut watch = Watch::new(Some(&RESIGN), 0.9);
        // White is hopeless at plies 2 and 4; once in between does not count.
        let values = [-0.95, 0.9, -0.5, 0.9, -0.95, 0.9, -0.95];
        let (ply, end) = play(&mut watch, &values, &Adjudicate::default()).unwrap();
        assert_eq!((ply, end.winner), (6, Some(Color::Black)));
        assert_eq!(watch.resignation, Some(Resignation { ply: 6, white: true }));
    }

    #[test]
    fn a_game_that_is_played_on_notes_the_resignation() {
        let mut watch = Watch::new(Some(&RESIGN), 0.1);
        assert_eq!(play(&mut watch, &[-0.95, 0.9, -0.95, 0.9], &Adjudicate::default()), None);
        assert_eq!(watch.resignation, Some(Resignation { ply: 2, white: true }));
    }

    /// Won from 0.8 on, drawn up to 0.1, when that holds for three plies.
    fn rules() -> Adjudicate {
        let verdict =
            |value| Some(Verdict { value, plies: 3, from_ply: 0, to_ply: 0, final_value: None });
        Adjudicate { win: verdict(0.8), draw: verdict(0.1), ..Adjudicate::default() }
    }

    #[test]
    fn a_game_that_is_played_on_hears_no_verdict() {
        for values in [[0.85, -0.82, 0.85], [0.05, -0.1, 0.0]] {
            let end = |dice| play(&mut Watch::new(Some(&RESIGN), dice), &values, &rules());
            assert!(end(0.9).is_some(), "{values:?}");
            assert_eq!(end(0.1), None, "{values:?}");
        }
    }

    #[test]
    fn verdicts_need_both_sides() {
        let rules = rules();
        let watch = || Watch::new(None, 1.0);
        let (ply, end) = play(&mut watch(), &[0.85, -0.82, 0.85], &rules).unwrap();
        assert_eq!((ply, end.winner), (2, Some(Color::White)));
        // Black does not agree.
        assert_eq!(play(&mut watch(), &[0.85, -0.5, 0.85, -0.82], &rules), None);
        let (ply, end) = play(&mut watch(), &[0.5, 0.05, -0.1, 0.0], &rules).unwrap();
        assert_eq!((ply, end.winner), (3, None));
    }
}
