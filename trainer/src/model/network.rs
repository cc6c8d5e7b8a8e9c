//! A network on a device: named tensors and the forward pass over them.
//!
//! There are no layer objects: the names of [`super::Weights`] are the one
//! description that training, checkpoints, averages and export share.

use super::board_ops::{conv3x3, excite};
use super::layers::{
    Affine, Statistics, activate, attend, batch_statistics, dense, normalize, normalize_groups,
};
use super::sparse_ops::{Asked, asked_dense, sparse_dense};
use super::{Activation, Architecture, Body, Norm, Tensor as Stored, Weights, expected_tensors};
use burn::tensor::{Device, Tensor, TensorData, activation};
use std::cell::RefCell;
use std::collections::BTreeMap;

pub struct Network {
    pub architecture: Architecture,
    /// Flat, by name.
    pub tensors: BTreeMap<String, Tensor<1>>,
    dims: BTreeMap<String, Vec<usize>>,
}

/// Whether batch normalization learns from the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Train,
    Infer,
}

pub struct Outputs {
    pub policy: Policy,
    /// [batch, 3]: logits of win, draw, loss; or [batch, 1] between -1 and 1.
    pub value: Tensor<2>,
    /// [batch, 1]: plies.
    pub moves_left: Option<Tensor<2>>,
    /// In [`Mode::Train`]: the batch's means and variances by tensor name.
    pub statistics: Vec<(String, Tensor<1>)>,
}

/// Logits of moves, computed when it is known which are asked for.
#[expect(clippy::large_enum_variant, reason = "there is one in a step")]
pub enum Policy {
    /// [batch, moves]: all of them.
    Logits(Tensor<2>),
    Layer(PolicyLayer),
}

/// The last layer of a policy, and what goes into it.
pub struct PolicyLayer {
    x: Tensor<2>,
    weight: Tensor<2>,
    bias: Tensor<1>,
}

impl Policy {
    /// [batch, moves].
    pub fn all(&self) -> Tensor<2> {
        match self {
            Policy::Logits(logits) => logits.clone(),
            Policy::Layer(layer) => {
                dense(layer.x.clone(), layer.weight.clone(), layer.bias.clone())
            }
        }
    }

    /// The logits of some moves; those that are not wanted may be anything.
    pub fn of(&self, asked: Asked) -> Tensor<2> {
        match self {
            Policy::Logits(logits) => logits.clone().gather(1, asked.outputs),
            Policy::Layer(layer) => {
                asked_dense(layer.x.clone(), layer.weight.clone(), layer.bias.clone(), asked)
            }
        }
    }
}

impl Network {
    /// `weights` must be those of the architecture: see [`super::check_weights`].
    pub fn new(architecture: &Architecture, weights: &Weights, device: &Device) -> Network {
        let place = |stored: &Stored| {
            let data = TensorData::new(stored.data.clone(), [stored.data.len()]);
            Tensor::from_data(data, device)
        };
        Network {
            architecture: architecture.clone(),
            tensors: weights.iter().map(|(name, stored)| (name.clone(), place(stored))).collect(),
            dims: expected_tensors(architecture).into_iter().collect(),
        }
    }

    /// The weights, off the device.
    pub fn weights(&self) -> Weights {
        self.store(&self.tensors)
    }

    /// Other tensors of the same names, off the device.
    pub fn store(&self, tensors: &BTreeMap<String, Tensor<1>>) -> Weights {
        let store = |(name, tensor): (&String, &Tensor<1>)| {
            let data = tensor.clone().into_data().iter::<f32>().collect();
            let dims = self.dims.get(name).cloned().unwrap_or_default();
            (name.clone(), Stored { dims, data })
        };
        tensors.iter().map(store).collect()
    }

    /// `planes` is [batch, 64, planes]: planes last.
    pub fn forward(&self, planes: Tensor<3>, mode: Mode) -> Outputs {
        let pass = Pass { network: self, mode, statistics: RefCell::default() };
        match self.architecture.body {
            Body::Tower => pass.tower(planes),
            Body::Dense => pass.dense_body(planes),
        }
    }
}

