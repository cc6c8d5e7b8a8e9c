//! Fully connected layers that are used in part, plugged into burn: on the
//! processor they cost what is used, on other devices they are burn's own.

use super::board_ops::tensor;
use super::kernel::sparse::{
    Sparse, group_sums, multiply, multiply_transposed, products, with_shared,
};
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Autodiff, Backend, Dispatch, Flex, TensorMetadata, backend_extension};
use burn::tensor::{Int, Shape as Dims, Tensor};

/// `x` * weights + `bias` for an `x` that is mostly zero and needs no gradient.
/// The weights are `weight`, [inputs, outputs], and what inputs have in common:
/// `shared`, [groups, outputs], each for as many inputs in a row.
pub fn sparse_dense(
    x: Tensor<2>,
    weight: Tensor<2>,
    shared: Tensor<2>,
    bias: Tensor<1>,
) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::sparse_dense(
        x.into_dispatch(),
        weight.into_dispatch(),
        shared.into_dispatch(),
        bias.into_dispatch(),
    ))
}

/// Some outputs of a layer.
pub struct Asked {
    /// [batch, width]: their numbers.
    pub outputs: Tensor<2, Int>,
    /// [batch, width]: 0 for those that need not be computed.
    pub wanted: Tensor<2>,
}

/// The outputs of `x` * `weight` (transposed) + `bias` that are asked for;
/// anything where they are not wanted. `weight` is [outputs, inputs].
pub fn asked_dense(x: Tensor<2>, weight: Tensor<2>, bias: Tensor<1>, asked: Asked) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::asked_dense(
        x.into_dispatch(),
        weight.into_dispatch(),
        bias.into_dispatch(),
        asked.outputs.into_dispatch(),
        asked.wanted.into_dispatch(),
    ))
}

#[backend_extension(Flex, Cube: cfg(any(feature = "cuda", feature = "wgpu")), Autodiff)]
pub trait SparseOps: Backend {
    fn sparse_dense(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        shared: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let (inputs, width, groups) = (weight.shape()[0], weight.shape()[1], shared.shape()[0]);
        let weight = Self::float_reshape(weight, Dims::new([groups, inputs / groups, width]));
        let shared = Self::float_reshape(shared, Dims::new([groups, 1, width]));
        let weight =
            Self::float_reshape(Self::float_add(weight, shared), Dims::new([inputs, width]));
        let bias = Self::float_reshape(bias, Dims::new([1, width]));
        Self::float_add(Self::float_matmul(x, weight), bias)
    }

    fn asked_dense(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        outputs: IntTensor<Self>,
        _wanted: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let count = weight.shape()[0];
        let bias = Self::float_reshape(bias, Dims::new([1, count]));
        let all = Self::float_matmul(x, Self::float_transpose(weight));
        Self::float_gather(1, Self::float_add(all, bias), outputs)
    }
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
impl SparseOps for burn::backend::Cube {}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
impl<C: CheckpointStrategy> SparseOps for Autodiff<burn::backend::Cube, C> {}

type CpuTensor = FloatTensor<Flex>;

impl SparseOps for Flex {
    fn sparse_dense(
        x: CpuTensor,
        weight: CpuTensor,
        shared: CpuTensor,
        bias: CpuTensor,
    ) -> CpuTensor {
        sparse_forward(&sparse(&x), &weight, &shared, &bias)
    }

    fn asked_dense(
        x: CpuTensor,
        weight: CpuTensor,
        bias: CpuTensor,
        outputs: IntTensor<Flex>,
        wanted: CpuTensor,
    ) -> CpuTensor {
        let wanted = wanted.to_contiguous();
        asked_forward(&x, &weight, &bias, &places(outputs, &wanted), &wanted)
    }
}

fn sparse(x: &CpuTensor) -> Sparse {
    let x = x.to_contiguous();
    Sparse::of(x.storage(), x.shape()[1])
}

fn sparse_forward(
    x: &Sparse,
    weight: &CpuTensor,
    shared: &CpuTensor,
    bias: &CpuTensor,
) -> CpuTensor {
    let [weight, shared, bias] = [weight, shared, bias].map(|x| x.to_contiguous());
    let width = weight.shape()[1];
    let group = weight.shape()[0] / shared.shape()[0];
    let weights = with_shared(weight.storage(), shared.storage(), group, width);
    let y = multiply(x, &weights, width, Some(bias.storage()));
    tensor(y, [x.rows(), width])
}

/// The outputs that are wanted, as cells of a matrix.
fn places(outputs: IntTensor<Flex>, wanted: &CpuTensor) -> Sparse {
    let width = wanted.shape()[1];
    let numbers: Vec<u32> = outputs.into_data().iter::<u32>().collect();
    let rows = numbers.chunks(width).zip(wanted.storage::<f32>().chunks(width));
    Sparse::from_rows(rows.map(|(outputs, wanted)| {
        let cells = outputs.iter().zip(wanted).filter(|(_, wanted)| **wanted != 0.0);
        cells.map(|(output, _)| (*output, 1.0)).collect()
    }))
}

fn asked_forward(
    x: &CpuTensor,
    weight: &CpuTensor,
    bias: &CpuTensor,
    places: &Sparse,
    wanted: &CpuTensor,
) -> CpuTensor {
    let (x, weight, bias) = (x.to_contiguous(), weight.to_contiguous(), bias.to_contiguous());
    let width = weight.shape()[1];
    let found = products(places, x.storage(), weight.storage(), width, bias.storage());
    let mut found = found.into_iter();
    let fill = |wanted: &f32| if *wanted != 0.0 { found.next().unwrap_or(0.0) } else { 0.0 };
    let y = wanted.storage().iter().map(fill).collect();
    tensor(y, wanted.shape())
}

impl<C: CheckpointStrategy> SparseOps for Autodiff<Flex, C> {
    fn sparse_dense(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        shared: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let (inputs, groups) = (x.shape()[1], shared.shape()[0]);
        let nodes = [weight.node(), shared.node(), bias.node()];
        let x = sparse(&x.into_primitive());
        let prepared = SparseBackward.prepare::<C>(nodes).compute_bound().stateful();
        let [weight, shared, bias] = [weight, shared, bias].map(|x| x.into_primitive());
        let y = sparse_forward(&x, &weight, &shared, &bias);
        match prepared {
            OpsKind::Tracked(prep) => prep.finish(SparseState { x, inputs, groups }, y),
            OpsKind::UnTracked(prep) => prep.finish(y),
        }
    }

