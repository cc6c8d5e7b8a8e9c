//! Our own operations for boards, plugged into burn: on the processor they are
//! the kernels of this crate, on other devices a composition of burn's.
//!
//! Boards are [batch, 64, channels]: channels last, as the kernels want them.

use super::kernel::{self, SQUARES, Shape};
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::ops::{ConvOptions, FloatTensorOps};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, TensorMetadata, backend_extension};
use burn::tensor::{Shape as Dims, Tensor, TensorData};

/// 3x3 convolution that keeps the board, plus bias, then ReLU if asked.
/// `weight` is [outputs, inputs, 3, 3].
pub fn conv3x3(x: Tensor<3>, weight: Tensor<4>, bias: Tensor<1>, relu: bool) -> Tensor<3> {
    Tensor::from_dispatch(Dispatch::conv3x3(
        x.into_dispatch(),
        weight.into_dispatch(),
        bias.into_dispatch(),
        relu,
    ))
}

/// relu(x + y * scale), with one scale per board and channel.
pub fn excite(x: Tensor<3>, y: Tensor<3>, scale: Tensor<2>) -> Tensor<3> {
    Tensor::from_dispatch(Dispatch::excite(
        x.into_dispatch(),
        y.into_dispatch(),
        scale.into_dispatch(),
    ))
}

#[backend_extension(Flex, Cube: cfg(any(feature = "cuda", feature = "wgpu")), Autodiff)]
pub trait BoardOps: Backend {
    fn conv3x3(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        relu: bool,
    ) -> FloatTensor<Self> {
        let (dims, outputs) = (x.shape(), weight.shape()[0]);
        let x = Self::float_reshape(x, Dims::new([dims[0], 8, 8, dims[2]]));
        let x = Self::float_permute(x, &[0, 3, 1, 2]);
        let options = ConvOptions::new([1, 1], [1, 1], [1, 1], 1);
        let y = Self::conv2d(x, weight, Some(bias), options);
        let y = Self::float_permute(y, &[0, 2, 3, 1]);
        let y = Self::float_reshape(y, Dims::new([dims[0], SQUARES, outputs]));
        if relu { Self::relu(y) } else { y }
    }

    fn excite(
        x: FloatTensor<Self>,
        y: FloatTensor<Self>,
        scale: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let dims = x.shape();
        let scale = Self::float_reshape(scale, Dims::new([dims[0], 1, dims[2]]));
        Self::relu(Self::float_add(x, Self::float_mul(y, scale)))
    }
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
impl BoardOps for burn::backend::Cube {}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
impl<C: CheckpointStrategy> BoardOps for Autodiff<burn::backend::Cube, C> {}

type CpuTensor = FloatTensor<Flex>;

impl BoardOps for Flex {
    fn conv3x3(x: CpuTensor, weight: CpuTensor, bias: CpuTensor, relu: bool) -> CpuTensor {
        let (x, weight, bias) = (x.to_contiguous(), weight.to_contiguous(), bias.to_contiguous());
        let shape = conv_shape(&weight);
        let boards = x.shape()[0];
        let filters = kernel::to_points(shape, weight.storage());
        let y = kernel::forward(shape, x.storage(), &filters, bias.storage(), relu);
        tensor(y, [boards, SQUARES, shape.outputs])
    }