/// One forward pass.
struct Pass<'a> {
    network: &'a Network,
    mode: Mode,
    statistics: RefCell<Vec<(String, Tensor<1>)>>,
}

impl Pass<'_> {
    fn tower(self, planes: Tensor<3>) -> Outputs {
        let architecture = &self.network.architecture;
        let mut x = self.conv_activated("stem", "stem.norm", planes);
        for block in 0..architecture.blocks {
            x = self.block(block, x);
        }
        let policy = Policy::Logits(self.policy(x.clone()));
        let value = self.value(self.flattened("value", x.clone()), None);
        let moves_left = architecture.moves_left.then(|| {
            let x = self.flattened("moves_left", x);
            self.moves_left(x)
        });
        Outputs { policy, value, moves_left, statistics: self.statistics.into_inner() }
    }

    fn dense_body(self, planes: Tensor<3>) -> Outputs {
        let [batch, squares, count] = planes.dims();
        // Plane by plane, as the exported network flattens.
        let flat = planes.swap_dims(1, 2).reshape([batch, count * squares]);
        let (weight, shared) = (self.tensor("features.weight"), self.tensor("features.shared"));
        let sums = sparse_dense(flat, weight, shared, self.tensor("features.bias"));
        let (hidden, width) = (self.network.architecture.hidden, sums.dims()[1]);
        let direct = sums.clone().slice([0..batch, hidden..width]);
        let x = activation::relu(sums.slice([0..batch, 0..hidden]));
        let x = x.clone() * x;
        let policy = Policy::Layer(PolicyLayer {
            x: x.clone(),
            weight: self.tensor("policy.weight"),
            bias: self.tensor("policy.bias"),
        });
        let moves_left = self.network.architecture.moves_left;
        let moves_left = moves_left.then(|| self.moves_left(x.clone()));
        let value = self.value(x, Some(direct));
        Outputs { policy, value, moves_left, statistics: Vec::new() }
    }

    fn block(&self, block: usize, x: Tensor<3>) -> Tensor<3> {
        let name = |part: &str| format!("blocks.{block}.{part}");
        let architecture = &self.network.architecture;
        let y = self.conv_activated(&name("conv1"), &name("norm1"), x.clone());
        let y = self.normalized(&name("norm2"), self.conv(&name("conv2"), y, false));
        let scale = (architecture.squeeze > 0).then(|| self.squeeze(&name("squeeze"), &y));
        let attention = architecture.has_attention(block);
        if let (Some(scale), Activation::Relu, false) = (&scale, architecture.activation, attention)
        {
            return excite(x, y, scale.clone());
        }
        let y = match scale {
            Some(scale) => y * scale.unsqueeze_dim::<3>(1),
            None => y,
        };
        let y = match attention {
            true => attend(
                y,
                self.tensor(&name("attention.weight")),
                self.tensor(&name("attention.bias")),
            ),
            false => y,
        };
        activate(x + y, architecture.activation)
    }

    /// A scale per board and channel, [batch, channels].
    fn squeeze(&self, name: &str, y: &Tensor<3>) -> Tensor<2> {
        let [batch, _, channels] = y.dims();
        let pooled = y.clone().mean_dim(1).reshape([batch, channels]);
        let squeezed = activation::relu(self.dense(&format!("{name}.down"), pooled));
        activation::sigmoid(self.dense(&format!("{name}.up"), squeezed))
    }

    fn policy(&self, x: Tensor<3>) -> Tensor<2> {
        let y = self.conv_activated("policy.conv1", "policy.norm1", x);
        let y = self.pointwise("policy.conv2", y);
        let [batch, squares, types] = y.dims();
        y.swap_dims(1, 2).reshape([batch, types * squares])
    }

    fn value(&self, x: Tensor<2>, direct: Option<Tensor<2>>) -> Tensor<2> {
        let value = self.dense_head("value", x, direct);
        match self.network.architecture.value {
            super::ValueKind::Wdl => value,
            super::ValueKind::Scalar => value.tanh(),
        }
    }

    fn moves_left(&self, x: Tensor<2>) -> Tensor<2> {
        activation::softplus(self.dense_head("moves_left", x, None), 1.0)
    }

    /// What the tower has for a head, as one row for each board.
    fn flattened(&self, head: &str, x: Tensor<3>) -> Tensor<2> {
        let kind = self.network.architecture.activation;
        let y = self.pointwise(&format!("{head}.conv"), x);
        let y = activate(self.normalized(&format!("{head}.norm"), y), kind);
        let [batch, squares, channels] = y.dims();
        // Channel by channel, as the exported network flattens.
        y.swap_dims(1, 2).reshape([batch, channels * squares])
    }

    /// `direct` comes to the hidden layer without passing another.
    fn dense_head(&self, head: &str, x: Tensor<2>, direct: Option<Tensor<2>>) -> Tensor<2> {
        let kind = self.network.architecture.activation;
        let y = self.dense(&format!("{head}.dense1"), x);
        let y = match direct {
            Some(direct) => y + direct,
            None => y,
        };
        let y = activate(y, kind);
        self.dense(&format!("{head}.dense2"), y)
    }

    /// act(norm(conv3x3 x)).
    fn conv_activated(&self, name: &str, norm: &str, x: Tensor<3>) -> Tensor<3> {
        let architecture = &self.network.architecture;
        if (architecture.norm, architecture.activation) == (Norm::None, Activation::Relu) {
            return self.conv(name, x, true);
        }
        activate(self.normalized(norm, self.conv(name, x, false)), architecture.activation)
    }

    fn conv(&self, name: &str, x: Tensor<3>, relu: bool) -> Tensor<3> {
        let weight = self.tensor(&format!("{name}.weight"));
        conv3x3(x, weight, self.tensor(&format!("{name}.bias")), relu)
    }

    /// A 1x1 convolution.
    fn pointwise(&self, name: &str, x: Tensor<3>) -> Tensor<3> {
        let weight = self.flat(&format!("{name}.weight"));
        let [outputs, inputs] = [self.dim(name, 0), self.dim(name, 1)];
        dense(x, weight.reshape([outputs, inputs]), self.tensor(&format!("{name}.bias")))
    }

    fn dense(&self, name: &str, x: Tensor<2>) -> Tensor<2> {
        let weight = self.tensor(&format!("{name}.weight"));
        dense(x, weight, self.tensor(&format!("{name}.bias")))
    }

    fn normalized(&self, name: &str, x: Tensor<3>) -> Tensor<3> {
        let architecture = &self.network.architecture;
        let affine = || Affine {
            gamma: self.tensor(&format!("{name}.gamma")),
            beta: self.tensor(&format!("{name}.beta")),
        };
        match architecture.norm {
            Norm::None => x,
            Norm::Group => normalize_groups(x, architecture.groups, affine()),
            Norm::Batch => {
                let names = [format!("{name}.mean"), format!("{name}.variance")];
                let [mean, variance] = names.each_ref().map(|name| self.flat(name));
                let mut statistics = Statistics { mean, variance };
                if self.mode == Mode::Train {
                    statistics = batch_statistics(&x);
                    let seen = [&statistics.mean, &statistics.variance];
                    let named = names.into_iter().zip(seen.map(|tensor| tensor.clone().detach()));
                    self.statistics.borrow_mut().extend(named);
                }
                normalize(x, statistics, affine())
            }
        }
    }

    fn tensor<const D: usize>(&self, name: &str) -> Tensor<D> {
        let dims: [usize; D] = std::array::from_fn(|i| self.network.dims[name][i]);
        self.flat(name).reshape(dims)
    }

    fn dim(&self, name: &str, index: usize) -> usize {
        self.network.dims[&format!("{name}.weight")][index]
    }

    fn flat(&self, name: &str) -> Tensor<1> {
        self.network.tensors[name].clone()
    }
}
