//! The nodes of a network in the arithmetic that was asked for.
//!
//! A [`Flow`] is a tensor on its way through the graph. Where it may be
//! quantized, the network calls [`Writer::point`]: that does nothing in floating
//! point, makes the tensor an output for calibration, or rounds it to 8 bits.
//!
//! In int8 ONNX Runtime fuses `DequantizeLinear, Conv, (Relu,) QuantizeLinear`
//! into one integer convolution. A quantized convolution without a point behind
//! it would be slower than f32: its weights would be widened on every run.

use super::calibrate::Ranges;
use super::layer::Layer;
use super::quantized::{BiasScale, quantize_bias, quantize_rows};
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
    /// f32, with every point an output under its name.
    Observed,
    Quantized(&'a Ranges),
}

/// A tensor between layers, and its step where it is quantized.
#[derive(Clone)]
pub(super) struct Flow {
    pub edge: Edge,
    scale: Option<f32>,
}

impl Flow {
    /// The same numbers for a layer that is to stay in floating point.
    pub fn exact(&self) -> Flow {
        Flow::from(self.edge.clone())
    }
}

impl From<Edge> for Flow {
    fn from(edge: Edge) -> Flow {
        Flow { edge, scale: None }
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
    pub fn input(&mut self, planes: usize) -> Flow {
        let dims = [BATCH, Dim::Fixed(planes), Dim::Fixed(8), Dim::Fixed(8)];
        let edge = self.graph.input("planes", &dims);
        match self.numerics {
            Numerics::Half => self.cast(&edge, proto::FLOAT16).into(),
            Numerics::Quantized(_) => self.point("planes", edge),
            // The caller of calibration has the planes already.
            Numerics::Single | Numerics::Observed => edge.into(),
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

    /// A place where the tensor may be rounded to 8 bits.
    pub fn point(&mut self, name: &str, x: Edge) -> Flow {
        match self.numerics {
            Numerics::Single | Numerics::Half => x.into(),
            Numerics::Observed => {
                let dims = [BATCH, Dim::Open("channels"), Dim::Open("rows"), Dim::Open("columns")];
                self.graph.output(&x, name, &dims).into()
            }
            Numerics::Quantized(ranges) => {
                let Some(range) = ranges.get(name) else { return x.into() };
                let (scale, zero) = range.steps();
                let step =
                    self.graph.constant(&format!("{name}.scale"), &[], Elements::F32(&[scale]));
                let origin =
                    self.graph.constant(&format!("{name}.zero"), &[], Elements::U8(&[zero]));
                let rounded = self.graph.node("QuantizeLinear", &[&x, &step, &origin], &[]);
                let edge = self.graph.node("DequantizeLinear", &[&rounded, &step, &origin], &[]);
                Flow { edge, scale: Some(scale) }
            }
        }
    }

    /// A convolution; behind a quantized flow it is quantized as well, and needs
    /// a [`point`](Self::point) behind itself.
    pub fn conv(&mut self, x: &Flow, layer: &Layer) -> Edge {
        let kernel = layer.kernel();
        let (weight, bias) = match x.scale {
            Some(scale) => self.quantized_weights(layer, scale),
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

    fn weights(&mut self, layer: &Layer) -> (Edge, Edge) {
        let weight = self.constant(&format!("{}.weight", layer.name), &layer.dims, &layer.weight);
        let bias = self.constant(&format!("{}.bias", layer.name), &[layer.outputs()], &layer.bias);
        (weight, bias)
    }

    fn quantized_weights(&mut self, layer: &Layer, input_scale: f32) -> (Edge, Edge) {
        let (weight, scales) = quantize_rows(layer, input_scale);
        let BiasScale { bias, scales: bias_scales } = quantize_bias(layer, &scales, input_scale);
        let name = format!("{}.weight", layer.name);
        let weight = self.dequantized(&name, &layer.dims, Elements::I8(&weight), &scales);
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
        if !matches!(self.numerics, Numerics::Half) {
            return self.graph.weights(name, dims, data);
        }
        // Saturation: an infinite weight would make every answer NaN.
        let limit = f16::MAX.to_f32();
        let half: Vec<f16> = data.iter().map(|x| f16::from_f32(x.clamp(-limit, limit))).collect();
        self.graph.constant(name, dims, Elements::F16(&half))
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
