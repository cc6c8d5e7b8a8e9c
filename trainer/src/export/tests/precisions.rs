//! f16 and int8 against f32, at the size that ships.

use super::reference::forward;
use super::{dense, has_runtime, options, positions, small, tiny};
use crate::export::{
    Agreement, Expected, Precision, SpeedSettings, build, compare, quantize, speed,
};
use crate::model::{Activation, Architecture, Norm, Weights, random_weights};
use engine::encode::Encoder;
use engine::eval::{Network, Runtime, TensorSession};
use engine::onnx::{ElementType, read_model};
use std::sync::Arc;
use std::time::Duration;

fn agreement(
    architecture: &Architecture,
    weights: &Weights,
    file: &[u8],
    count: usize,
) -> Agreement {
    let test = positions(architecture.encoder, count);
    let outputs = forward(architecture, weights, &test.planes);
    let expected = Expected { planes: &test.planes, outputs: &outputs, legal: &test.legal };
    compare(file, &expected).unwrap()
}

/// Between the small one, which is slow to check, and the tiny one.
fn medium() -> Architecture {
    Architecture { blocks: 3, channels: 24, groups: 4, policy_channels: 24, ..small() }
}

#[test]
fn f16_halves_the_file_and_keeps_the_answers() {
    if !has_runtime() {
        return;
    }
    for (norm, activation) in [
        (Norm::None, Activation::Relu),
        (Norm::Group, Activation::Mish),
        (Norm::Batch, Activation::Gelu),
    ] {
        let architecture =
            Architecture { norm, activation, attention_blocks: 1, moves_left: true, ..medium() };
        let weights = random_weights(&architecture, 5);
        let single = build(&architecture, &weights, &options(Precision::F32)).unwrap();
        let half = build(&architecture, &weights, &options(Precision::F16)).unwrap();
        assert!(half.len() < single.len() * 11 / 20, "{} of {}", half.len(), single.len());
        let model = read_model(&half).unwrap();
        assert!(model.inputs.iter().chain(&model.outputs).all(|t| t.element == ElementType::F32));
        let agreement = agreement(&architecture, &weights, &half, 16);
        assert!(agreement.max_policy_error < 0.05, "{agreement:?}");
        assert!(agreement.max_value_error < 0.01, "{agreement:?}");
        assert!(agreement.top1 >= 0.9, "{agreement:?}");
    }
}

#[test]
fn f16_of_a_dense_network_is_for_its_weights() {
    if !has_runtime() {
        return;
    }
    let weights = random_weights(&dense(), 5);
    let single = build(&dense(), &weights, &options(Precision::F32)).unwrap();
    let half = build(&dense(), &weights, &options(Precision::F16)).unwrap();
    assert!(half.len() < single.len() * 11 / 20, "{} of {}", half.len(), single.len());
    let agreement = agreement(&dense(), &weights, &half, 16);
    assert!(agreement.max_policy_error < 0.05, "{agreement:?}");
    assert!(agreement.max_value_error < 0.01, "{agreement:?}");
}

#[test]
fn weights_beyond_f16_saturate() {
    if !has_runtime() {
        return;
    }
    let architecture = tiny();
    let mut weights = random_weights(&architecture, 1);
    weights.get_mut("value.dense2.bias").unwrap().data[0] = 1e30;
    let file = build(&architecture, &weights, &options(Precision::F16)).unwrap();
    let planes = positions(Encoder::Basic18, 1).planes;
    let mut session = TensorSession::open(&Runtime::load(None).unwrap(), &file, 18).unwrap();
    let wdl = session.run(&planes).unwrap().remove("wdl").unwrap();
    assert!((wdl[0] - 65504.0).abs() < 64.0, "{wdl:?}");
}

/// Random policies are flat, so that the first move is often a matter of luck.
fn assert_close(agreement: &Agreement) {
    assert!(agreement.mean_value_error < 0.05, "{agreement:?}");
    assert!(agreement.kl < 0.002, "{agreement:?}");
    assert!(agreement.top1 >= 0.7, "{agreement:?}");
}

#[test]
fn int8_shrinks_the_file_and_keeps_the_answers() {
    if !has_runtime() {
        return;
    }
    for (norm, activation, attention_blocks) in [
        (Norm::None, Activation::Relu, 0),
        (Norm::Batch, Activation::Relu, 1),
        (Norm::Group, Activation::Gelu, 1),
    ] {
        let architecture = Architecture { norm, activation, attention_blocks, ..medium() };
        let weights = random_weights(&architecture, 5);
        let calibration = positions(architecture.encoder, 64).planes;
        let file =
            quantize(&architecture, &weights, &calibration, &options(Precision::F32).metadata)
                .unwrap();
        let single = build(&architecture, &weights, &options(Precision::F32)).unwrap();
        // The dense layers, which stay in f32, are large in so small a network.
        assert!(file.len() < single.len() * 95 / 100, "{} of {}", file.len(), single.len());
        let agreement = agreement(&architecture, &weights, &file, 24);
        assert_close(&agreement);
    }
}

/// Planes that count in whole numbers must not be rounded to 8 bits.
#[test]
fn int8_serves_counting_planes() {
    if !has_runtime() {
        return;
    }
    let architecture = Architecture { encoder: Encoder::Lc0, ..medium() };
    let weights = random_weights(&architecture, 5);
    let mut calibration = positions(architecture.encoder, 48).planes;
    // The half-move clock, late in a slow game.
    calibration[109 * 64..110 * 64].fill(99.0);
    let file = quantize(&architecture, &weights, &calibration, &options(Precision::F32).metadata);
    let agreement = agreement(&architecture, &weights, &file.unwrap(), 8);
    assert_close(&agreement);
}

#[test]
fn speeds_come_per_network_and_batch() {
    if !has_runtime() {
        return;
    }
    let architecture = tiny();
    let weights = random_weights(&architecture, 1);
    let file = build(&architecture, &weights, &options(Precision::F32)).unwrap();
    let network = Arc::new(Network::from_bytes("net.onnx", file).unwrap());
    let turn = Duration::from_millis(2);
    let settings = SpeedSettings { batches: vec![1, 4], rounds: 2, turn };
    let speeds = speed(&[Arc::clone(&network), network], &settings).unwrap();
    assert_eq!(speeds.len(), 2);
    for speeds in speeds {
        assert_eq!(speeds.iter().map(|s| s.batch).collect::<Vec<_>>(), [1, 4]);
        assert!(speeds.iter().all(|s| s.positions_per_second > 10.0));
    }
}
