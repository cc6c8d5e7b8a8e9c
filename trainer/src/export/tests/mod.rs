//! Exported networks against an independent forward pass. What needs ONNX
//! Runtime says so and passes where there is none.

mod agreement;
mod combinations;
mod errors;
mod precisions;
mod read_back;
mod reference;

use super::{Metadata, Options, Outputs, Precision};
use crate::model::{Activation, Architecture, Body, Norm, ValueKind};
use engine::chess::Line;
use engine::encode::Encoder;
use engine::eval::{Runtime, TunedFor};
use engine::search::Random;
use shakmaty::Chess;

fn has_runtime() -> bool {
    let outcome = Runtime::load(None);
    if let Err(error) = &outcome {
        eprintln!("skipped: {error}");
    }
    outcome.is_ok()
}

/// The smallest network with a tower and all heads but moves left.
fn tiny() -> Architecture {
    Architecture {
        encoder: Encoder::Basic18,
        body: Body::Tower,
        hidden: 0,
        blocks: 2,
        channels: 8,
        squeeze: 0,
        attention_blocks: 0,
        norm: Norm::None,
        groups: 2,
        activation: Activation::Relu,
        policy_channels: 6,
        value: ValueKind::Wdl,
        value_channels: 4,
        value_hidden: 8,
        moves_left: false,
    }
}

/// One wide layer and all heads.
fn dense() -> Architecture {
    Architecture {
        encoder: Encoder::Threats,
        body: Body::Dense,
        hidden: 48,
        moves_left: true,
        ..tiny()
    }
}

/// Of the size that ships.
fn small() -> Architecture {
    Architecture {
        blocks: 6,
        channels: 64,
        squeeze: 16,
        policy_channels: 64,
        value_channels: 32,
        value_hidden: 128,
        ..tiny()
    }
}

const TUNING: TunedFor = TunedFor {
    policy_temperature: Some(1.25),
    cpuct: Some(2.5),
    cpuct_at_root: Some(4.0),
    fpu_reduction: Some(-0.5),
};

fn options(precision: Precision) -> Options {
    let metadata = Metadata {
        created: Some(1_774_089_000),
        git: Some("abc123".to_string()),
        recipe: Some("random weights".to_string()),
        tuned_for: TUNING,
        ..Default::default()
    };
    Options { precision, metadata }
}

/// Planes and legal indices of positions from random games.
struct Positions {
    planes: Vec<f32>,
    legal: Vec<Vec<usize>>,
}

fn positions(encoder: Encoder, count: usize) -> Positions {
    let mut random = Random::new(7);
    let (mut planes, mut legal) = (Vec::new(), Vec::new());
    let mut line = Line::new(Chess::default());
    let mut board = vec![0.0; encoder.planes() * 64];
    while legal.len() < count {
        let moves = line.legal_moves();
        if moves.is_empty() || line.len() > 100 {
            line.truncate(1);
            continue;
        }
        if line.len().is_multiple_of(3) {
            encoder.encode(line.plies(), &mut board);
            planes.extend_from_slice(&board);
            let index = |m| encoder.policy().index(m, &line.last().position);
            legal.push(moves.iter().map(|&m| index(m)).collect());
        }
        line.push(moves[random.next_u64() as usize % moves.len()]);
    }
    Positions { planes, legal }
}

/// The largest difference between two networks' answers, over all numbers.
fn difference(a: &Outputs, b: &Outputs) -> f32 {
    let list = |o: &Outputs| -> Vec<f32> {
        o.policy.iter().chain(&o.value).chain(o.moves_left.iter().flatten()).copied().collect()
    };
    let (a, b) = (list(a), list(b));
    assert_eq!(a.len(), b.len());
    assert!(a.iter().chain(&b).all(|x| x.is_finite()));
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}
