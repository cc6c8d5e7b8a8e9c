//! Every kind of network, on ONNX Runtime and on the Rust backend.

use super::reference::forward;
use super::{TUNING, dense, difference, has_runtime, options, positions, small, tiny};
use crate::export::{Outputs, Precision, build};
use crate::model::{Activation, Architecture, Norm, ValueKind, random_weights};
use engine::chess::{Line, parse_move};
use engine::encode::{Encoder, PolicyMap};
use engine::eval::{
    Answers, DenseBackend, EvaluatorSource, Network, Runtime, RustBackend, TensorSession,
};
use shakmaty::{Chess, Move, Position};

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

#[test]
fn with_a_dense_body() {
    if !has_runtime() {
        return;
    }
    for encoder in [Encoder::Threats, Encoder::Basic18] {
        let positions = positions(encoder, 4);
        for (value, moves_left) in [(ValueKind::Wdl, true), (ValueKind::Scalar, false)] {
            let architecture = Architecture { encoder, value, moves_left, ..dense() };
            let weights = random_weights(&architecture, 2);
            let file = build(&architecture, &weights, &options(Precision::F32)).unwrap();
            let found = run(&architecture, &file, &positions.planes);
            let want = forward(&architecture, &weights, &positions.planes);
            let error = difference(&found, &want);
            let largest = want.policy.iter().fold(1f32, |largest, x| largest.max(x.abs()));
            assert!(error < 1e-4 * largest, "{error} of {largest} off: {architecture:?}");
        }
    }
}

/// The engine's arithmetic for dense networks has 16 bits for most weights.
#[test]
fn the_dense_backend_agrees() {
    let mut line = Line::new(Chess::default());
    // White's king goes to the left half, where left and right are swapped.
    for text in ["d2d4", "d7d5", "d1d3", "d8d6", "c1e3", "g8f6", "e1d1", "e8d8"] {
        line.push(parse_move(&line.last().position, text).unwrap());
    }
    for (value, moves_left) in [(ValueKind::Wdl, true), (ValueKind::Scalar, false)] {
        let architecture = Architecture { value, moves_left, ..dense() };
        let weights = random_weights(&architecture, 3);
        for precision in [Precision::F32, Precision::F16] {
            let file = build(&architecture, &weights, &options(precision)).unwrap();
            let network = Network::from_bytes("net.onnx", file).unwrap();
            assert_eq!(network.metadata["arbor.net"], "dense 48");
            assert_eq!(network.metadata["arbor.policy"], "exchange3716");
            let mut evaluator = DenseBackend::new(&network).unwrap().create(1).unwrap();
            let mut answers = Answers::default();
            for length in [1, line.len() - 1, line.len()] {
                let plies = &line.plies()[..length];
                let position = &plies[length - 1].position;
                let moves: Vec<Move> = position.legal_moves().into_iter().collect();
                let mut planes = vec![0.0; architecture.encoder.planes() * 64];
                architecture.encoder.encode(plies, &mut planes);
                let want = forward(&architecture, &weights, &planes);
                evaluator.push(plies, &moves);
                evaluator.run(&mut answers).unwrap();
                let (found, logits) = answers.get(0);
                let close = |a: f32, b: f32| (a - b).abs() < 2e-2 * (1.0 + b.abs());
                for (m, logit) in moves.iter().zip(logits) {
                    let index = PolicyMap::Exchange.index(*m, position);
                    let want = want.policy[index];
                    assert!(close(*logit, want), "{m:?}: {logit} is not {want}");
                }
                let q = match value {
                    ValueKind::Scalar => want.value[0],
                    ValueKind::Wdl => {
                        let [win, draw, loss] = [0, 1, 2].map(|i| want.value[i].exp());
                        (win - loss) / (win + draw + loss)
                    }
                };
                assert!(close(found.q(), q), "{} is not {q}", found.q());
                let plies_left = want.moves_left.map(|list| list[0]);
                assert_eq!(found.moves_left.is_some(), moves_left);
                let pair = found.moves_left.zip(plies_left);
                assert!(pair.is_none_or(|(a, b)| close(a, b)), "{pair:?}");
            }
        }
    }
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