    fn asked_dense(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        outputs: IntTensor<Self>,
        wanted: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), weight.node(), bias.node()];
        let wanted = wanted.into_primitive().to_contiguous();
        let places = places(outputs, &wanted);
        let prepared = AskedBackward.prepare::<C>(nodes).compute_bound().stateful();
        let (x, weight) = (x.into_primitive(), weight.into_primitive());
        let y = asked_forward(&x, &weight, &bias.into_primitive(), &places, &wanted);
        match prepared {
            OpsKind::Tracked(prep) => prep.finish(AskedState { x, weight, places, wanted }, y),
            OpsKind::UnTracked(prep) => prep.finish(y),
        }
    }
}

#[derive(Debug)]
struct SparseBackward;

#[derive(Clone, Debug)]
struct SparseState {
    x: Sparse,
    inputs: usize,
    groups: usize,
}

impl Backward<Flex, 3> for SparseBackward {
    type State = SparseState;

    fn backward(
        self,
        ops: Ops<SparseState, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let gradient = grads.consume::<Flex>(&ops.node).to_contiguous();
        let width = gradient.shape()[1];
        let [weight_node, shared_node, bias_node] = ops.parents;
        let SparseState { x, inputs, groups } = ops.state;
        let weight = multiply_transposed(&x, inputs, gradient.storage(), width);
        if let Some(node) = shared_node {
            let shared = group_sums(&weight, inputs / groups, width);
            grads.register::<Flex>(node.id, tensor(shared, [groups, width]));
        }
        if let Some(node) = weight_node {
            grads.register::<Flex>(node.id, tensor(weight, [inputs, width]));
        }
        if let Some(node) = bias_node {
            let sums = Flex::float_sum_dim(gradient, 0);
            grads.register::<Flex>(node.id, Flex::float_reshape(sums, Dims::new([width])));
        }
    }
}

#[derive(Debug)]
struct AskedBackward;

#[derive(Clone, Debug)]
struct AskedState {
    x: CpuTensor,
    weight: CpuTensor,
    places: Sparse,
    wanted: CpuTensor,
}

impl Backward<Flex, 3> for AskedBackward {
    type State = AskedState;

    fn backward(
        self,
        ops: Ops<AskedState, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let gradient = grads.consume::<Flex>(&ops.node).to_contiguous();
        let AskedState { x, weight, places, wanted } = ops.state;
        let (x, weight) = (x.to_contiguous(), weight.to_contiguous());
        let dims = weight.shape();
        let (outputs, width) = (dims[0], dims[1]);
        let flow = gradient.storage::<f32>().iter().zip(wanted.storage::<f32>());
        let flow = places.with_values(flow.filter(|(_, wanted)| **wanted != 0.0).map(|(g, _)| *g));
        let [x_node, weight_node, bias_node] = ops.parents;
        if let Some(node) = x_node {
            let x_gradient = multiply(&flow, weight.storage(), width, None);
            grads.register::<Flex>(node.id, tensor(x_gradient, x.shape()));
        }
        if let Some(node) = weight_node {
            let weight = multiply_transposed(&flow, outputs, x.storage(), width);
            grads.register::<Flex>(node.id, tensor(weight, [outputs, width]));
        }
        if let Some(node) = bias_node {
            grads.register::<Flex>(node.id, tensor(flow.column_sums(outputs), [outputs]));
        }
    }
}
