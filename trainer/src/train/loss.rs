//! What training makes small: a network's answers and the targets in, one
//! number and its parts out.

use super::tensors::BatchTensors;
use crate::config::{LossSettings, PolicySoftmax, ValueLoss};
use crate::model::{Asked, Outputs, Policy, ValueKind};
use burn::tensor::{Tensor, activation};

/// Added to the logits of padding, which is no move.
const NEVER: f32 = -1e9;

/// Plies that count as 1 in the loss of the moves left, so that it is about as
/// large as the others.
const MOVES_LEFT_SCALE: f32 = 20.0;

/// Each but `total` is a mean over positions, by their weights.
pub struct Losses {
    pub total: Tensor<1>,
    pub policy: Tensor<1>,
    pub value: Tensor<1>,
    /// Of the predicted policy over legal moves, in nats.
    pub entropy: Tensor<1>,
    pub moves_left: Option<Tensor<1>>,
    /// From the reference policy to ours, over legal moves.
    pub kl: Option<Tensor<1>>,
    /// [batch, width]: logits of the legal moves.
    pub logits: Tensor<2>,
    /// [batch]: expected result.
    pub q: Tensor<1>,
}

/// A policy to stay near, and how much that counts now.
pub struct Reference {
    /// [batch, width]: logits of the legal moves, masked as ours are.
    pub logits: Tensor<2>,
    pub weight: f64,
}

pub fn losses(
    settings: &LossSettings,
    value_kind: ValueKind,
    outputs: Outputs,
    batch: &BatchTensors,
    reference: Option<Reference>,
) -> Losses {
    let logits = legal_logits(&outputs.policy, batch);
    let log_policy = activation::log_softmax(logits.clone(), 1);
    let learned = match settings.policy_softmax {
        PolicySoftmax::Legal => log_policy.clone(),
        PolicySoftmax::All => {
            activation::log_softmax(outputs.policy.all(), 1).gather(1, batch.moves.clone())
        }
    };
    let has_policy = sum_rows(batch.policy.clone());
    let policy =
        mean(sum_rows(batch.policy.clone() * learned).neg(), has_policy * batch.weight.clone());
    let entropy = mean(
        sum_rows(log_policy.clone().exp() * log_policy.clone() * batch.legal.clone()).neg(),
        batch.weight.clone(),
    );
    let (value, q) = value_loss(settings.value, value_kind, outputs.value, batch);
    let moves_left = outputs.moves_left.map(|predicted| moves_left_loss(predicted, batch));

    let mut total = policy.clone() * settings.alpha + value.clone() * (1.0 - settings.alpha);
    if settings.entropy != 0.0 {
        total = total - entropy.clone() * settings.entropy;
    }
    if let Some(moves_left) = &moves_left {
        total = total + moves_left.clone() * settings.moves_left_weight;
    }
    let kl = reference.map(|reference| {
        let other = activation::log_softmax(reference.logits, 1);
        let distance = other.clone().exp() * (other - log_policy) * batch.legal.clone();
        let kl = mean(sum_rows(distance), batch.weight.clone());
        total = total.clone() + kl.clone() * reference.weight;
        kl
    });
    Losses { total, policy, value, entropy, moves_left, kl, logits, q }
}

/// [batch, width]: the logits of the legal moves; those of padding are far below.
pub fn legal_logits(policy: &Policy, batch: &BatchTensors) -> Tensor<2> {
    let asked = Asked { outputs: batch.moves.clone(), wanted: batch.legal.clone() };
    policy.of(asked) + (batch.legal.clone() - 1.0) * -NEVER
}

/// The loss and the predicted results.
fn value_loss(
    loss: ValueLoss,
    kind: ValueKind,
    predicted: Tensor<2>,
    batch: &BatchTensors,
) -> (Tensor<1>, Tensor<1>) {
    let weight = batch.value_weight.clone() * batch.weight.clone();
    let target = expectation(batch.wdl.clone());
    match (kind, loss) {
        (ValueKind::Wdl, ValueLoss::CrossEntropy) => {
            let log_wdl = activation::log_softmax(predicted, 1);
            let q = expectation(log_wdl.clone().exp());
            (mean(sum_rows(batch.wdl.clone() * log_wdl).neg(), weight), q)
        }
        (ValueKind::Wdl, ValueLoss::Mse) => {
            let q = expectation(activation::softmax(predicted, 1));
            (mean(square(q.clone() - target), weight), q)
        }
        (ValueKind::Scalar, _) => {
            let q = predicted.squeeze_dim::<1>(1);
            (mean(square(q.clone() - target), weight), q)
        }
    }
}

/// Huber's loss where the end of the game is known.
fn moves_left_loss(predicted: Tensor<2>, batch: &BatchTensors) -> Tensor<1> {
    let known = batch.moves_left.clone().greater_equal_elem(0.0).float();
    let error = (predicted.squeeze_dim::<1>(1) - batch.moves_left.clone()) / MOVES_LEFT_SCALE;
    let size = error.abs();
    let near = size.clone().clamp_max(1.0);
    let huber = near.clone() * (size - near * 0.5);
    mean(huber, known * batch.weight.clone())
}

/// [batch, 3] to win minus loss.
fn expectation(wdl: Tensor<2>) -> Tensor<1> {
    let size = wdl.dims()[0];
    let win = wdl.clone().slice([0..size, 0..1]);
    let loss = wdl.slice([0..size, 2..3]);
    (win - loss).squeeze_dim::<1>(1)
}

fn square(x: Tensor<1>) -> Tensor<1> {
    x.clone() * x
}

