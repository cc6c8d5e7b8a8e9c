//! Games of any UCI engine with itself, one at a time in each process: its
//! moves and scores become targets.

use super::SelfplayError;
use super::openings::Beginning;
use super::run::Run;
use super::settings::Settings;
use crate::import::wdl;
use crate::interrupt;
use crate::shards::Score;
use crate::uci::{Answer, Engine, Limit, UciError};
use engine::chess::{Line, PackedMove, parse_move};
use engine::search::Random;
use engine::selfplay::protocol::{
    Effort, EngineScore, GameReport, Job, MoveReport, PlyReport, SearchReport,
};
use engine::selfplay::{End, Watch, by_the_rules};
use shakmaty::{Chess, Move, Position};
use std::sync::{Mutex, PoisonError};

/// An engine that plays.
pub struct UciGames {
    engine: Engine,
    limit: Limit,
    chess960: bool,
}

impl UciGames {
    pub fn start(settings: &Settings) -> Result<UciGames, UciError> {
        let mut engine = Engine::start(&settings.engine, settings.patience)?;
        for (name, value) in &settings.options {
            if !engine.set_option(name, value)? {
                let engine = engine.name().to_string();
                return Err(UciError::NoOption { engine, name: name.clone() });
            }
        }
        engine.set_option("UCI_ShowWDL", "true")?;
        engine.ready()?;
        let limit = Limit::Nodes(u64::from(settings.plan.search.visits));
        Ok(UciGames { engine, limit, chess960: false })
    }

    pub fn name(&self) -> &str {
        self.engine.name()
    }

    /// Plays one game to its end; `None` after Ctrl-C.
    fn play(&mut self, job: &Job, beginning: &Beginning) -> Result<Option<GameReport>, UciError> {
        self.engine.new_game()?;
        if beginning.chess960 != self.chess960 {
            self.engine.set_option("UCI_Chess960", &beginning.chess960.to_string())?;
            self.chess960 = beginning.chess960;
        }
        let (start, start_fen) = (beginning.start(), beginning.start_fen());
        let mode = start.castles().mode();
        let mut line = Line::new(start);
        let mut moves: Vec<String> = Vec::new();
        let mut plies = Vec::new();
        for code in &beginning.moves {
            let m = PackedMove(*code).unpack(&line.last().position);
            moves.push(m.to_uci(mode).to_string());
            plies.push(PlyReport { played: *code, search: None });
            line.push(m);
        }
        let mut random = Random::new(job.seed);
        let mut effort = Effort::default();
        let (resign, adjudicate) = (job.settings.resign.as_ref(), &job.settings.adjudicate);
        let mut watch = Watch::new(resign, random.unit());
        let end = loop {
            if let Some(end) = by_the_rules(&line) {
                break end;
            }
            let limit = adjudicate.max_plies as usize;
            if limit > 0 && plies.len() >= limit {
                break End { winner: None, termination: "move limit" };
            }
            if interrupt::requested() {
                return Ok(None);
            }
            let answer = self.engine.search(&start_fen, &moves, self.limit)?;
            let position = &line.last().position;
            let best = parse_move(position, &answer.best).ok_or_else(|| UciError::Nonsense {
                to: "go".to_string(),
                answer: format!("bestmove {}", answer.best),
            })?;
            let search = report(&answer, best);
            let mut end = None;
            if let Some(search) = &search {
                effort.searches += 1;
                effort.full_searches += 1;
                effort.simulations += u64::from(search.visits);
                let (ply, mover) = (plies.len() as u32, position.turn());
                end = watch.hear(ply, mover, search.q, resign, adjudicate);
            }
            // The temperature here is the share of random moves.
            let warm = job.settings.temperature.at(plies.len() as u32);
            let played = stray(position, best, warm, &mut random);
            let search = search.filter(|_| played == best);
            plies.push(PlyReport { played: PackedMove::new(played).0, search });
            moves.push(played.to_uci(mode).to_string());
            line.push(played);
            if let Some(end) = end {
                // The move may have mated or stalemated, whatever was expected.
                break by_the_rules(&line).unwrap_or(end);
            }
        };
        Ok(Some(GameReport {
            id: job.id,
            seed: job.seed,
            network: String::new(),
            settings: job.settings.hash(),
            start_fen,
            chess960: beginning.chess960,
            result: end.result().to_string(),
            termination: end.termination.to_string(),
            plies,
            resignation: watch.resignation,
            effort,
        }))
    }
}

/// Plays one game after the other, until there are no more; `number` counts
/// those who do.
pub fn play_in_turn(
    run: &Mutex<Run>,
    number: usize,
    settings: &Settings,
    mut player: Option<UciGames>,
) -> Result<(), SelfplayError> {
    let locked = || run.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let Some((job, beginning)) = locked().next_job() else { return Ok(()) };
        let ready = match player.take() {
            Some(player) => Ok(player),
            None => UciGames::start(settings),
        };
        let played = ready.and_then(|mut ready| {
            let report = ready.play(&job, &beginning)?;
            player = Some(ready);
            Ok(report)
        });
        let mut run = locked();
        match played {
            Ok(Some(report)) => run.finished_by(number, &report)?,
            Ok(None) => {
                run.give_back(job.id);
                return Ok(());
            }
            Err(error) => {
                run.give_back(job.id);
                run.mourn(error.to_string())?;
            }
        }
    }
}

/// The best move, or a random one in so many of the cases: an engine that plays
/// the same game every time teaches nothing.
fn stray(position: &Chess, best: Move, share: f32, random: &mut Random) -> Move {
    if random.unit() >= f64::from(share) * STRAY {
        return best;
    }
    let legal = position.legal_moves();
    legal.get(random.below(legal.len())).copied().unwrap_or(best)
}

/// Random moves at temperature 1.
const STRAY: f64 = 0.1;

/// What a search is worth as a target: nothing where the engine gave no score,
/// as for moves of its own book.
fn report(answer: &Answer, best: Move) -> Option<SearchReport> {
    let line = answer.lines.first()?;
    let wdl = line.wdl.unwrap_or_else(|| wdl(line.score));
    let q = wdl[0] - wdl[2];
    let visits = line.nodes.unwrap_or(1).min(u64::from(u32::MAX)) as u32;
    let m = PackedMove::new(best).0;
    let only = MoveReport { m, weight: 1.0, visits, prior: 1.0, value: Some(q) };
    let score = match line.score {
        Score::Centipawns(score) => EngineScore::Centipawns(score),
        Score::Mate(moves) => EngineScore::Mate(moves),
    };
    Some(SearchReport { full: true, visits, q, wdl, moves: vec![only], score: Some(score) })
}