    fn excite(x: CpuTensor, y: CpuTensor, scale: CpuTensor) -> CpuTensor {
        let (x, y, scale) = (x.to_contiguous(), y.to_contiguous(), scale.to_contiguous());
        let shape = x.shape();
        tensor(kernel::excite(shape[2], x.storage(), y.storage(), scale.storage()), shape)
    }
}

impl<C: CheckpointStrategy> BoardOps for Autodiff<Flex, C> {
    fn conv3x3(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        relu: bool,
    ) -> FloatTensor<Self> {
        let forward = |x, weight, bias| Flex::conv3x3(x, weight, bias, relu);
        let nodes = [x.node(), weight.node(), bias.node()];
        match ConvBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let (x, weight) = (x.into_primitive(), weight.into_primitive());
                let y = forward(x.clone(), weight.clone(), bias.into_primitive());
                let state = ConvState { x, weight, y: relu.then(|| y.clone()) };
                prep.finish(state, y)
            }
            OpsKind::UnTracked(prep) => prep.finish(forward(
                x.into_primitive(),
                weight.into_primitive(),
                bias.into_primitive(),
            )),
        }
    }

    fn excite(
        x: FloatTensor<Self>,
        y: FloatTensor<Self>,
        scale: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), y.node(), scale.node()];
        match ExciteBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let (y, scale) = (y.into_primitive(), scale.into_primitive());
                let out = Flex::excite(x.into_primitive(), y.clone(), scale.clone());
                prep.finish(ExciteState { y, scale, out: out.clone() }, out)
            }
            OpsKind::UnTracked(prep) => prep.finish(Flex::excite(
                x.into_primitive(),
                y.into_primitive(),
                scale.into_primitive(),
            )),
        }
    }
}

#[derive(Debug)]
struct ConvBackward;

#[derive(Clone, Debug)]
struct ConvState {
    x: CpuTensor,
    weight: CpuTensor,
    /// The result, where ReLU made it: what is zero there has no gradient.
    y: Option<CpuTensor>,
}

impl Backward<Flex, 3> for ConvBackward {
    type State = ConvState;

    fn backward(
        self,
        ops: Ops<ConvState, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let gradient = grads.consume::<Flex>(&ops.node).to_contiguous();
        let [x_node, weight_node, bias_node] = ops.parents;
        let ConvState { x, weight, y } = ops.state;
        let (x, weight) = (x.to_contiguous(), weight.to_contiguous());
        let y = y.map(|y| y.to_contiguous());
        let shape = conv_shape(&weight);
        let result = kernel::backward(&kernel::Backward {
            shape,
            x: x.storage(),
            filters: &kernel::to_points(shape, weight.storage()),
            y: y.as_ref().map(|y| y.storage()),
            gradient: gradient.storage(),
            wants_x: x_node.is_some(),
        });
        if let Some(node) = x_node {
            grads.register::<Flex>(node.id, tensor(result.x, x.shape()));
        }
        if let Some(node) = weight_node {
            grads.register::<Flex>(node.id, tensor(result.weight, weight.shape()));
        }
        if let Some(node) = bias_node {
            grads.register::<Flex>(node.id, tensor(result.bias, [shape.outputs]));
        }
    }
}

#[derive(Debug)]
struct ExciteBackward;

#[derive(Clone, Debug)]
struct ExciteState {
    y: CpuTensor,
    scale: CpuTensor,
    out: CpuTensor,
}

impl Backward<Flex, 3> for ExciteBackward {
    type State = ExciteState;

    fn backward(
        self,
        ops: Ops<ExciteState, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let gradient = grads.consume::<Flex>(&ops.node).to_contiguous();
        let ExciteState { y, scale, out } = ops.state;
        let (y, scale, out) = (y.to_contiguous(), scale.to_contiguous(), out.to_contiguous());
        let result = kernel::excite_backward(
            y.shape()[2],
            y.storage(),
            scale.storage(),
            out.storage(),
            gradient.storage(),
        );
        let parts = [(result.x, y.shape()), (result.y, y.shape()), (result.scale, scale.shape())];
        for (node, (data, shape)) in ops.parents.into_iter().zip(parts) {
            if let Some(node) = node {
                grads.register::<Flex>(node.id, tensor(data, shape));
            }
        }
    }
}

fn conv_shape(weight: &CpuTensor) -> Shape {
    let dims = weight.shape();
    Shape { outputs: dims[0], inputs: dims[1] }
}

/// On the processor.
pub fn tensor(data: Vec<f32>, shape: impl Into<Dims>) -> CpuTensor {
    Flex::float_from_data(TensorData::new(data, shape), &Default::default())
}
