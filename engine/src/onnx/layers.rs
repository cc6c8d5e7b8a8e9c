//! The layers of our networks, as ONNX nodes around given weights.
//!
//! In: an edge and the layer's [`Weights`]. Out: the edge behind the layer.
//! Activations are [batch, channels, 8, 8] until a head flattens them.

use super::builder::{Attribute, Edge, GraphBuilder};

/// Weights and bias of one layer, in ONNX order: outputs first.
pub struct Weights<'a> {
    /// Unique in the graph, e.g. `block3.conv1`.
    pub name: &'a str,
    pub inputs: usize,
    pub outputs: usize,
    pub weight: &'a [f32],
    pub bias: &'a [f32],
}

/// A square convolution that keeps the board's size; `kernel` is odd.
pub fn conv(graph: &mut GraphBuilder, x: &Edge, layer: &Weights, kernel: usize) -> Edge {
    let dims = [layer.outputs, layer.inputs, kernel, kernel];
    let weight = graph.weights(&format!("{}.weight", layer.name), &dims, layer.weight);
    let bias = graph.weights(&format!("{}.bias", layer.name), &[layer.outputs], layer.bias);
    conv_node(graph, x, [&weight, &bias], kernel)
}

/// The same around weight and bias that are in the graph already.
pub fn conv_node(
    graph: &mut GraphBuilder,
    x: &Edge,
    [weight, bias]: [&Edge; 2],
    kernel: usize,
) -> Edge {
    let (size, pad) = (kernel as i64, (kernel / 2) as i64);
    let attributes =
        [Attribute::Ints("kernel_shape", &[size, size]), Attribute::Ints("pads", &[pad; 4])];
    graph.node("Conv", &[x, weight, bias], &attributes)
}

/// A fully connected layer on [batch, inputs].
pub fn dense(graph: &mut GraphBuilder, x: &Edge, layer: &Weights) -> Edge {
    let dims = [layer.outputs, layer.inputs];
    let weight = graph.weights(&format!("{}.weight", layer.name), &dims, layer.weight);
    let bias = graph.weights(&format!("{}.bias", layer.name), &[layer.outputs], layer.bias);
    dense_node(graph, x, [&weight, &bias])
}

/// The same around weight and bias that are in the graph already.
pub fn dense_node(graph: &mut GraphBuilder, x: &Edge, [weight, bias]: [&Edge; 2]) -> Edge {
    graph.node("Gemm", &[x, weight, bias], &[Attribute::Int("transB", 1)])
}

/// Squeeze and excitation: each channel is scaled by what the whole board says.
/// The two layers are 1x1 convolutions of the pooled board, so that runtimes
/// with a blocked channel layout need not leave it.
pub fn squeeze_excite(graph: &mut GraphBuilder, x: &Edge, down: &Weights, up: &Weights) -> Edge {
    let pooled = graph.node("GlobalAveragePool", &[x], &[]);
    let squeezed = conv(graph, &pooled, down, 1);
    let squeezed = relu(graph, &squeezed);
    let scale = conv(graph, &squeezed, up, 1);
    let scale = graph.node("Sigmoid", &[&scale], &[]);
    graph.node("Mul", &[x, &scale], &[])
}

pub fn relu(graph: &mut GraphBuilder, x: &Edge) -> Edge {
    graph.node("Relu", &[x], &[])
}

pub fn add(graph: &mut GraphBuilder, a: &Edge, b: &Edge) -> Edge {
    graph.node("Add", &[a, b], &[])
}

/// [batch, channels, 8, 8] to [batch, channels * 64], channel by channel.
pub fn flatten(graph: &mut GraphBuilder, x: &Edge) -> Edge {
    graph.node("Flatten", &[x], &[Attribute::Int("axis", 1)])
}
