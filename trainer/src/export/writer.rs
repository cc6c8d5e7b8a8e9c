//! The nodes of a network in the arithmetic that was asked for.
//!
//! A [`Flow`] is a tensor on its way into convolutions. Where it may be rounded
//! to 8 bits, the network names a point: that does nothing in floating point,
//! makes the tensor an output for calibration, or rounds it.
//!
//! In int8 ONNX Runtime fuses `DequantizeLinear, Conv, (Relu,) QuantizeLinear`
//! into one integer convolution. A quantized convolution without a point right
//! behind it would be slower than f32: its weights would be widened on every run.

use super::calibrate::{Activations, Observed};
use super::layer::Layer;
use super::quantized::QuantizedLayer;
use crate::model::Activation;
use engine::onnx::{Attribute, Dim, Edge, Elements, GraphBuilder, layers, proto};
use half::f16;
use std::collections::BTreeMap;

pub(super) const BATCH: Dim = Dim::Open("batch");

/// How the network computes.
#[derive(Clone, Copy)]
pub(super) enum Numerics<'a> {
    Single,
    Half,
    /// f32, with weights that are kept in f16.
    HalfStored,
    /// f32, with every point an output under its name.
    Observed,
    Quantized(&'a Activations),
}

/// A tensor between layers.
#[derive(Clone)]
pub(super) struct Flow<'a> {
    /// For convolutions, rounded where it may be.
    edge: Edge,
    /// For all else.
    pub precise: Edge,
    /// What the rounding is based on; without it the flow is not rounded.
    rounding: Option<&'a Observed>,
}

impl Flow<'_> {
    /// The same numbers for a convolution that is to stay in floating point.
    pub fn exact(&self) -> Flow<'static> {
        Flow::from(self.edge.clone())
    }
}

impl From<Edge> for Flow<'_> {
    fn from(edge: Edge) -> Self {
        Flow { precise: edge.clone(), edge, rounding: None }
    }
}

pub(super) struct Writer<'a> {
    pub graph: GraphBuilder,
    numerics: Numerics<'a>,
    shared: BTreeMap<String, Edge>,
}

impl<'a> Writer<'a> {
    pub fn new(numerics: Numerics<'a>) -> Writer<'a> {
        Writer { graph: GraphBuilder::new("arbor"), numerics, shared: BTreeMap::new() }
    }

    /// The planes, [batch, planes, 8, 8].
    pub fn input(&mut self, planes: usize) -> Flow<'a> {
        let dims = [BATCH, Dim::Fixed(planes), Dim::Fixed(8), Dim::Fixed(8)];
        let edge = self.graph.input("planes", &dims);
        match self.numerics {
            Numerics::Half => self.cast(&edge, proto::FLOAT16).into(),
            Numerics::Quantized(_) => self.rounded("planes", edge),
            // The caller of calibration has the planes already.
            Numerics::Single | Numerics::HalfStored | Numerics::Observed => edge.into(),
        }
    }

    /// An output [batch, width].
    pub fn output(&mut self, x: &Edge, name: &str, width: usize) {
        let x = match self.numerics {
            Numerics::Half => self.cast(x, proto::FLOAT),
            _ => x.clone(),
        };
        self.graph.output(&x, name, &[BATCH, Dim::Fixed(width)]);
    }

    fn cast(&mut self, x: &Edge, to: i32) -> Edge {
        self.graph.node("Cast", &[x], &[Attribute::Int("to", i64::from(to))])
    }

