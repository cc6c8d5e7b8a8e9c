//! Our operations against burn's and against finite differences, and whole
//! networks against ONNX Runtime.

use super::board_ops::{conv3x3, excite};
use super::sparse_ops::{Asked, asked_dense, sparse_dense};
use super::{
    Activation, Architecture, Body, Mode, Network, Norm, Policy, ValueKind, random_weights,
};
use crate::export::{Expected, Metadata, Options, Outputs, Precision, build, compare};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Int, Tensor, TensorData, activation};
use engine::encode::Encoder;
use engine::search::Random;

fn cpu() -> Device {
    Device::flex()
}

fn random<const D: usize>(dims: [usize; D], seed: u64, device: &Device) -> Tensor<D> {
    let mut random = Random::new(seed);
    let count = dims.iter().product::<usize>();
    let data: Vec<f32> = (0..count).map(|_| random.unit() as f32 * 2.0 - 1.0).collect();
    Tensor::from_data(TensorData::new(data, dims), device)
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().iter::<f32>().collect()
}

/// A share of the numbers, the others zero.
fn thinned<const D: usize>(x: Tensor<D>, share: f32) -> Tensor<D> {
    let few = x.clone().abs().greater_elem(1.0 - share).float();
    x * few
}

#[track_caller]
fn assert_close(a: &[f32], b: &[f32], tolerance: f32) {
    assert_eq!(a.len(), b.len());
    let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst <= tolerance, "off by {worst}");
}

/// burn's convolution on boards with channels last.
fn burn_conv(x: Tensor<3>, weight: Tensor<4>, bias: Tensor<1>, relu: bool) -> Tensor<3> {
    let [boards, _, inputs] = x.dims();
    let outputs = weight.dims()[0];
    let x = x.reshape([boards, 8, 8, inputs]).permute([0, 3, 1, 2]);
    let y = conv2d(x, weight, Some(bias), ConvOptions::new([1, 1], [1, 1], [1, 1], 1));
    let y = y.permute([0, 2, 3, 1]).reshape([boards, 64, outputs]);
    if relu { activation::relu(y) } else { y }
}

type Conv = fn(Tensor<3>, Tensor<4>, Tensor<1>, bool) -> Tensor<3>;

/// The result and the three gradients of a weighted sum of it.
fn conv_pass(conv: Conv, boards: usize, channels: [usize; 2], relu: bool) -> [Vec<f32>; 4] {
    let device = cpu().autodiff();
    let [inputs, outputs] = channels;
    let x = random([boards, 64, inputs], 1, &device).require_grad();
    let weight = random([outputs, inputs, 3, 3], 2, &device).require_grad();
    let bias = random([outputs], 3, &device).require_grad();
    let y = conv(x.clone(), weight.clone(), bias.clone(), relu);
    let gradients = (y.clone() * random([boards, 64, outputs], 4, &device)).sum().backward();
    [
        numbers(y),
        numbers(x.grad(&gradients).unwrap()),
        numbers(weight.grad(&gradients).unwrap()),
        numbers(bias.grad(&gradients).unwrap()),
    ]
}

#[test]
fn convolution_is_burns() {
    // Channels that fill no vector, and boards that fill no part.
    for (boards, channels) in [(1, [18, 16]), (37, [5, 20]), (64, [32, 32])] {
        for relu in [false, true] {
            let ours = conv_pass(conv3x3, boards, channels, relu);
            let theirs = conv_pass(burn_conv, boards, channels, relu);
            for (ours, theirs) in ours.iter().zip(&theirs) {
                let size = theirs.iter().map(|x| x.abs()).fold(1.0, f32::max);
                assert_close(ours, theirs, size * 2e-5);
            }
        }
    }
}

#[test]
fn convolution_does_not_depend_on_threads() {
    let pass = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| conv_pass(conv3x3, 100, [18, 24], true))
    };
    assert_eq!(pass(1), pass(3));
}

type Sparse = fn(Tensor<2>, Tensor<2>, Tensor<2>, Tensor<1>) -> Tensor<2>;

fn burn_sparse(x: Tensor<2>, weight: Tensor<2>, shared: Tensor<2>, bias: Tensor<1>) -> Tensor<2> {
    let ([inputs, outputs], [groups, _]) = (weight.dims(), shared.dims());
    let weight = weight.reshape([groups, inputs / groups, outputs]) + shared.unsqueeze_dim::<3>(1);
    x.matmul(weight.reshape([inputs, outputs])) + bias.unsqueeze()
}

/// The result and the three gradients of a weighted sum of it; two inputs share.
fn sparse_pass(layer: Sparse, rows: usize, [inputs, outputs]: [usize; 2]) -> [Vec<f32>; 4] {
    let device = cpu().autodiff();
    let x = thinned(random([rows, inputs], 1, &device), 0.1);
    let weight = random([inputs, outputs], 2, &device).require_grad();
    let shared = random([inputs / 2, outputs], 5, &device).require_grad();
    let bias = random([outputs], 3, &device).require_grad();
    let y = layer(x, weight.clone(), shared.clone(), bias.clone());
    let gradients = (y.clone() * random([rows, outputs], 4, &device)).sum().backward();
    [
        numbers(y),
        numbers(weight.grad(&gradients).unwrap()),
        numbers(shared.grad(&gradients).unwrap()),
        numbers(bias.grad(&gradients).unwrap()),
    ]
}

