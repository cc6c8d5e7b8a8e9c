//! One game of self-play: searches, moves, and the report of it all.

use super::decision::{Decision, decide};
use super::endings::{End, Watch, by_the_rules};
use super::protocol::{Effort, GameReport, Job, PlyReport};
use super::settings::Settings;
use super::thinking::{Memory, SearchKind, Step, Thinking};
use super::tree::Tree;
use crate::chess::{Line, PackedMove, parse_fen};
use crate::eval::Value;
use crate::search::{Random, Score, by_tablebase};
use crate::tablebase::Tablebases;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, MoveList, Position};

pub struct Game {
    job: Job,
    line: Line,
    thinking: Thinking,
    random: Random,
    watch: Watch,
    plies: Vec<PlyReport>,
    effort: Effort,
    start_fen: String,
    /// Whether the rules let the game go on from here.
    is_checked: bool,
}

pub enum Progress {
    /// The line stands at a leaf for the network.
    Ask,
    Over(Box<GameReport>),
}

impl Game {
    /// The reason in words if the job cannot be played.
    pub fn new(job: Job) -> Result<Game, String> {
        let problems = job.settings.problems();
        if !problems.is_empty() {
            return Err(problems.join("; "));
        }
        let start = match &job.fen {
            Some(fen) => parse_fen(fen, job.chess960).map_err(|error| format!("{fen}: {error}"))?,
            None => Chess::default(),
        };
        let start_fen = Fen::from_position(&start, EnPassantMode::Legal).to_string();
        let mut line = Line::new(start);
        let mut plies = Vec::new();
        for (at, code) in job.moves.iter().enumerate() {
            let known = line.legal_moves().into_iter().find(|m| PackedMove::new(*m).0 == *code);
            let m = known.ok_or(format!("move {at} of the opening, {code}, is not legal"))?;
            plies.push(PlyReport { played: *code, search: None });
            line.push(m);
        }
        let mut random = Random::new(job.seed);
        let watch = Watch::new(job.settings.resign.as_ref(), random.unit());
        let mut game = Game {
            job,
            thinking: Thinking::idle(&line),
            line,
            random,
            watch,
            plies,
            effort: Effort::default(),
            start_fen,
            is_checked: false,
        };
        game.think(Tree::default());
        Ok(game)
    }

    /// Plays on until the network is needed or the game is over.
    pub fn advance(&mut self, memory: &dyn Memory, tablebases: Option<&Tablebases>) -> Progress {
        loop {
            if !self.is_checked {
                if let Some(end) = self.end(tablebases) {
                    return Progress::Over(Box::new(self.report(end)));
                }
                self.is_checked = true;
            }
            let step = self.thinking.advance(
                &mut self.line,
                &self.job.settings,
                memory,
                tablebases,
                &mut self.random,
            );
            if let Step::Ask = step {
                return Progress::Ask;
            }
            if let Some(end) = self.play() {
                return Progress::Over(Box::new(self.report(end)));
            }
        }
    }

    /// The line to the leaf that [`advance`](Self::advance) asked about, and
    /// its moves.
    pub fn question(&self) -> (&Line, &MoveList) {
        (&self.line, &self.thinking.moves)
    }

    pub fn answer(&mut self, value: &Value, priors: &[f32]) {
        self.effort.evaluations += 1;
        let settings = &self.job.settings;
        self.thinking.answer(&mut self.line, settings, value, priors, &mut self.random);
    }

    /// Simulations so far, those of the search under way included.
    pub fn simulations(&self) -> u64 {
        self.effort.simulations + self.thinking.simulations
    }

    pub fn settings(&self) -> &Settings {
        &self.job.settings
    }

    fn ply(&self) -> u32 {
        self.plies.len() as u32
    }

    /// Begins the search of the next move.
    fn think(&mut self, tree: Tree) {
        let settings = &self.job.settings;
        let (full, visits) = match settings.playout_cap {
            Some(cap) if self.random.unit() >= f64::from(cap.full_share) => {
                (false, cap.cheap_visits)
            }
            _ => (true, settings.visits),
        };
        // Gumbel's rounds begin with none of their moves visited, and frozen replies
        // are no search of the side that now moves. What a tablebase or a repetition
        // decided is not expanded, and must be looked at anew.
        let whole = settings.gumbel.is_none() && settings.contempt_freeze == 0;
        let known = settings.reuse_tree && whole && tree.root().is_expanded();
        let tree = if known { tree } else { Tree::default() };
        let temperature = settings.temperature.at(self.ply());
        self.thinking = Thinking::new(tree, &self.line, SearchKind { full, visits, temperature });
        self.is_checked = false;
        if known {
            self.thinking.prepare_root(&self.job.settings, &mut self.random);
        }
    }

    /// Plays the move that the search chose; an end if its value decides the game.
    fn play(&mut self) -> Option<End> {
        let ply = self.ply();
        let mover = self.line.last().turn();
        let decision = decide(&self.thinking, &self.job.settings, &mut self.random)?;
        self.count(&decision);
        let settings = &self.job.settings;
        let q = decision.report.q;
        let end = self.watch.hear(ply, mover, q, settings.resign.as_ref(), &settings.adjudicate);
        let Decision { m, report, .. } = decision;
        self.plies.push(PlyReport { played: PackedMove::new(m).0, search: Some(report) });
        let tree = self.thinking.keep(m);
        self.line.push(m);
        self.think(tree);
        // The move may have mated or stalemated, whatever was expected.
        end.map(|end| by_the_rules(&self.line).unwrap_or(end))
    }

    fn count(&mut self, decision: &Decision) {
        let (effort, thinking) = (&mut self.effort, &self.thinking);
        effort.searches += 1;
        effort.simulations += thinking.simulations;
        effort.cache_hits += thinking.cache_hits;
        effort.depth += thinking.depth;
        effort.deepest = effort.deepest.max(thinking.deepest);
        if thinking.full {
            effort.full_searches += 1;
            effort.entropy += decision.entropy;
            effort.surprise += decision.surprise;
        }
    }

    /// The end before the next move, if this is one.
    fn end(&self, tablebases: Option<&Tablebases>) -> Option<End> {
        if let Some(end) = by_the_rules(&self.line) {
            return Some(end);
        }
        let position = &self.line.last().position;
        let rules = &self.job.settings.adjudicate;
        if rules.max_plies > 0 && self.ply() >= rules.max_plies {
            return Some(End { winner: None, termination: "move limit" });
        }
        // A game without a single search teaches nothing.
        let tablebases = tablebases.filter(|_| rules.tablebase && self.effort.searches > 0)?;
        let winner = match by_tablebase(tablebases, position)? {
            Score::Win(_) => Some(!position.turn()),
            Score::Loss(_) => Some(position.turn()),
            Score::Draw | Score::Estimate(_) => None,
        };
        Some(End { winner, termination: "tablebase" })
    }

    fn report(&mut self, end: End) -> GameReport {
        GameReport {
            id: self.job.id,
            seed: self.job.seed,
            network: String::new(),
            settings: self.job.settings.hash(),
            start_fen: self.start_fen.clone(),
            chess960: self.job.chess960,
            result: end.result().to_string(),
            termination: end.termination.to_string(),
            plies: std::mem::take(&mut self.plies),
            resignation: self.watch.resignation,
            effort: self.effort,
        }
    }
}
