//! `engine eval FEN`: what the network says of a position, without search.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::{CastlingMode, Move, Position, san::San};

use crate::chess::{Line, parse_fen};
use crate::engine::Loaded;
use crate::eval::{Answers, Value};
use crate::options::Settings;
use crate::search::softmax;

/// Moves shown in the table; JSON has all of them.
const SHOWN: usize = 10;

#[derive(Serialize)]
struct Report<'a> {
    fen: &'a str,
    network: String,
    q: f32,
    win: f32,
    draw: f32,
    loss: f32,
    moves_left: Option<f32>,
    policy: Vec<PolicyMove>,
}

#[derive(Serialize)]
struct PolicyMove {
    uci: String,
    san: String,
    probability: f32,
}

/// Evaluates and prints, as a table or as one line of JSON.
pub fn run(settings: &Settings, fen: &str, json: bool, out: &mut dyn Write) -> io::Result<()> {
    let position = parse_fen(fen, settings.chess960)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, format!("{fen}: {error}")))?;
    let line = Line::new(position);
    let mut loaded =
        Loaded::open(settings, &|text| eprintln!("{text}")).map_err(io::Error::other)?;
    let moves = line.legal_moves();
    let mut answers = Answers::default();
    let evaluator =
        loaded.evaluators.first_mut().ok_or_else(|| io::Error::other("no evaluator"))?;
    evaluator.push(line.plies(), &moves);
    evaluator.run(&mut answers).map_err(io::Error::other)?;
    let (value, logits) = answers.get(0);
    let report = Report {
        fen,
        network: loaded.network.as_ref().map_or_else(|| "random".to_string(), |n| n.name()),
        q: value.q(),
        win: value.win,
        draw: value.draw,
        loss: value.loss,
        moves_left: value.moves_left,
        policy: ranked_policy(&line, &moves, logits),
    };
    if json {
        let text = serde_json::to_string(&report).map_err(io::Error::other)?;
        return writeln!(out, "{text}");
    }
    print_table(&report, value, out)
}

fn ranked_policy(line: &Line, moves: &[Move], logits: &[f32]) -> Vec<PolicyMove> {
    let position = &line.last().position;
    let mode: CastlingMode = position.castles().mode();
    let mut probabilities = logits.to_vec();
    softmax(&mut probabilities, 1.0);
    let mut policy: Vec<PolicyMove> = moves
        .iter()
        .zip(probabilities)
        .map(|(&m, probability)| PolicyMove {
            uci: m.to_uci(mode).to_string(),
            san: San::from_move(position, m).to_string(),
            probability,
        })
        .collect();
    policy.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    policy
}

fn print_table(report: &Report<'_>, value: &Value, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "network  {}", report.network)?;
    writeln!(
        out,
        "value    {:+.4} for the side to move (win {:.1} %, draw {:.1} %, loss {:.1} %)",
        value.q(),
        value.win * 100.0,
        value.draw * 100.0,
        value.loss * 100.0
    )?;
    if let Some(plies) = value.moves_left {
        writeln!(out, "length   {plies:.0} plies to go")?;
    }
    for m in report.policy.iter().take(SHOWN) {
        writeln!(out, "{:<7}  {:<7} {:>6.2} %", m.uci, m.san, m.probability * 100.0)?;
    }
    let hidden = report.policy.len().saturating_sub(SHOWN);
    if hidden > 0 {
        writeln!(out, "and {hidden} more; --json has all")?;
    }
    Ok(())
}
