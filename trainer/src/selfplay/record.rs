//! A game as the engine tells it becomes a record, if all of it holds.

use super::openings::Beginning;
use crate::shards::{Outcome, Ply, PolicyTarget, Record, Replay, Score, SearchKind, validate};
use engine::chess::PackedMove;
use engine::selfplay::protocol::{EngineScore, GameReport, PlyReport, SearchReport};
use engine::selfplay::{Settings, by_the_rules};

/// How far the weights of a target may be from 1 in sum.
const TOLERANCE: f32 = 0.01;

/// What the game was asked to be.
pub struct Expected<'a> {
    pub seed: u64,
    pub beginning: &'a Beginning,
    /// Whether its moves were drawn by lot.
    pub random: bool,
    /// SHA-256 of the networks that may have played.
    pub networks: &'a [String],
    pub settings: &'a str,
    /// How games are searched and ended; other engines than ours search as they
    /// like.
    pub search: &'a Settings,
    pub is_ours: bool,
    pub generation: Option<u32>,
    pub engine: &'a str,
}

/// The record; the complaint says what does not hold.
pub fn record(report: &GameReport, expected: &Expected) -> Result<Record, String> {
    if report.seed != expected.seed {
        return Err(format!("its seed is {} instead of {}", report.seed, expected.seed));
    }
    if report.settings != expected.settings {
        return Err("it was played with other settings".to_string());
    }
    if !expected.networks.contains(&report.network) {
        return Err(format!("it was played by another network, {}", report.network));
    }
    let beginning = expected.beginning;
    if report.chess960 != beginning.chess960 || report.start_fen != beginning.start_fen() {
        return Err(format!("it begins at {}", report.start_fen));
    }
    let opening = &beginning.moves;
    let begun: Vec<u16> = report.plies.iter().take(opening.len()).map(|ply| ply.played).collect();
    if begun != *opening {
        return Err("it does not begin with the opening".to_string());
    }
    if report.plies.len() == opening.len() {
        return Err("it was over before its first move".to_string());
    }
    let result = Outcome::parse(&report.result)
        .filter(|result| *result != Outcome::Unknown)
        .ok_or(format!("{:?} is no result", report.result))?;
    let prepared = if expected.random { SearchKind::Random } else { SearchKind::Book };
    let plies: Result<Vec<Ply>, String> = report
        .plies
        .iter()
        .enumerate()
        .map(|(at, reported)| {
            // After the opening, a move without search is one by lot.
            let unsearched = if at < opening.len() { prepared } else { SearchKind::Random };
            if expected.is_ours && at >= opening.len() && reported.search.is_none() {
                return Err(format!("ply {at}: nobody thought about it"));
            }
            let search = expected.is_ours.then_some(expected.search);
            ply(reported, unsearched, search).map_err(|why| format!("ply {at}: {why}"))
        })
        .collect();
    let record = Record {
        group: expected.seed,
        start_fen: report.start_fen.clone(),
        chess960: report.chess960,
        plies: plies?,
        result,
        termination: report.termination.clone(),
        source: "selfplay".to_string(),
        engine: Some(expected.engine.to_string()),
        network: Some(report.network.clone()).filter(|hash| !hash.is_empty()),
        config: Some(report.settings.clone()),
        seed: Some(report.seed),
        generation: expected.generation,
        ..Record::default()
    };
    validate(&record)?;
    check_end(&record, expected.search)?;
    if record.termination == "resignation" {
        let loser = report.resignation.ok_or("nobody resigned")?;
        let winner = if loser.white { Outcome::Black } else { Outcome::White };
        if record.result != winner {
            return Err(format!("{} after the other side resigned", record.result.text()));
        }
    }
    Ok(record)
}

