//! The teacher: an engine that is asked, checked, and restarted when it fails.

use super::policy::{Evaluation, weights};
use super::{LabelError, SearchSettings, TeacherSettings};
use crate::shards::{Ply, PolicyTarget, SearchKind};
use crate::uci::{Answer, Engine, UciError};
use engine::chess::{PackedMove, parse_move};
use shakmaty::{Chess, Move, Position};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// How often a position may bring the teacher down.
const ATTEMPTS: usize = 3;
/// Starts in a row before the teacher is given up on, and the pause between.
const STARTS: usize = 3;
const PAUSE: Duration = Duration::from_millis(500);

pub struct Teacher<'a> {
    pub settings: &'a TeacherSettings,
    pub search: &'a SearchSettings,
    /// Counts, for all teachers together.
    pub restarts: &'a AtomicU64,
    pub engine: Option<Engine>,
    /// What `UCI_Chess960` is set to.
    pub chess960: bool,
}

/// A position, as the engine is to see it.
pub struct Question<'a> {
    pub fen: &'a str,
    pub moves: &'a [String],
    /// After those moves.
    pub position: &'a Chess,
    /// Unrelated to the question before.
    pub is_root: bool,
}

pub struct Label {
    pub best: Move,
    /// Without a played move.
    pub ply: Ply,
}

/// Why there is no label.
pub enum Failure {
    /// The position is to be left out.
    Position(String),
    /// There is no teacher any more.
    Teacher(LabelError),
}