#[test]
fn sparse_layers_are_burns() {
    // Rows that fill no part, and widths that fill no vector.
    for (rows, widths) in [(1, [18, 1]), (37, [130, 45]), (200, [64, 70])] {
        let ours = sparse_pass(sparse_dense, rows, widths);
        let theirs = sparse_pass(burn_sparse, rows, widths);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_close(ours, theirs, 1e-4);
        }
    }
}

type Chosen = fn(Tensor<2>, Tensor<2>, Tensor<1>, Asked) -> Tensor<2>;

fn burn_asked(x: Tensor<2>, weight: Tensor<2>, bias: Tensor<1>, asked: Asked) -> Tensor<2> {
    (x.matmul(weight.transpose()) + bias.unsqueeze()).gather(1, asked.outputs)
}

/// Half of `asked` outputs are wanted; none of the first row's.
fn wishes([rows, asked]: [usize; 2], outputs: usize, device: &Device) -> Asked {
    let numbers = (0..rows * asked).map(|i| ((i * 7919) % outputs) as i32).collect();
    let wanted = (0..rows * asked).map(|i| (i >= asked && i % 2 == 0) as u8 as f32).collect();
    let dims = [rows, asked];
    Asked {
        outputs: Tensor::<2, Int>::from_data(TensorData::new::<i32, _>(numbers, dims), device),
        wanted: Tensor::from_data(TensorData::new::<f32, _>(wanted, dims), device),
    }
}

/// The result where it is wanted, and the three gradients of a weighted sum of it.
fn asked_pass(layer: Chosen, dims: [usize; 2], [inputs, outputs]: [usize; 2]) -> [Vec<f32>; 4] {
    let device = cpu().autodiff();
    let x = random([dims[0], inputs], 1, &device).require_grad();
    let weight = random([outputs, inputs], 2, &device).require_grad();
    let bias = random([outputs], 3, &device).require_grad();
    let asked = wishes(dims, outputs, &device);
    let wanted = asked.wanted.clone();
    let y = layer(x.clone(), weight.clone(), bias.clone(), asked) * wanted;
    let gradients = (y.clone() * random(dims, 4, &device)).sum().backward();
    [
        numbers(y),
        numbers(x.grad(&gradients).unwrap()),
        numbers(weight.grad(&gradients).unwrap()),
        numbers(bias.grad(&gradients).unwrap()),
    ]
}

#[test]
fn asked_outputs_are_burns() {
    for (dims, widths) in [([2, 3], [5, 7]), ([37, 24], [45, 130]), ([150, 8], [64, 70])] {
        let ours = asked_pass(asked_dense, dims, widths);
        let theirs = asked_pass(burn_asked, dims, widths);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_close(ours, theirs, 1e-4);
        }
    }
}

#[test]
fn layers_used_in_part_do_not_depend_on_threads() {
    let pass = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let sparse = sparse_pass(sparse_dense, 200, [130, 45]);
            (sparse, asked_pass(asked_dense, [150, 8], [45, 130]))
        })
    };
    assert_eq!(pass(1), pass(3));
}

#[test]
fn a_dense_network_has_the_policy_that_it_is_asked_for() {
    let architecture = architectures().into_iter().find(|a| a.body == Body::Dense).unwrap();
    let weights = random_weights(&architecture, 5);
    let network = Network::new(&architecture, &weights, &cpu());
    let planes = thinned(random([6, 64, architecture.encoder.planes()], 6, &cpu()), 0.01);
    let policy = network.forward(planes, Mode::Train).policy;
    assert!(matches!(policy, Policy::Layer { .. }));
    let asked = || wishes([6, 10], architecture.encoder.policy().len(), &cpu());
    let all = policy.all().gather(1, asked().outputs) * asked().wanted;
    assert_close(&numbers(policy.of(asked()) * asked().wanted), &numbers(all), 1e-4);
}

/// The slope of `f` in the direction of each of some coordinates, against the
/// gradient that was found.
fn assert_slopes(at: &[f32], gradient: &[f32], f: impl Fn(&[f32]) -> f32) {
    const STEP: f32 = 1e-2;
    for i in (0..at.len()).step_by(at.len() / 7 + 1) {
        let mut moved = at.to_vec();
        moved[i] = at[i] + STEP;
        let above = f(&moved);
        moved[i] = at[i] - STEP;
        let slope = (above - f(&moved)) / (2.0 * STEP);
        assert!((slope - gradient[i]).abs() < 2e-2, "{i}: {slope} is not {}", gradient[i]);
    }
}

