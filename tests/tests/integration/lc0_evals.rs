//! Evaluations of lc0's networks, as lc0's own code has them.

use std::collections::HashMap;
use std::sync::Arc;

use engine::chess::{Line, parse_fen, parse_move};
use engine::encode::PolicyMap;
use engine::eval::{Answers, Backend, BackendSettings, Network, open_backend};
use engine::search::softmax;
use serde_json::Value;
use shakmaty::Move;

use crate::driver::{outside, root};

/// The recorded numbers have six digits; runtimes differ in the fifth.
const TOLERANCE: f64 = 2e-4;

#[test]
fn values_and_policies_are_lc0s() {
    let Some(folder) = outside("ARBOR_TEST_NETS", "../shared/nets", "lc0 networks") else { return };
    let text = std::fs::read_to_string(root().join("tests/data/lc0_evals.json")).unwrap();
    let recorded: Value = serde_json::from_str(&text).unwrap();
    let mut by_net: HashMap<&str, Vec<&Value>> = HashMap::new();
    for line in recorded["lines"].as_array().unwrap() {
        by_net.entry(line["net"].as_str().unwrap()).or_default().push(line);
    }
    assert!(by_net.len() >= 2);
    for (net, cases) in by_net {
        let file = folder.join(net);
        if !file.is_file() {
            println!("skipped: no {}", file.display());
            continue;
        }
        let network = Arc::new(Network::open(&file).unwrap());
        for backend in [Backend::Native, Backend::Cpu, Backend::Rust] {
            compare(backend, &network, &cases);
            println!("{net} on {backend}: {} positions", cases.len());
        }
    }
}

fn compare(backend: Backend, network: &Arc<Network>, cases: &[&Value]) {
    let network = Some(Arc::clone(network));
    let settings = BackendSettings { backend, network, ..BackendSettings::default() };
    let opened = open_backend(&settings).unwrap();
    let mut evaluator = opened.source.create(16).unwrap();
    for batch in cases.chunks(16) {
        let lines: Vec<Line> = batch.iter().map(|case| line(case)).collect();
        for line in &lines {
            evaluator.push(line.plies(), &line.legal_moves());
        }
        let mut answers = Answers::default();
        evaluator.run(&mut answers).unwrap();
        for (i, (case, line)) in batch.iter().zip(&lines).enumerate() {
            let (value, logits) = answers.get(i);
            let close = |what: &str, found: f32, recorded: &Value| {
                let (found, recorded) = (f64::from(found), recorded.as_f64().unwrap());
                let name = &case["name"];
                assert!(
                    (found - recorded).abs() < TOLERANCE * recorded.abs().max(1.0),
                    "{backend}, {name}, {what}: {found}, not {recorded}"
                );
            };
            close("q", value.q(), &case["q"]);
            if let Some(wdl) = case.get("wdl") {
                close("win", value.win, &wdl[0]);
                close("draw", value.draw, &wdl[1]);
                close("loss", value.loss, &wdl[2]);
            }
            let mut probabilities = logits.to_vec();
            softmax(&mut probabilities, 1.0);
            let moves = line.legal_moves();
            for entry in case["policy"].as_array().unwrap() {
                // lc0 spells castling in its own way; its index says the same.
                let text = entry["move"].as_str().unwrap();
                let index = entry["index"].as_u64().unwrap() as usize;
                let position = &line.last().position;
                let is_meant = |m: &Move| PolicyMap::Lc0.index(*m, position) == index;
                let at = moves.iter().position(is_meant).expect(text);
                close(&format!("logit of {text}"), logits[at], &entry["logit"]);
                close(&format!("probability of {text}"), probabilities[at], &entry["p"]);
            }
        }
    }
}

fn line(case: &Value) -> Line {
    let fen = case["fen"].as_str().unwrap();
    let mut line = Line::new(parse_fen(fen, false).unwrap());
    for text in case["moves"].as_str().unwrap().split_whitespace() {
        let m = parse_move(&line.last().position, text).unwrap();
        line.push(m);
    }
    line
}
