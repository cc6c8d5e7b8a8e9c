//! Every kind of network, on ONNX Runtime and on the Rust backend.

use super::reference::forward;
use super::{TUNING, difference, has_runtime, options, positions, small, tiny};
use crate::export::{Outputs, Precision, build};
use crate::model::{Activation, Architecture, Norm, ValueKind, random_weights};
use engine::chess::Line;
use engine::encode::{Encoder, PolicyMap};
use engine::eval::{Answers, EvaluatorSource, Network, Runtime, RustBackend, TensorSession};
use shakmaty::Chess;

const ACTIVATIONS: [Activation; 3] = [Activation::Relu, Activation::Gelu, Activation::Mish];

fn run(architecture: &Architecture, file: &[u8], planes: &[f32]) -> Outputs {
    let runtime = Runtime::load(None).unwrap();
    let mut session = TensorSession::open(&runtime, file, architecture.encoder.planes()).unwrap();
    let mut outputs = session.run(planes).unwrap();
    let value = if architecture.value == ValueKind::Wdl { "wdl" } else { "value" };
    Outputs {
        policy: outputs.remove("policy").unwrap(),
        value: outputs.remove(value).unwrap(),
        moves_left: outputs.remove("moves_left"),
    }
}

fn check_all(norm: Norm) {
    if !has_runtime() {
        return;
    }
    let positions = positions(Encoder::Basic18, 2);
    for activation in ACTIVATIONS {
        // Squeeze, attention, value kind and moves left, as four bits.
        for bits in 0..16 {
            let on = |bit: usize| bits >> bit & 1 == 1;
            let architecture = Architecture {
                norm,
                activation,
                squeeze: if on(0) { 4 } else { 0 },
                attention_blocks: usize::from(on(1)),
                value: if on(2) { ValueKind::Scalar } else { ValueKind::Wdl },
                moves_left: on(3),
                ..tiny()
            };
            let weights = random_weights(&architecture, bits as u64 + 1);
            let file = build(&architecture, &weights, &options(Precision::F32)).unwrap();
            let found = run(&architecture, &file, &positions.planes);
            let want = forward(&architecture, &weights, &positions.planes);
            let error = difference(&found, &want);
            // f32 has seven digits, so that large logits are off by more.
            let largest = want.policy.iter().fold(1f32, |largest, x| largest.max(x.abs()));
            assert!(error < 1e-4 * largest, "{error} of {largest} off: {architecture:?}");
        }
    }
}

#[test]
fn without_normalization() {
    check_all(Norm::None);
}

#[test]
fn with_batch_normalization() {
    check_all(Norm::Batch);
}

#[test]
fn with_group_normalization() {
    check_all(Norm::Group);
}

/// The engine's own path: its evaluator shows the logits of the legal moves.
#[test]
fn the_rust_backend_agrees() {
    let line = Line::new(Chess::default());
    let moves = line.legal_moves();
    let mut planes = vec![0.0; 18 * 64];
    Encoder::Basic18.encode(line.plies(), &mut planes);
    let shipping = Architecture { blocks: 2, channels: 16, squeeze: 8, ..small() };
    for (norm, activation) in [
        (Norm::None, Activation::Relu),
        (Norm::Batch, Activation::Relu),
        (Norm::Group, Activation::Mish),
        (Norm::Group, Activation::Gelu),
    ] {
        let architecture = Architecture {
            norm,
            activation,
            groups: 4,
            attention_blocks: 1,
            moves_left: true,
            ..shipping
        };
        let weights = random_weights(&architecture, 3);
        let file = build(&architecture, &weights, &options(Precision::F32)).unwrap();
        let network = Network::from_bytes("net.onnx", file).unwrap();
        assert_eq!(network.tuned_for, TUNING);
        assert_eq!(network.metadata["arbor.net"], "se-resnet 2x16 attention 1");
        assert_eq!(network.metadata["arbor.created"], "2026-03-21T10:30:00Z");
        let mut evaluator = RustBackend::new(&network).unwrap().create(1).unwrap();
        let mut answers = Answers::default();
        evaluator.push(line.plies(), &moves);
        evaluator.run(&mut answers).unwrap();
        let (value, logits) = answers.get(0);
        let want = forward(&architecture, &weights, &planes);
        for (m, logit) in moves.iter().zip(logits) {
            let index = PolicyMap::Az4672.index(*m, &line.last().position);
            assert!((logit - want.policy[index]).abs() < 1e-4, "{architecture:?}");
        }
        let [win, draw, loss] = [0, 1, 2].map(|i| want.value[i].exp());
        assert!((value.q() - (win - loss) / (win + draw + loss)).abs() < 1e-4);
        assert!((value.moves_left.unwrap() - want.moves_left.unwrap()[0]).abs() < 1e-4);
    }
}