fn ply(
    reported: &PlyReport,
    unsearched: SearchKind,
    settings: Option<&Settings>,
) -> Result<Ply, String> {
    let played = Some(PackedMove(reported.played));
    let Some(search) = &reported.search else {
        return Ok(Ply { played, kind: unsearched, weight: 0.0, ..Ply::default() });
    };
    check_search(search, reported.played)?;
    if let Some(settings) = settings {
        check_effort(search, settings)?;
    }
    let target = |m: &engine::selfplay::protocol::MoveReport| PolicyTarget {
        m: PackedMove(m.m),
        weight: m.weight,
        visits: Some(m.visits),
        prior: Some(m.prior.clamp(0.0, 1.0)),
        value: m.value.map(|value| value.clamp(-1.0, 1.0)),
    };
    Ok(Ply {
        played,
        policy: search.moves.iter().map(target).collect(),
        wdl: Some(search.wdl),
        q: Some(search.q),
        score: search.score.map(|score| match score {
            EngineScore::Centipawns(score) => Score::Centipawns(score),
            EngineScore::Mate(moves) => Score::Mate(moves),
        }),
        kind: if search.full { SearchKind::Full } else { SearchKind::Cheap },
        // A shortened search is no teacher.
        weight: if search.full { 1.0 } else { 0.0 },
    })
}

fn check_search(search: &SearchReport, played: u16) -> Result<(), String> {
    let visits: u64 = search.moves.iter().map(|m| u64::from(m.visits)).sum();
    if visits != u64::from(search.visits) {
        return Err(format!("its moves have {visits} visits, the search {}", search.visits));
    }
    let weights: f32 = search.moves.iter().map(|m| m.weight).sum();
    if (weights - 1.0).abs() > TOLERANCE || !weights.is_finite() {
        return Err(format!("its target sums to {weights}"));
    }
    if !search.moves.iter().any(|m| m.m == played) {
        return Err("the move played is not among those searched".to_string());
    }
    Ok(())
}

/// A search that ended early teaches less than it claims to.
fn check_effort(search: &SearchReport, settings: &Settings) -> Result<(), String> {
    let asked = match (search.full, settings.playout_cap) {
        (true, _) => settings.visits,
        (false, Some(cap)) => cap.cheap_visits,
        (false, None) => return Err("it was cut short, which nobody asked for".to_string()),
    };
    // Nobody thinks long about the only move.
    let may_stop = settings.kld_stop.is_some() || search.moves.len() == 1;
    match search.visits >= asked || may_stop {
        true => Ok(()),
        false => Err(format!("it had {} visits instead of {asked}", search.visits)),
    }
}

/// The end must be that of the rules where they have one, and otherwise one that
/// the settings allow.
fn check_end(record: &Record, settings: &Settings) -> Result<(), String> {
    let mut replay = Replay::new(record).map_err(|error| error.to_string())?;
    let mut last = None;
    while let Some(step) = replay.advance().map_err(|error| error.to_string())? {
        if step.index + 1 == record.plies.len() {
            let mut line = step.line.clone();
            step.played.into_iter().for_each(|m| line.push(m));
            last = Some(line);
        }
    }
    let end = last.as_ref().and_then(by_the_rules);
    let (termination, result) = (record.termination.as_str(), record.result);
    let rules = &settings.adjudicate;
    let is_long = rules.max_plies > 0 && record.plies.len() >= rules.max_plies as usize;
    let (is_draw, goes_on) = (result == Outcome::Draw, end.is_none());
    let holds = match termination {
        "checkmate"
        | "stalemate"
        | "insufficient material"
        | "fifty moves"
        | "threefold repetition" => {
            end.is_some_and(|end| (end.termination, end.result()) == (termination, result.text()))
        }
        "move limit" => goes_on && is_draw && is_long,
        "adjudicated draw" => goes_on && is_draw && rules.draw.is_some(),
        "adjudicated win" => goes_on && !is_draw && rules.win.is_some(),
        "resignation" => goes_on && !is_draw && settings.resign.is_some(),
        "tablebase" => goes_on && rules.tablebase,
        other => return Err(format!("{other:?} is no known end of a game")),
    };
    match holds {
        true => Ok(()),
        false => Err(format!("{} does not fit {termination}", result.text())),
    }
}
