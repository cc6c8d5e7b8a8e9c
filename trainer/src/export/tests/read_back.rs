//! Files that become weights again.

use super::reference::forward;
use super::{dense, difference, options, positions, tiny};
use crate::export::{Precision, ReadBackError, build, read_back};
use crate::model::{Architecture, Norm, Weights, random_weights};

#[test]
fn weights_come_back_as_they_were() {
    for norm in [Norm::None, Norm::Group] {
        let architecture =
            Architecture { norm, squeeze: 4, attention_blocks: 1, moves_left: true, ..tiny() };
        let weights = random_weights(&architecture, 3);
        let file = build(&architecture, &weights, &options(Precision::F32)).unwrap();
        let (same, back) = read_back(&file).unwrap();
        assert_eq!(same, architecture);
        assert_eq!(back, weights);
    }
}

/// Weights without what squares share, which a file has in the weights of each.
fn separate(architecture: &Architecture) -> Weights {
    let mut weights = random_weights(architecture, 3);
    if let Some(shared) = weights.get_mut("features.shared") {
        shared.data.fill(0.0);
    }
    weights
}

#[test]
fn dense_weights_come_back_as_they_were() {
    let weights = separate(&dense());
    let file = build(&dense(), &weights, &options(Precision::F32)).unwrap();
    assert_eq!(read_back(&file).unwrap(), (dense(), weights));
}

#[test]
fn what_squares_share_is_gone_and_the_answers_stay() {
    let weights = random_weights(&dense(), 3);
    let file = build(&dense(), &weights, &options(Precision::F32)).unwrap();
    let (_, back) = read_back(&file).unwrap();
    assert!(back["features.shared"].data.iter().all(|x| *x == 0.0));
    let planes = positions(dense().encoder, 4).planes;
    let answers = [&weights, &back].map(|weights| forward(&dense(), weights, &planes));
    let largest = answers[0].policy.iter().fold(1f32, |largest, x| largest.max(x.abs()));
    assert!(difference(&answers[0], &answers[1]) < 1e-4 * largest);
}

#[test]
fn folded_batch_norm_is_gone_and_the_answers_stay() {
    let architecture = Architecture { norm: Norm::Batch, ..tiny() };
    let weights = random_weights(&architecture, 3);
    let file = build(&architecture, &weights, &options(Precision::F32)).unwrap();
    let (plain, back) = read_back(&file).unwrap();
    assert_eq!(plain.norm, Norm::None);
    let planes = positions(architecture.encoder, 4).planes;
    let answers = [forward(&architecture, &weights, &planes), forward(&plain, &back, &planes)];
    assert!(difference(&answers[0], &answers[1]) < 1e-4);
}

#[test]
fn weights_in_16_bits_come_back_rounded() {
    for architecture in [tiny(), dense()] {
        let weights = separate(&architecture);
        let file = build(&architecture, &weights, &options(Precision::F16)).unwrap();
        let (same, back) = read_back(&file).unwrap();
        assert_eq!(same, architecture);
        assert!(weights.keys().eq(back.keys()));
        let pairs = weights.values().zip(back.values());
        let mut pairs = pairs.flat_map(|(a, b)| a.data.iter().zip(&b.data));
        assert!(pairs.all(|(a, b)| (a - b).abs() <= a.abs() * 1e-3 + 1e-6));
    }
}

#[test]
fn other_files_are_refused() {
    let foreign = include_bytes!("../../../../nets/tiny-basic18.onnx");
    assert!(matches!(read_back(foreign), Err(ReadBackError::NoArchitecture)));
    assert!(matches!(read_back(b"no network"), Err(ReadBackError::Decode(_))));
}
