//! Layers of a network on boards [batch, 64, channels].

use super::{ATTENTION_KERNEL, Activation, NORM_EPSILON};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Tensor, activation};

pub fn activate<const D: usize>(x: Tensor<D>, kind: Activation) -> Tensor<D> {
    match kind {
        Activation::Relu => activation::relu(x),
        Activation::Gelu => activation::gelu(x),
        Activation::Mish => activation::mish(x),
    }
}

/// A fully connected layer on the last dimension; `weight` is [outputs, inputs].
/// On boards it is a 1x1 convolution.
pub fn dense<const D: usize>(x: Tensor<D>, weight: Tensor<2>, bias: Tensor<1>) -> Tensor<D> {
    let [outputs, inputs] = weight.dims();
    let mut dims = x.dims();
    let rows = dims[..D - 1].iter().product::<usize>();
    dims[D - 1] = outputs;
    let y = x.reshape([rows, inputs]).matmul(weight.transpose()) + bias.reshape([1, outputs]);
    y.reshape(dims)
}

/// Spatial attention: every square is scaled by what its surroundings say.
pub fn attend(x: Tensor<3>, weight: Tensor<4>, bias: Tensor<1>) -> Tensor<3> {
    let [batch, squares, _] = x.dims();
    let mean = x.clone().mean_dim(2).reshape([batch, 1, 8, 8]);
    let max = x.clone().max_dim(2).reshape([batch, 1, 8, 8]);
    let pad = ATTENTION_KERNEL / 2;
    let options = ConvOptions::new([1, 1], [pad, pad], [1, 1], 1);
    let scale = conv2d(Tensor::cat(vec![mean, max], 1), weight, Some(bias), options);
    x * activation::sigmoid(scale.reshape([batch, squares, 1]))
}

/// Scale and shift of a normalization.
pub struct Affine {
    pub gamma: Tensor<1>,
    pub beta: Tensor<1>,
}

impl Affine {
    fn apply(self, x: Tensor<3>) -> Tensor<3> {
        let channels = x.dims()[2];
        x * self.gamma.reshape([1, 1, channels]) + self.beta.reshape([1, 1, channels])
    }
}

/// Mean and variance per channel.
pub struct Statistics {
    pub mean: Tensor<1>,
    pub variance: Tensor<1>,
}

/// Batch normalization with given statistics.
pub fn normalize(x: Tensor<3>, statistics: Statistics, affine: Affine) -> Tensor<3> {
    let channels = x.dims()[2];
    let shape = [1, 1, channels];
    let deviation = (statistics.variance + NORM_EPSILON).sqrt().reshape(shape);
    affine.apply((x - statistics.mean.reshape(shape)) / deviation)
}

/// What a batch says of itself.
pub fn batch_statistics(x: &Tensor<3>) -> Statistics {
    let [batch, squares, channels] = x.dims();
    let rows = x.clone().reshape([batch * squares, channels]);
    let mean = rows.clone().mean_dim(0);
    let centered = rows - mean.clone();
    let variance = (centered.clone() * centered).mean_dim(0);
    Statistics { mean: mean.reshape([channels]), variance: variance.reshape([channels]) }
}

/// Group normalization: each board by itself, its channels in `groups`.
pub fn normalize_groups(x: Tensor<3>, groups: usize, affine: Affine) -> Tensor<3> {
    let [batch, squares, channels] = x.dims();
    let size = channels / groups;
    // Channels of a group next to each other, so that one reduction takes them.
    let split = x.reshape([batch, squares, groups, size]).swap_dims(1, 2);
    let split = split.reshape([batch, groups, squares * size]);
    let centered = split.clone() - split.mean_dim(2);
    let variance = (centered.clone() * centered.clone()).mean_dim(2);
    let normal = centered / (variance + NORM_EPSILON).sqrt();
    let normal = normal.reshape([batch, groups, squares, size]).swap_dims(1, 2);
    affine.apply(normal.reshape([batch, squares, channels]))
}
