//! The measures of agreement, on a network whose answers are known.

use super::{has_runtime, options, positions, tiny};
use crate::export::{Agreement, Expected, Outputs, Precision, build, compare};
use crate::model::{Architecture, ValueKind, random_weights};
use std::f32::consts::LN_2;

/// A network whose weights are all zero but the last biases: every position has
/// policy logits 0, value 0.5 and the moves left of softplus(0).
#[test]
fn differences_are_measured() {
    if !has_runtime() {
        return;
    }
    let architecture = Architecture { value: ValueKind::Scalar, moves_left: true, ..tiny() };
    let mut weights = random_weights(&architecture, 1);
    weights.values_mut().for_each(|tensor| tensor.data.fill(0.0));
    weights.get_mut("value.dense2.bias").unwrap().data[0] = 0.5f32.atanh();
    let file = build(&architecture, &weights, &options(Precision::F32)).unwrap();
    let two = positions(architecture.encoder, 2);
    let mut outputs = Outputs {
        policy: vec![0.0; 2 * 4672],
        value: vec![0.5; 2],
        moves_left: Some(vec![LN_2; 2]),
    };
    // Of each position two moves only, so that the policies are easy to compute.
    let legal: Vec<Vec<usize>> = vec![vec![10, 20]; 2];
    let agree = |outputs: &Outputs| -> Agreement {
        compare(&file, &Expected { planes: &two.planes, outputs, legal: &legal }).unwrap()
    };
    let same = agree(&outputs);
    assert_eq!((same.positions, same.top1), (2, 1.0));
    assert!(same.max_policy_error < 1e-6 && same.max_value_error < 1e-6 && same.kl.abs() < 1e-6);
    assert!(same.max_moves_left_error < 1e-6);
    // Three to one for the first move of the first position: among equals the
    // network's choice is the last. An illegal move's logit does not count.
    outputs.policy[10] = 3f32.ln();
    outputs.policy[30] = 100.0;
    outputs.value[1] = 0.1;
    outputs.moves_left = Some(vec![LN_2, LN_2 + 2.0]);
    let other = agree(&outputs);
    assert_eq!(other.top1, 0.5);
    assert!((other.max_policy_error - 3f32.ln()).abs() < 1e-6);
    let divergence = 0.75 * 1.5f32.ln() + 0.25 * 0.5f32.ln();
    assert!((other.kl - divergence / 2.0).abs() < 1e-6);
    assert!((other.max_value_error - 0.4).abs() < 1e-6);
    assert!((other.mean_value_error - 0.2).abs() < 1e-6);
    assert!((other.max_moves_left_error - 2.0).abs() < 1e-6);
}
