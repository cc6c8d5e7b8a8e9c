//! Matches of a generation: the gate that decides, and the opponents that are
//! only watched.

use super::LoopError;
use super::config::{Gate, LoopConfig, Opponent};
use super::contest::{Contest, network};
use super::folder::Folder;
use super::state::{MatchResult, State};
use crate::arena::{Format, Report};
use crate::players::{Programs, TimeControl};
use crate::statistics::{Decision, Pairs, Sprt};

pub struct Judge<'a> {
    pub config: &'a LoopConfig,
    pub folder: &'a Folder,
    pub programs: &'a Programs,
}

/// What the gate said.
pub struct Verdict {
    pub accepted: bool,
    /// Against the best network so far, and perhaps against the start.
    pub results: Vec<MatchResult>,
}

impl Verdict {
    /// Without a match.
    pub fn given(accepted: bool) -> Verdict {
        Verdict { accepted, results: Vec::new() }
    }
}

/// A match to play.
struct Fixture<'a> {
    name: &'a str,
    /// Among the matches of a generation. Each has openings of its own: the same
    /// networks play the same games from the same openings, and would count twice.
    number: u64,
    opponent: Rival,
    games: u64,
    tc: TimeControl,
    sprt: Option<Sprt>,
}

/// Whom a generation plays against.
enum Rival {
    /// Another generation, with the name that it has in the match.
    Network(&'static str, u32),
    /// A player that does not learn.
    Fixed(&'static str),
}

impl Judge<'_> {
    /// `drifted`: the policy has left the start's too far behind, so matches against
    /// the best and the start are played even where the gate asks for none. `None`
    /// if it was interrupted.
    pub fn gate(&self, state: &State, drifted: bool) -> Result<Option<Verdict>, LoopError> {
        if self.config.gate == Gate::None && !drifted {
            return Ok(Some(Verdict::given(true)));
        }
        let mut verdict = Verdict::given(true);
        let best = ("gate", 0, Rival::Network("best", state.best));
        let start = ("gate-start", 1, Rival::Network("start", 0));
        // Where the best is the start, one match says all.
        let twice = (self.config.gate.includes_start() || drifted) && state.best != 0;
        for (name, number, opponent) in [Some(best), twice.then_some(start)].into_iter().flatten() {
            if verdict.accepted {
                let Some((result, passed)) = self.pass(state, name, number, opponent)? else {
                    return Ok(None);
                };
                verdict.results.push(result);
                verdict.accepted = passed;
            }
        }
        Ok(Some(verdict))
    }

    /// One match of the gate, and whether it was passed.
    fn pass(
        &self,
        state: &State,
        name: &str,
        number: u64,
        opponent: Rival,
    ) -> Result<Option<(MatchResult, bool)>, LoopError> {
        let (games, tc, sprt) = match &self.config.gate {
            Gate::None => (self.config.watch.games.max(20), self.config.watch.tc, None),
            Gate::Sprt { games, tc, sprt, .. } => (*games, *tc, Some(*sprt)),
            Gate::Score { games, tc, .. } => (*games, *tc, None),
        };
        let fixture = Fixture { name, number, opponent, games, tc, sprt };
        let Some((result, report)) = self.play(state, &fixture)? else { return Ok(None) };
        let decision = report.sprt.as_ref().and_then(|line| line.decision);
        let passed = match (&self.config.gate, decision) {
            (Gate::Sprt { .. }, Some(decision)) => decision == Decision::H1,
            (Gate::Score { score, .. }, _) => result.score >= *score,
            (_, _) => result.score >= 0.5,
        };
        Ok(Some((result, passed)))
    }

    /// All opponents; `None` if it was interrupted.
    pub fn watch(&self, state: &State) -> Result<Option<Vec<MatchResult>>, LoopError> {
        let watch = &self.config.watch;
        if watch.every == 0 || !state.generation.is_multiple_of(watch.every) {
            return Ok(Some(Vec::new()));
        }
        let mut results = Vec::new();
        for (number, opponent) in (2..).zip(&watch.opponents) {
            let rival = match opponent {
                Opponent::Best => Rival::Network("best", state.best),
                Opponent::Older => Rival::Network("older", state.generation / 2),
                Opponent::Start => Rival::Network("start", 0),
                fixed => Rival::Fixed(fixed.name()),
            };
            let name = format!("watch-{}", opponent.name());
            let fixture = Fixture {
                name: &name,
                number,
                opponent: rival,
                games: watch.games,
                tc: watch.tc,
                sprt: None,
            };
            let Some((result, _)) = self.play(state, &fixture)? else { return Ok(None) };
            results.push(MatchResult { opponent: opponent.name().to_string(), ..result });
        }
        Ok(Some(results))
    }

    fn network(&self, name: &str, number: u32) -> String {
        network(&self.folder.network(number), name)
    }

    fn play(
        &self,
        state: &State,
        fixture: &Fixture,
    ) -> Result<Option<(MatchResult, Report)>, LoopError> {
        let (opponent, against) = match fixture.opponent {
            Rival::Network(name, number) => (self.network(name, number), Some(number)),
            Rival::Fixed(name) => (name.to_string(), None),
        };
        let contest = Contest {
            players: vec![self.network("new", state.generation), opponent],
            format: Format::Match,
            games: fixture.games,
            tc: fixture.tc,
            sprt: fixture.sprt,
            seed: self.config.seed.wrapping_add(fixture.number << 32 | u64::from(state.generation)),
            out: self.folder.part(state.generation, fixture.name),
            programs: self.programs,
        };
        let Some(report) = contest.play()? else { return Ok(None) };
        let encounter = report.encounters.first();
        let elo = encounter.and_then(|line| line.comparison.as_ref());
        let result = MatchResult {
            opponent: fixture.name.to_string(),
            against,
            games: report.games,
            score: encounter.map_or(0.5, |line| line.games.score()),
            pairs: encounter.map_or(Pairs::default(), |line| line.pairs),
            elo: elo.map(|elo| elo.elo).filter(|elo| elo.is_finite()),
            low: elo.map(|elo| elo.interval.low).filter(|low| low.is_finite()),
            high: elo.map(|elo| elo.interval.high).filter(|high| high.is_finite()),
        };
        Ok(Some((result, report)))
    }
}