fn sum_rows(x: Tensor<2>) -> Tensor<1> {
    x.sum_dim(1).squeeze_dim::<1>(1)
}

/// Weighted; 0 when nothing has weight.
fn mean(x: Tensor<1>, weight: Tensor<1>) -> Tensor<1> {
    (x * weight.clone()).sum() / weight.sum().clamp_min(1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{KlSettings, preset};
    use crate::dataset::Batch;
    use burn::tensor::{Device, TensorData};

    /// Two positions: two legal moves each, of which the second position's
    /// target has none; the first is won, the second's value is unknown.
    fn batch() -> Batch {
        Batch {
            size: 2,
            planes: vec![0.0; 2 * 64],
            width: 3,
            moves: vec![7, 9, 0, 100, 200, 0],
            legal: vec![1.0, 1.0, 0.0, 1.0, 1.0, 0.0],
            policy: vec![0.25, 0.75, 0.0, 0.0, 0.0, 0.0],
            wdl: vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            value_weight: vec![1.0, 0.0],
            moves_left: vec![-1.0, 30.0],
            weight: vec![1.0, 3.0],
        }
    }

    /// Logits 1 for the first move and 0 elsewhere; 10 plies left.
    fn outputs(value: &[f32]) -> Outputs {
        let device = Device::flex();
        let mut policy = vec![0.0; 2 * 4672];
        policy[7] = 1.0;
        let matrix = |data: Vec<f32>| {
            let columns = data.len() / 2;
            Tensor::from_data(TensorData::new(data, [2, columns]), &device)
        };
        Outputs {
            policy: Policy::Logits(matrix(policy)),
            value: matrix(value.repeat(2)),
            moves_left: Some(matrix(vec![10.0, 10.0])),
            statistics: Vec::new(),
        }
    }

    fn settings() -> LossSettings {
        let kl = KlSettings { network: None, weight: 1.0, target: None };
        let alpha = 0.5;
        LossSettings { alpha, entropy: 0.1, moves_left_weight: 0.2, kl, ..preset("nano").loss }
    }

    fn number(tensor: &Tensor<1>) -> f64 {
        f64::from(tensor.clone().into_scalar::<f32>())
    }

    #[track_caller]
    fn assert_close(found: &Tensor<1>, wanted: f64) {
        assert!((number(found) - wanted).abs() < 1e-5, "{} is not {wanted}", number(found));
    }

    #[test]
    fn every_part_by_hand() {
        let tensors = BatchTensors::new(&batch(), &Device::flex());
        let wdl = [0.5, 0.25, 0.25].map(|p: f32| p.ln());
        let found = losses(&settings(), ValueKind::Wdl, outputs(&wdl), &tensors, None);
        let e = std::f64::consts::E;
        let (first, second) = ((e / (e + 1.0)).ln(), (1.0 / (e + 1.0)).ln());
        let policy = -(0.25 * first + 0.75 * second);
        assert_close(&found.policy, policy);
        assert_close(&found.value, -(0.5_f64.ln()));
        let entropy = -(first.exp() * first + second.exp() * second);
        let entropy = (entropy + 3.0 * 2.0_f64.ln()) / 4.0;
        assert_close(&found.entropy, entropy);
        // Twenty plies off is the edge of Huber's parabola.
        assert_close(found.moves_left.as_ref().unwrap(), 0.5);
        let total = 0.5 * policy + 0.5 * 2.0_f64.ln() - 0.1 * entropy + 0.2 * 0.5;
        assert_close(&found.total, total);
        assert!((found.q.into_data().iter::<f32>().next().unwrap() - 0.25).abs() < 1e-6);
    }

    #[test]
    fn all_moves_may_share_the_softmax() {
        let tensors = BatchTensors::new(&batch(), &Device::flex());
        let all = LossSettings { policy_softmax: PolicySoftmax::All, ..settings() };
        let found = losses(&all, ValueKind::Wdl, outputs(&[0.0; 3]), &tensors, None);
        let sum = (std::f64::consts::E + 4671.0).ln();
        assert_close(&found.policy, -(0.25 * (1.0 - sum) + 0.75 * (0.0 - sum)));
    }

    #[test]
    fn values_may_be_scalars() {
        let tensors = BatchTensors::new(&batch(), &Device::flex());
        let found = losses(&settings(), ValueKind::Scalar, outputs(&[0.4]), &tensors, None);
        assert_close(&found.value, 0.36);
    }

    #[test]
    fn the_distance_to_a_reference_counts() {
        let tensors = BatchTensors::new(&batch(), &Device::flex());
        let reference = |policy| {
            let logits = legal_logits(&policy, &tensors);
            Some(Reference { logits, weight: 2.0 })
        };
        let same = reference(outputs(&[0.0; 3]).policy);
        let near = losses(&settings(), ValueKind::Wdl, outputs(&[0.0; 3]), &tensors, same);
        assert_close(near.kl.as_ref().unwrap(), 0.0);
        let level = Policy::Logits(Tensor::zeros([2, 4672], &Device::flex()));
        let far =
            losses(&settings(), ValueKind::Wdl, outputs(&[0.0; 3]), &tensors, reference(level));
        let e = std::f64::consts::E;
        let logs = (e / (e + 1.0)).ln() + (1.0 / (e + 1.0)).ln();
        let kl = (0.5_f64.ln() - 0.5 * logs) / 4.0;
        assert_close(far.kl.as_ref().unwrap(), kl);
        assert_close(&far.total, number(&near.total) + 2.0 * kl);
    }
}
