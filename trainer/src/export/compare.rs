//! Whether a network file gives the answers that it should.

use super::ExportError;
use engine::eval::{Network, Runtime, TensorSession, ValueHead};
use std::collections::BTreeMap;
use std::path::Path;

/// Positions that run at once.
const BATCH: usize = 16;

/// A network's raw answers to some positions, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    pub policy: Vec<f32>,
    /// Three logits per position, or the value itself.
    pub value: Vec<f32>,
    pub moves_left: Option<Vec<f32>>,
}

/// Positions and the answers that a file should give to them.
pub struct Expected<'a> {
    pub planes: &'a [f32],
    pub outputs: &'a Outputs,
    /// The policy indices of the legal moves, position by position.
    pub legal: &'a [Vec<usize>],
}

/// How well the answers agree. Values and policies are compared as what the
/// search uses: Q in -1..=1, and logits and probabilities of legal moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    pub positions: usize,
    /// The largest difference of two legal moves' logits.
    pub max_policy_error: f32,
    pub max_value_error: f32,
    pub mean_value_error: f32,
    /// In plies; 0 without that head.
    pub max_moves_left_error: f32,
    /// The share of positions whose first move is the same.
    pub top1: f32,
    /// Mean divergence of the policies in nats.
    pub kl: f32,
}

/// Runs the bytes of a network file on ONNX Runtime and compares.
pub fn compare(file: &[u8], expected: &Expected) -> Result<Agreement, ExportError> {
    let network = Network::from_bytes(Path::new("the exported network"), file.to_vec())?;
    let planes = network.layout.encoder.planes();
    let positions = expected.legal.len();
    if positions == 0 || expected.planes.len() != positions * planes * 64 {
        let (found, position) = (expected.planes.len(), planes * 64);
        return Err(ExportError::Planes { found, position });
    }
    let runtime = Runtime::load(None).map_err(ExportError::NotVerified)?;
    let mut session = TensorSession::open(&runtime, file, planes)?;
    let found = run(&mut session, &network, expected.planes)?;
    let (actions, width) = (network.layout.policy.len(), network.layout.value.width());
    let counts = |outputs: &Outputs| {
        let Outputs { policy, value, moves_left } = outputs;
        (policy.len(), value.len(), moves_left.as_ref().map(Vec::len))
    };
    let moves_left = network.layout.moves_left_output.as_ref().map(|_| positions);
    let want = (positions * actions, positions * width, moves_left);
    if counts(expected.outputs) != want || counts(&found) != want {
        let (given, found) = (counts(expected.outputs), counts(&found));
        return Err(ExportError::Mismatch(format!(
            "policy, value and moves left of {positions} positions should be {want:?} numbers; \
             the reference has {given:?}, the network gives {found:?}"
        )));
    }
    Ok(agreement(expected, &found, network.layout.value, actions))
}

fn run(
    session: &mut TensorSession,
    network: &Network,
    planes: &[f32],
) -> Result<Outputs, ExportError> {
    let layout = &network.layout;
    let mut outputs: BTreeMap<String, Vec<f32>> = BTreeMap::new();
    for batch in planes.chunks(BATCH * layout.encoder.planes() * 64) {
        for (name, mut numbers) in session.run(batch)? {
            outputs.entry(name).or_default().append(&mut numbers);
        }
    }
    let mut take = |name: &str| outputs.remove(name).unwrap_or_default();
    Ok(Outputs {
        policy: take(&layout.policy_output.name),
        value: take(&layout.value_output.name),
        moves_left: layout.moves_left_output.as_ref().map(|port| take(&port.name)),
    })
}

fn agreement(expected: &Expected, found: &Outputs, head: ValueHead, actions: usize) -> Agreement {
    let positions = expected.legal.len();
    let mut result = Agreement {
        positions,
        max_policy_error: 0.0,
        max_value_error: 0.0,
        mean_value_error: 0.0,
        max_moves_left_error: 0.0,
        top1: 0.0,
        kl: 0.0,
    };
    let share = 1.0 / positions as f32;
    let mut same = 0;
    for (position, legal) in expected.legal.iter().enumerate() {
        let logits = |outputs: &Outputs| -> Vec<f32> {
            legal.iter().map(|index| outputs.policy[position * actions + index]).collect()
        };
        let (want, have) = (logits(expected.outputs), logits(found));
        result.max_policy_error = result.max_policy_error.max(largest_difference(&want, &have));
        if first_move(&want) == first_move(&have) {
            same += 1;
        }
        result.kl += divergence(&want, &have) * share;
        let width = head.width();
        let q = |outputs: &Outputs| q(head, &outputs.value[position * width..][..width]);
        let error = (q(expected.outputs) - q(found)).abs();
        result.max_value_error = result.max_value_error.max(error);
        result.mean_value_error += error * share;
    }
    result.top1 = same as f32 / positions as f32;
    if let (Some(want), Some(have)) = (&expected.outputs.moves_left, &found.moves_left) {
        result.max_moves_left_error = largest_difference(want, have);
    }
    result
}

/// NaN counts as the largest difference of all.
fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |largest, x| if x.is_nan() { f32::INFINITY } else { x.max(largest) })
}

fn first_move(logits: &[f32]) -> Option<usize> {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]))
}

/// Of the second policy from the first.
fn divergence(want: &[f32], have: &[f32]) -> f32 {
    let log_softmax = |logits: &[f32]| -> Vec<f32> {
        let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = logits.iter().map(|x| (x - top).exp()).sum();
        logits.iter().map(|x| x - top - sum.ln()).collect()
    };
    let (want, have) = (log_softmax(want), log_softmax(have));
    want.iter().zip(&have).map(|(w, h)| w.exp() * (w - h)).sum()
}

fn q(head: ValueHead, numbers: &[f32]) -> f32 {
    match (head, numbers) {
        (ValueHead::Wdl, &[win, draw, loss]) => {
            let top = win.max(draw).max(loss);
            let [win, draw, loss] = [win, draw, loss].map(|x| (x - top).exp());
            (win - loss) / (win + draw + loss)
        }
        (ValueHead::WdlProbabilities, &[win, _, loss]) => win - loss,
        _ => numbers.first().copied().unwrap_or(f32::NAN),
    }
}