    /// A point where nothing but the rounded numbers goes on: it must stand right
    /// behind each quantized convolution or its ReLU.
    pub fn rounded(&mut self, name: &str, x: Edge) -> Flow<'a> {
        let mut flow = self.point(name, x);
        flow.precise = flow.edge.clone();
        flow
    }

    /// A point where only convolutions see the rounded numbers.
    pub fn point(&mut self, name: &str, x: Edge) -> Flow<'a> {
        match self.numerics {
            Numerics::Single | Numerics::Half | Numerics::HalfStored => x.into(),
            Numerics::Observed => {
                let dims = [BATCH, Dim::Open("channels"), Dim::Fixed(8), Dim::Fixed(8)];
                self.graph.output(&x, name, &dims).into()
            }
            Numerics::Quantized(activations) => match activations.get(name) {
                Some(observed) => self.round(name, x, observed),
                None => x.into(),
            },
        }
    }

    fn round(&mut self, name: &str, x: Edge, observed: &'a Observed) -> Flow<'a> {
        let (scale, zero) = observed.steps();
        let graph = &mut self.graph;
        let scale = graph.constant(&format!("{name}.scale"), &[], Elements::F32(&[scale]));
        let zero = graph.constant(&format!("{name}.zero"), &[], Elements::U8(&[zero]));
        let integers = graph.node("QuantizeLinear", &[&x, &scale, &zero], &[]);
        let edge = graph.node("DequantizeLinear", &[&integers, &scale, &zero], &[]);
        Flow { edge, precise: x, rounding: Some(observed) }
    }

    /// A convolution; behind a rounded flow it is quantized, and needs a point
    /// behind itself that is [`rounded`](Self::rounded).
    pub fn conv(&mut self, x: &Flow, layer: &Layer) -> Edge {
        let kernel = layer.kernel();
        let (weight, bias) = match x.rounding {
            Some(observed) => self.quantized_weights(layer, observed),
            None => self.weights(layer),
        };
        layers::conv_node(&mut self.graph, &x.edge, [&weight, &bias], kernel)
    }

    /// A dense layer. In int8 it stays in f32: it is small, and ONNX Runtime
    /// does not fuse it.
    pub fn dense(&mut self, x: &Edge, layer: &Layer) -> Edge {
        let (weight, bias) = self.weights(layer);
        layers::dense_node(&mut self.graph, x, [&weight, &bias])
    }

    /// A dense layer whose weights are [inputs, outputs].
    pub fn dense_from_inputs(&mut self, x: &Edge, layer: &Layer) -> Edge {
        let (weight, bias) = self.weights(layer);
        self.graph.node("Gemm", &[x, &weight, &bias], &[])
    }

    fn weights(&mut self, layer: &Layer) -> (Edge, Edge) {
        let weight = self.constant(&format!("{}.weight", layer.name), &layer.dims, &layer.weight);
        let bias = self.constant(&format!("{}.bias", layer.name), &[layer.outputs()], &layer.bias);
        (weight, bias)
    }

    fn quantized_weights(&mut self, layer: &Layer, input: &Observed) -> (Edge, Edge) {
        let QuantizedLayer { weight, weight_scales, bias, bias_scales } =
            QuantizedLayer::new(layer, input);
        let name = format!("{}.weight", layer.name);
        let weight = self.dequantized(&name, &layer.dims, Elements::I8(&weight), &weight_scales);
        let name = format!("{}.bias", layer.name);
        let bias = self.dequantized(&name, &[layer.outputs()], Elements::I32(&bias), &bias_scales);
        (weight, bias)
    }

    /// Integers with a scale for each output; their zero is zero.
    fn dequantized(
        &mut self,
        name: &str,
        dims: &[usize],
        elements: Elements,
        scales: &[f32],
    ) -> Edge {
        let stored = self.graph.constant(name, dims, elements);
        let scale =
            self.graph.constant(&format!("{name}.scale"), &[scales.len()], Elements::F32(scales));
        self.graph.node("DequantizeLinear", &[&stored, &scale], &[Attribute::Int("axis", 0)])
    }

    /// Floating-point numbers in the network's precision.
    pub fn constant(&mut self, name: &str, dims: &[usize], data: &[f32]) -> Edge {
        if !matches!(self.numerics, Numerics::Half | Numerics::HalfStored) {
            return self.graph.weights(name, dims, data);
        }
        // Saturation: an infinite weight would make every answer NaN.
        let limit = f16::MAX.to_f32();
        let half: Vec<f16> = data.iter().map(|x| f16::from_f32(x.clamp(-limit, limit))).collect();
        let stored = self.graph.constant(name, dims, Elements::F16(&half));
        match self.numerics {
            Numerics::HalfStored => self.cast(&stored, proto::FLOAT),
            _ => stored,
        }
    }

    /// A constant that several nodes use.
    pub fn shared(&mut self, name: &str, dims: &[usize], data: &[f32]) -> Edge {
        if let Some(edge) = self.shared.get(name) {
            return edge.clone();
        }
        let edge = self.constant(name, dims, data);
        self.shared.insert(name.to_string(), edge.clone());
        edge
    }

    /// A target shape that several nodes use.
    pub fn shape(&mut self, name: &str, dims: &[i64]) -> Edge {
        if let Some(edge) = self.shared.get(name) {
            return edge.clone();
        }
        let edge = self.graph.integers(name, dims);
        self.shared.insert(name.to_string(), edge.clone());
        edge
    }

    pub fn activation(&mut self, x: &Edge, activation: Activation) -> Edge {
        match activation {
            Activation::Relu => layers::relu(&mut self.graph, x),
            // x / 2 * (1 + erf(x / sqrt 2)), in the order that ONNX Runtime
            // knows as GELU and computes in one pass.
            Activation::Gelu => {
                let root = self.shared("sqrt2", &[], &[std::f32::consts::SQRT_2]);
                let one = self.shared("one", &[], &[1.0]);
                let half = self.shared("half", &[], &[0.5]);
                let y = self.graph.node("Div", &[x, &root], &[]);
                let y = self.graph.node("Erf", &[&y], &[]);
                let y = self.graph.node("Add", &[&y, &one], &[]);
                let y = self.graph.node("Mul", &[x, &y], &[]);
                self.graph.node("Mul", &[&y, &half], &[])
            }
            Activation::Mish => {
                let y = self.graph.node("Softplus", &[x], &[]);
                let y = self.graph.node("Tanh", &[&y], &[]);
                self.graph.node("Mul", &[x, &y], &[])
            }
        }
    }
}