#[test]
fn convolution_gradients_are_slopes() {
    let [_, x_gradient, weight_gradient, bias_gradient] = conv_pass(conv3x3, 1, [3, 4], false);
    let device = cpu();
    let (x, weight) = (random([1, 64, 3], 1, &device), random([4, 3, 3, 3], 2, &device));
    let (bias, factors) = (random([4], 3, &device), random([1, 64, 4], 4, &device));
    let sum = |x: Tensor<3>, weight: Tensor<4>, bias: Tensor<1>| {
        (conv3x3(x, weight, bias, false) * factors.clone()).sum().into_scalar::<f32>()
    };
    let place = |data: &[f32]| TensorData::new(data.to_vec(), [data.len()]);
    assert_slopes(&numbers(x.clone()), &x_gradient, |data| {
        let x = Tensor::<1>::from_data(place(data), &device).reshape([1, 64, 3]);
        sum(x, weight.clone(), bias.clone())
    });
    assert_slopes(&numbers(weight.clone()), &weight_gradient, |data| {
        let weight = Tensor::<1>::from_data(place(data), &device).reshape([4, 3, 3, 3]);
        sum(x.clone(), weight, bias.clone())
    });
    assert_slopes(&numbers(bias.clone()), &bias_gradient, |data| {
        sum(x.clone(), weight.clone(), Tensor::from_data(place(data), &device))
    });
}

#[test]
fn excitation_is_its_parts() {
    let device = cpu().autodiff();
    let pass = |ours: bool| {
        let x = random([5, 64, 12], 1, &device).require_grad();
        let y = random([5, 64, 12], 2, &device).require_grad();
        let scale = random([5, 12], 3, &device).require_grad();
        let out = match ours {
            true => excite(x.clone(), y.clone(), scale.clone()),
            false => {
                let scaled = y.clone() * scale.clone().unsqueeze_dim::<3>(1);
                activation::relu(x.clone() + scaled)
            }
        };
        let gradients = (out.clone() * random([5, 64, 12], 4, &device)).sum().backward();
        let scale = numbers(scale.grad(&gradients).unwrap());
        let boards = [&x, &y].map(|tensor| numbers(tensor.grad(&gradients).unwrap()));
        [numbers(out), scale, boards.concat()]
    };
    for (ours, parts) in pass(true).iter().zip(&pass(false)) {
        assert_close(ours, parts, 1e-4);
    }
}

fn architectures() -> Vec<Architecture> {
    let plain = Architecture {
        encoder: Encoder::Basic18,
        body: Body::Tower,
        hidden: 0,
        blocks: 2,
        channels: 16,
        squeeze: 0,
        attention_blocks: 0,
        norm: Norm::None,
        groups: 4,
        activation: Activation::Relu,
        policy_channels: 16,
        value: ValueKind::Wdl,
        value_channels: 8,
        value_hidden: 32,
        moves_left: false,
    };
    let squeezed = Architecture { squeeze: 8, moves_left: true, ..plain.clone() };
    let attentive = Architecture {
        encoder: Encoder::Nmp72,
        attention_blocks: 1,
        norm: Norm::Group,
        activation: Activation::Gelu,
        ..squeezed.clone()
    };
    let batch = Architecture {
        encoder: Encoder::Az119,
        norm: Norm::Batch,
        activation: Activation::Mish,
        value: ValueKind::Scalar,
        ..squeezed.clone()
    };
    let dense = Architecture {
        encoder: Encoder::Threats,
        body: Body::Dense,
        hidden: 40,
        moves_left: true,
        ..plain.clone()
    };
    let scalar = Architecture {
        encoder: Encoder::Basic18,
        value: ValueKind::Scalar,
        moves_left: false,
        ..dense.clone()
    };
    vec![plain, squeezed, attentive, batch, dense, scalar]
}

#[test]
fn the_exported_network_answers_as_the_trained_one() {
    for architecture in architectures() {
        let weights = random_weights(&architecture, 5);
        let network = Network::new(&architecture, &weights, &cpu());
        assert_eq!(network.weights(), weights);
        let count = 20;
        let mut planes = random([count, architecture.encoder.planes(), 64], 6, &cpu());
        if architecture.body == Body::Dense {
            // As many squares as in a position, else the sums grow with the planes.
            planes = thinned(planes, 100.0 / (architecture.encoder.planes() * 64) as f32);
        }
        let outputs = network.forward(planes.clone().swap_dims(1, 2), Mode::Infer);
        let outputs = Outputs {
            policy: numbers(outputs.policy.all()),
            value: numbers(outputs.value),
            moves_left: outputs.moves_left.map(numbers),
        };
        let legal = vec![(0..architecture.encoder.policy().len()).collect(); count];
        let expected = Expected { planes: &numbers(planes), outputs: &outputs, legal: &legal };
        let options = Options { precision: Precision::F32, metadata: Metadata::default() };
        let file = build(&architecture, &weights, &options).unwrap();
        let agreement = compare(&file, &expected).unwrap();
        let worst = agreement.max_policy_error.max(agreement.max_value_error);
        assert!(worst < 1e-4, "{}: {agreement:?}", architecture.describe());
        assert!(agreement.max_moves_left_error < 1e-4, "{agreement:?}");
    }
}
