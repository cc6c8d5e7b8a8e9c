//! Small networks with seeded random weights, for tests and benchmarks.
//!
//! In: a [`NetworkSpec`]. Out: the bytes of an ONNX file, the same bytes for the
//! same spec on every machine: weights are integers scaled by exact arithmetic.

use super::builder::{Dim, Edge, GraphBuilder};
use super::layers::{self, Weights};
use crate::encode::{Encoder, PolicyMap};
use crate::eval::ValueHead;

const BATCH: Dim = Dim::Open("batch");

/// Shape and seed of a random SE-ResNet.
#[derive(Clone, Debug)]
pub struct NetworkSpec {
    pub encoder: Encoder,
    pub policy: PolicyMap,
    pub value: ValueHead,
    pub moves_left: bool,
    pub blocks: usize,
    pub channels: usize,
    pub seed: u64,
}

impl NetworkSpec {
    /// The smallest network that has all parts: 2 blocks of 16 channels.
    pub fn tiny(encoder: Encoder, policy: PolicyMap, value: ValueHead) -> NetworkSpec {
        NetworkSpec { encoder, policy, value, moves_left: false, blocks: 2, channels: 16, seed: 1 }
    }
}

impl Default for NetworkSpec {
    fn default() -> NetworkSpec {
        NetworkSpec::tiny(Encoder::Basic18, PolicyMap::Az4672, ValueHead::Wdl)
    }
}

/// Writes the network that `spec` describes.
pub fn random_network(spec: &NetworkSpec) -> Vec<u8> {
    let mut net = Net { graph: GraphBuilder::new("arbor"), state: spec.seed };
    let (planes, channels) = (spec.encoder.planes(), spec.channels);
    let input = [BATCH, Dim::Fixed(planes), Dim::Fixed(8), Dim::Fixed(8)];
    let x = net.graph.input("planes", &input);
    let x = net.conv("input", &x, planes, channels, 3);
    let mut x = layers::relu(&mut net.graph, &x);
    for block in 0..spec.blocks {
        x = net.block(&format!("block{block}"), &x, channels);
    }
    net.policy_head(&x, spec);
    net.value_head(&x, spec);
    let architecture = format!("se-resnet {}x{}", spec.blocks, channels);
    let recipe = format!("random weights, seed {}", spec.seed);
    for (key, value) in [
        ("arbor.format", "1"),
        ("arbor.encoder", spec.encoder.name()),
        ("arbor.policy", spec.policy.name()),
        ("arbor.value", spec.value.name()),
        ("arbor.net", &architecture),
        ("arbor.recipe", &recipe),
    ] {
        net.graph.metadata(key, value);
    }
    net.graph.finish()
}

struct Net {
    graph: GraphBuilder,
    state: u64,
}

impl Net {
    fn block(&mut self, name: &str, x: &Edge, channels: usize) -> Edge {
        let y = self.conv(&format!("{name}.conv1"), x, channels, channels, 3);
        let y = layers::relu(&mut self.graph, &y);
        let y = self.conv(&format!("{name}.conv2"), &y, channels, channels, 3);
        let narrow = (channels / 4).max(1);
        let (w1, b1) = self.draw(channels, narrow);
        let (w2, b2) = self.draw(narrow, channels);
        let (down, up) = (format!("{name}.squeeze"), format!("{name}.excite"));
        let down = weights(&down, channels, narrow, &w1, &b1);
        let up = weights(&up, narrow, channels, &w2, &b2);
        let y = layers::squeeze_excite(&mut self.graph, &y, &down, &up);
        let y = layers::add(&mut self.graph, x, &y);
        layers::relu(&mut self.graph, &y)
    }

    fn policy_head(&mut self, x: &Edge, spec: &NetworkSpec) {
        let logits = match spec.policy {
            // One plane per move type, one square per from-square.
            PolicyMap::Az4672 => {
                let y = self.conv("policy", x, spec.channels, spec.policy.len() / 64, 1);
                layers::flatten(&mut self.graph, &y)
            }
            PolicyMap::Lc0 | PolicyMap::Exchange => {
                let y = self.conv("policy.narrow", x, spec.channels, 2, 1);
                let y = layers::flatten(&mut self.graph, &y);
                self.dense("policy", &y, 128, spec.policy.len())
            }
        };
        self.graph.output(&logits, "policy", &[BATCH, Dim::Fixed(spec.policy.len())]);
    }

