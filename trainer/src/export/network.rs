//! The network of [`Architecture`]'s definition, node by node.

use super::layer::Layer;
use super::metadata::Metadata;
use super::writer::{Flow, Numerics, Writer};
use crate::model::{Activation, Architecture, Body, NORM_EPSILON, Norm, ValueKind, Weights};
use engine::encode::PolicyMap;
use engine::onnx::{Attribute, Edge, layers};

/// Writes the file; `weights` have been checked.
pub(super) fn write_network(
    architecture: &Architecture,
    weights: &Weights,
    metadata: &Metadata,
    numerics: Numerics,
) -> Vec<u8> {
    let mut network = Network { writer: Writer::new(numerics), architecture, weights };
    match architecture.body {
        Body::Tower => network.tower(),
        Body::Dense => network.dense_body(),
    }
    let mut graph = network.writer.graph;
    metadata.write(architecture, &mut graph);
    graph.finish()
}

struct Network<'a> {
    writer: Writer<'a>,
    architecture: &'a Architecture,
    weights: &'a Weights,
}

impl<'a> Network<'a> {
    fn tower(&mut self) {
        let planes = self.writer.input(self.architecture.encoder.planes());
        let mut x = self.unit("stem", "stem.norm", &planes);
        for block in 0..self.architecture.blocks {
            x = self.block(block, &x);
        }
        self.policy(&x);
        let y = self.flattened("value", &x);
        self.value(&y, None);
        if self.architecture.moves_left {
            let y = self.flattened("moves_left", &x);
            self.moves_left(&y);
        }
    }

    fn dense_body(&mut self) {
        let planes = self.writer.input(self.architecture.encoder.planes());
        let flat = layers::flatten(&mut self.writer.graph, &planes.precise);
        let features = Layer::new(self.weights, "features").with_shared(self.weights);
        let sums = self.writer.dense_from_inputs(&flat, &features);
        let widths = [self.architecture.hidden, self.architecture.value_hidden];
        let widths = self.writer.shape("widths", &widths.map(|width| width as i64));
        let axis = [Attribute::Int("axis", 1)];
        let [x, direct] = self.writer.graph.node_with_outputs("Split", &[&sums, &widths], &axis);
        let x = layers::relu(&mut self.writer.graph, &x);
        let x = self.writer.graph.node("Mul", &[&x, &x], &[]);
        let logits = self.writer.dense(&x, &Layer::new(self.weights, "policy"));
        self.writer.output(&logits, "policy", self.architecture.encoder.policy().len());
        self.value(&x, Some(&direct));
        if self.architecture.moves_left {
            self.moves_left(&x);
        }
    }

    fn value(&mut self, x: &Edge, direct: Option<&Edge>) {
        let y = self.head("value", x, direct);
        match self.architecture.value {
            ValueKind::Wdl => self.writer.output(&y, "wdl", 3),
            ValueKind::Scalar => {
                let y = self.writer.graph.node("Tanh", &[&y], &[]);
                self.writer.output(&y, "value", 1);
            }
        }
    }

    fn moves_left(&mut self, x: &Edge) {
        let y = self.head("moves_left", x, None);
        let y = self.writer.graph.node("Softplus", &[&y], &[]);
        self.writer.output(&y, "moves_left", 1);
    }