impl Teacher<'_> {
    pub fn ask(&mut self, question: &Question) -> Result<Label, Failure> {
        let mut cause = String::new();
        for _ in 0..ATTEMPTS {
            let mut engine = match self.engine.take() {
                Some(engine) => engine,
                None => {
                    self.chess960 = false;
                    restart(self.settings, self.search).map_err(Failure::Teacher)?
                }
            };
            let chess960 = question.position.castles().mode().is_chess960();
            if chess960 && engine.option("UCI_Chess960").is_none() {
                self.engine = Some(engine);
                return Err(Failure::Position("the teacher does not play Chess960".to_string()));
            }
            match self.ask_once(&mut engine, question, chess960) {
                Ok(label) => {
                    self.engine = Some(engine);
                    return Ok(label);
                }
                Err(error) => {
                    cause = error.to_string();
                    self.restarts.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        Err(Failure::Position(cause))
    }

    fn ask_once(
        &mut self,
        engine: &mut Engine,
        question: &Question,
        chess960: bool,
    ) -> Result<Label, UciError> {
        if self.chess960 != chess960 {
            engine.set_option("UCI_Chess960", &chess960.to_string())?;
            self.chess960 = chess960;
        }
        if question.is_root && self.search.new_game {
            engine.new_game()?;
        }
        let answer = engine.search(question.fen, question.moves, self.search.limit)?;
        read(&answer, question.position, self.search)
    }
}

/// Starts the engine with all its options.
pub fn start(settings: &TeacherSettings, search: &SearchSettings) -> Result<Engine, LabelError> {
    let mut engine = Engine::start(&settings.command, settings.patience)?;
    for (name, value) in &settings.options {
        engine.set_option(name, value)?;
    }
    engine.set_option("UCI_ShowWDL", "true")?;
    if !engine.set_option("MultiPV", &search.multipv.to_string())? && search.multipv > 1 {
        return Err(LabelError::NoMultiPv { teacher: engine.name().to_string() });
    }
    engine.ready()?;
    Ok(engine)
}

/// After a failure; patient with what passes, such as a lack of memory.
fn restart(settings: &TeacherSettings, search: &SearchSettings) -> Result<Engine, LabelError> {
    let mut outcome = start(settings, search);
    for _ in 1..STARTS {
        if outcome.is_ok() {
            break;
        }
        thread::sleep(PAUSE);
        outcome = start(settings, search);
    }
    outcome
}

/// The label an answer amounts to; an error if it makes no sense here.
fn read(answer: &Answer, position: &Chess, search: &SearchSettings) -> Result<Label, UciError> {
    let legal = |text: &str| {
        parse_move(position, text).ok_or_else(|| UciError::Nonsense {
            to: "go".to_string(),
            answer: format!("{text}, an illegal move"),
        })
    };
    let best = legal(&answer.best)?;
    let mut moves: Vec<Move> = Vec::new();
    let mut evaluations = Vec::new();
    for line in &answer.lines {
        let m = legal(&line.pv[0])?;
        if !moves.contains(&m) {
            moves.push(m);
            evaluations.push(Evaluation::new(line.score, line.wdl));
        }
    }
    if let Some(first) = evaluations.first().copied()
        && !moves.contains(&best)
    {
        // Played without a line of its own: the teacher holds it for no worse
        // than the best line it showed.
        moves.insert(0, best);
        evaluations.insert(0, first);
    }
    moves.truncate(search.multipv);
    evaluations.truncate(search.multipv);
    let target = |m: Move, weight, value| PolicyTarget {
        m: PackedMove::new(m),
        weight,
        visits: None,
        prior: None,
        value,
    };
    let weights = weights(&evaluations, search.policy);
    let mut policy: Vec<PolicyTarget> = moves
        .iter()
        .zip(&evaluations)
        .zip(weights)
        .map(|((m, evaluation), weight)| target(*m, weight, Some(evaluation.value())))
        .collect();
    if policy.is_empty() {
        policy.push(target(best, 1.0, None));
    }
    let first = evaluations.first();
    let ply = Ply {
        policy,
        wdl: first.map(|evaluation| evaluation.wdl),
        score: first.map(|evaluation| evaluation.score),
        kind: SearchKind::Teacher,
        ..Ply::default()
    };
    Ok(Label { best, ply })
}

#[cfg(test)]
mod tests {
    use super::super::policy::{Basis, PolicySettings};
    use super::*;
    use crate::shards::Score;
    use crate::uci::{Info, Limit};

    fn search(multipv: usize) -> SearchSettings {
        SearchSettings {
            limit: Limit::Nodes(1),
            multipv,
            policy: PolicySettings { basis: Basis::Centipawns, temperature: 50.0 },
            follow: 0,
            follow_random: 0.0,
            new_game: false,
        }
    }

    fn label(best: &str, lines: &[&str], multipv: usize) -> Result<Label, UciError> {
        let lines = lines.iter().map(|line| Info::parse(&format!("info {line}")).unwrap());
        let answer = Answer { best: best.to_string(), lines: lines.collect() };
        read(&answer, &Chess::default(), &search(multipv))
    }

    #[test]
    fn a_soft_policy_keeps_the_value_of_each_move() {
        let lines = ["score cp 40 wdl 300 600 100 pv e2e4", "score cp -10 wdl 100 700 200 pv d2d4"];
        let label = label("e2e4", &lines, 2).unwrap();
        let ply = label.ply;
        assert_eq!((ply.score, ply.wdl), (Some(Score::Centipawns(40)), Some([0.3, 0.6, 0.1])));
        assert_eq!((ply.kind, ply.played), (SearchKind::Teacher, None));
        let values: Vec<f32> = ply.policy.iter().map(|t| t.value.unwrap()).collect();
        assert!((values[0] - 0.2).abs() < 1e-6 && (values[1] + 0.1).abs() < 1e-6);
        assert!((ply.policy[0].weight / ply.policy[1].weight - 1.0_f32.exp()).abs() < 1e-3);
        assert_eq!(ply.policy[0].m, PackedMove::new(label.best));
    }

    #[test]
    fn a_best_move_without_a_line_takes_the_first_place() {
        let label = label("g1f3", &["score cp 40 pv e2e4"], 1).unwrap();
        assert_eq!(label.ply.policy.len(), 1);
        assert_eq!(label.ply.policy[0].m, PackedMove::new(label.best));
        assert_eq!(label.ply.score, Some(Score::Centipawns(40)));
    }

    #[test]
    fn without_scores_the_move_alone_is_learned() {
        let label = label("g1f3", &[], 1).unwrap();
        assert_eq!((label.ply.policy.len(), label.ply.wdl, label.ply.score), (1, None, None));
    }

    #[test]
    fn illegal_moves_are_nonsense() {
        assert!(label("e2e5", &[], 1).is_err());
        assert!(label("e2e4", &["score cp 1 pv e7e5"], 1).is_err());
    }
}