    fn value_head(&mut self, x: &Edge, spec: &NetworkSpec) {
        let y = self.conv("value.narrow", x, spec.channels, 4, 1);
        let y = layers::relu(&mut self.graph, &y);
        let y = layers::flatten(&mut self.graph, &y);
        let y = self.dense("value.hidden", &y, 256, 16);
        let hidden = layers::relu(&mut self.graph, &y);
        match spec.value {
            ValueHead::Wdl | ValueHead::WdlProbabilities => {
                let y = self.dense("value.wdl", &hidden, 16, 3);
                self.graph.output(&y, "wdl", &[BATCH, Dim::Fixed(3)]);
            }
            ValueHead::Scalar => {
                let y = self.dense("value.scalar", &hidden, 16, 1);
                let y = self.graph.node("Tanh", &[&y], &[]);
                self.graph.output(&y, "value", &[BATCH, Dim::Fixed(1)]);
            }
        }
        if spec.moves_left {
            let y = self.dense("moves_left", &hidden, 16, 1);
            let y = layers::relu(&mut self.graph, &y);
            self.graph.output(&y, "moves_left", &[BATCH, Dim::Fixed(1)]);
        }
    }

    fn conv(&mut self, name: &str, x: &Edge, inputs: usize, outputs: usize, kernel: usize) -> Edge {
        let (weight, bias) = self.draw(inputs * kernel * kernel, outputs);
        let layer = weights(name, inputs, outputs, &weight, &bias);
        layers::conv(&mut self.graph, x, &layer, kernel)
    }

    fn dense(&mut self, name: &str, x: &Edge, inputs: usize, outputs: usize) -> Edge {
        let (weight, bias) = self.draw(inputs, outputs);
        let layer = weights(name, inputs, outputs, &weight, &bias);
        layers::dense(&mut self.graph, x, &layer)
    }

    /// Uniform weights of the variance that keeps ReLU activations level, and
    /// small biases.
    fn draw(&mut self, fan_in: usize, outputs: usize) -> (Vec<f32>, Vec<f32>) {
        let bound = (6.0 / fan_in as f32).sqrt();
        let weight = (0..fan_in * outputs).map(|_| self.uniform() * bound).collect();
        let bias = (0..outputs).map(|_| self.uniform() * 0.1).collect();
        (weight, bias)
    }

    /// Uniform in -1..1, from the SplitMix64 generator.
    fn uniform(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }
}

fn weights<'a>(
    name: &'a str,
    inputs: usize,
    outputs: usize,
    weight: &'a [f32],
    bias: &'a [f32],
) -> Weights<'a> {
    Weights { name, inputs, outputs, weight, bias }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onnx::read_model;

    /// With `ARBOR_WRITE_NETS` set, the test writes the file instead.
    #[test]
    fn the_committed_network_is_what_the_generator_writes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../nets/tiny-basic18.onnx");
        let bytes = random_network(&NetworkSpec::default());
        if std::env::var_os("ARBOR_WRITE_NETS").is_some() {
            std::fs::write(path, &bytes).unwrap();
        }
        assert!(std::fs::read(path).unwrap() == bytes, "{path} differs from the generator's bytes");
        assert!(bytes.len() < 150_000);
    }

    #[test]
    fn every_layout_can_be_written() {
        for encoder in Encoder::ALL {
            for policy in PolicyMap::ALL {
                for value in [ValueHead::Wdl, ValueHead::Scalar] {
                    let mut spec = NetworkSpec::tiny(encoder, policy, value);
                    spec.moves_left = true;
                    let model = read_model(&random_network(&spec)).unwrap();
                    assert_eq!(model.outputs.len(), 3);
                    assert_eq!(model.metadata["arbor.encoder"], encoder.name());
                    assert_eq!(model.opset, 17);
                }
            }
        }
    }
}