    /// Convolution, norm and activation.
    fn unit(&mut self, conv: &str, norm: &str, x: &Flow) -> Flow<'a> {
        let mut y = self.normalized(conv, norm, x);
        let activation = self.architecture.activation;
        // ReLU goes into the integer convolution; other activations are computed
        // in floating point, behind the convolution's own rounding.
        if activation != Activation::Relu && self.architecture.norm != Norm::Group {
            y = self.writer.rounded(&format!("{conv}.sum"), y).precise;
        }
        let y = self.writer.activation(&y, activation);
        self.writer.rounded(&format!("{conv}.out"), y)
    }

    /// Convolution and norm.
    fn normalized(&mut self, conv: &str, norm: &str, x: &Flow) -> Edge {
        let layer = Layer::new(self.weights, conv);
        match self.architecture.norm {
            Norm::None => self.writer.conv(x, &layer),
            Norm::Batch => self.writer.conv(x, &layer.fold_batch_norm(self.weights, norm)),
            Norm::Group => {
                let y = self.writer.conv(x, &layer);
                let y = self.writer.rounded(&format!("{conv}.sum"), y);
                self.group_norm(norm, &y.precise, layer.outputs())
            }
        }
    }

    /// Operator set 17 has no group normalization: each group is one channel of
    /// an instance normalization, whose own scale and shift do nothing.
    fn group_norm(&mut self, name: &str, x: &Edge, channels: usize) -> Edge {
        let groups = self.architecture.groups;
        let w = &mut self.writer;
        let grouped = w.shape("groups", &[0, groups as i64, -1]);
        let board = w.shape(&format!("board{channels}"), &[0, channels as i64, 8, 8]);
        let ones = w.shared("group.ones", &[groups], &vec![1.0; groups]);
        let zeros = w.shared("group.zeros", &[groups], &vec![0.0; groups]);
        let y = w.graph.node("Reshape", &[x, &grouped], &[]);
        let epsilon = [Attribute::Float("epsilon", NORM_EPSILON)];
        let y = w.graph.node("InstanceNormalization", &[&y, &ones, &zeros], &epsilon);
        let y = w.graph.node("Reshape", &[&y, &board], &[]);
        let mut part = |part: &str| {
            let name = format!("{name}.{part}");
            w.constant(&name, &[channels, 1, 1], &self.weights[&name].data)
        };
        let (gamma, beta) = (part("gamma"), part("beta"));
        let y = w.graph.node("Mul", &[&y, &gamma], &[]);
        layers::add(&mut w.graph, &y, &beta)
    }

    fn block(&mut self, block: usize, x: &Flow) -> Flow<'a> {
        let name = |part: &str| format!("blocks.{block}.{part}");
        let y = self.unit(&name("conv1"), &name("norm1"), x);
        let mut y = self.normalized(&name("conv2"), &name("norm2"), &y);
        if self.architecture.norm != Norm::Group {
            y = self.writer.rounded(&name("conv2.sum"), y).precise;
        }
        if self.architecture.squeeze > 0 {
            let gates = self.squeeze(block, &y);
            y = self.writer.graph.node("Mul", &[&y, &gates], &[]);
        }
        if self.architecture.has_attention(block) {
            let gates = self.attention(block, &y);
            y = self.writer.graph.node("Mul", &[&y, &gates], &[]);
        }
        let y = layers::add(&mut self.writer.graph, &x.precise, &y);
        let y = self.writer.activation(&y, self.architecture.activation);
        self.writer.point(&name("out"), y)
    }

    /// A gate for each channel, from the means of all channels.
    fn squeeze(&mut self, block: usize, y: &Edge) -> Edge {
        let name = |part: &str| format!("blocks.{block}.squeeze.{part}");
        let down = Layer::new(self.weights, &name("down"));
        let up = Layer::new(self.weights, &name("up"));
        let w = &mut self.writer;
        let z = w.graph.node("GlobalAveragePool", &[y], &[]);
        let z = layers::flatten(&mut w.graph, &z);
        let z = w.dense(&z, &down);
        let z = layers::relu(&mut w.graph, &z);
        let z = w.dense(&z, &up);
        let z = w.graph.node("Sigmoid", &[&z], &[]);
        let column = w.shape("column", &[0, up.outputs() as i64, 1, 1]);
        w.graph.node("Reshape", &[&z, &column], &[])
    }

    /// A gate for each square, from mean and maximum over the channels.
    fn attention(&mut self, block: usize, y: &Edge) -> Edge {
        let layer = Layer::new(self.weights, &format!("blocks.{block}.attention"));
        let w = &mut self.writer;
        let over_channels = [Attribute::Ints("axes", &[1]), Attribute::Int("keepdims", 1)];
        let mean = w.graph.node("ReduceMean", &[y], &over_channels);
        let max = w.graph.node("ReduceMax", &[y], &over_channels);
        let both = w.graph.node("Concat", &[&mean, &max], &[Attribute::Int("axis", 1)]);
        let z = w.conv(&Flow::from(both), &layer);
        w.graph.node("Sigmoid", &[&z], &[])
    }

    /// The last convolution stays in floating point: rounded logits would tie.
    fn policy(&mut self, x: &Flow) {
        let y = self.unit("policy.conv1", "policy.norm1", x);
        let layer = Layer::new(self.weights, "policy.conv2");
        let y = self.writer.conv(&y.exact(), &layer);
        let y = layers::flatten(&mut self.writer.graph, &y);
        self.writer.output(&y, "policy", PolicyMap::Az4672.len());
    }

    /// What the tower has for a head.
    fn flattened(&mut self, head: &str, x: &Flow) -> Edge {
        let y = self.unit(&format!("{head}.conv"), &format!("{head}.norm"), x);
        layers::flatten(&mut self.writer.graph, &y.precise)
    }

    /// `direct` comes to the hidden layer without passing another.
    fn head(&mut self, name: &str, x: &Edge, direct: Option<&Edge>) -> Edge {
        let mut y = self.writer.dense(x, &Layer::new(self.weights, &format!("{name}.dense1")));
        if let Some(direct) = direct {
            y = layers::add(&mut self.writer.graph, &y, direct);
        }
        let y = self.writer.activation(&y, self.architecture.activation);
        self.writer.dense(&y, &Layer::new(self.weights, &format!("{name}.dense2")))
    }
}
