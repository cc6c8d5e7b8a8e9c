//! Against rten, which runs everywhere.

use super::*;
use crate::encode::{Encoder, PolicyMap};
use crate::eval::samples::{evaluate, lines};
use crate::eval::{RustBackend, ValueHead};
use crate::onnx::proto::{self, ModelProto};
use crate::onnx::{
    Attribute, Dim, Edge, Elements, GraphBuilder, NetworkSpec, layers, random_network,
};
use crate::search::Random;
use half::f16;
use proptest::prelude::*;
use prost::Message;
use std::sync::OnceLock;

const BATCH: Dim = Dim::Open("batch");

/// How weights are kept in the file.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    Single,
    /// Single, but of numbers that half precision has.
    Rounded,
    /// Half, behind a `Cast`.
    Half,
}

#[derive(Clone, Copy)]
struct Spec {
    encoder: Encoder,
    policy: PolicyMap,
    hidden: usize,
    value_hidden: usize,
    value: ValueHead,
    moves_left: bool,
    kept: Kept,
}

impl Spec {
    fn new(hidden: usize, value_hidden: usize) -> Spec {
        Spec {
            encoder: Encoder::Threats,
            policy: PolicyMap::Exchange,
            hidden,
            value_hidden,
            value: ValueHead::Wdl,
            moves_left: true,
            kept: Kept::Single,
        }
    }

    /// Few weights, so that damage hits the rest of the file too.
    fn small() -> Spec {
        let (encoder, policy) = (Encoder::Basic18, PolicyMap::Lc0);
        Spec { encoder, policy, ..Spec::new(4, 3) }
    }

    /// The file, with the nodes that the trainer's export has.
    fn bytes(&self) -> Vec<u8> {
        let mut net =
            Net { graph: GraphBuilder::new("dense"), random: Random::new(3), kept: self.kept };
        let planes = self.encoder.planes();
        let dims = [BATCH, Dim::Fixed(planes), Dim::Fixed(8), Dim::Fixed(8)];
        let x = net.graph.input("planes", &dims);
        let flat = layers::flatten(&mut net.graph, &x);
        let width = self.hidden + self.value_hidden;
        // So many squares are set, of thousands.
        let set = if self.encoder == Encoder::Threats { 100 } else { 300 };
        let (weight, bias) = net.weights("features", [planes * 64, width], width, set);
        let sums = net.graph.node("Gemm", &[&flat, &weight, &bias], &[]);
        let widths = [self.hidden as i64, self.value_hidden as i64];
        let widths = net.graph.integers("widths", &widths);
        let axis = [Attribute::Int("axis", 1)];
        let [x, direct] = net.graph.node_with_outputs("Split", &[&sums, &widths], &axis);
        let x = layers::relu(&mut net.graph, &x);
        let x = net.graph.node("Mul", &[&x, &x], &[]);
        let logits = net.dense("policy", &x, [self.policy.len(), self.hidden]);
        net.graph.output(&logits, "policy", &[BATCH, Dim::Fixed(self.policy.len())]);
        let y = net.dense("value.dense1", &x, [self.value_hidden, self.hidden]);
        let y = layers::add(&mut net.graph, &y, &direct);
        let y = layers::relu(&mut net.graph, &y);
        let (name, outputs) = match self.value {
            ValueHead::Scalar => ("value", 1),
            _ => ("wdl", 3),
        };
        let mut y = net.dense("value.dense2", &y, [outputs, self.value_hidden]);
        if self.value == ValueHead::Scalar {
            y = net.graph.node("Tanh", &[&y], &[]);
        }
        net.graph.output(&y, name, &[BATCH, Dim::Fixed(outputs)]);
        if self.moves_left {
            let y = net.dense("moves_left.dense1", &x, [self.value_hidden, self.hidden]);
            let y = layers::relu(&mut net.graph, &y);
            let y = net.dense("moves_left.dense2", &y, [1, self.value_hidden]);
            let y = net.graph.node("Softplus", &[&y], &[]);
            net.graph.output(&y, "moves_left", &[BATCH, Dim::Fixed(1)]);
        }
        for (key, value) in [
            ("arbor.format", "1"),
            ("arbor.encoder", self.encoder.name()),
            ("arbor.policy", self.policy.name()),
            ("arbor.value", self.value.name()),
        ] {
            net.graph.metadata(key, value);
        }
        net.graph.finish()
    }

    fn network(&self) -> Network {
        network(self.bytes()).unwrap()
    }
}

struct Net {
    graph: GraphBuilder,
    random: Random,
    kept: Kept,
}

impl Net {
    /// A layer with its weights as [outputs, inputs].
    fn dense(&mut self, name: &str, x: &Edge, [outputs, inputs]: [usize; 2]) -> Edge {
        let (weight, bias) = self.weights(name, [outputs, inputs], outputs, inputs);
        layers::dense_node(&mut self.graph, x, [&weight, &bias])
    }

    fn weights(
        &mut self,
        name: &str,
        dims: [usize; 2],
        outputs: usize,
        summed: usize,
    ) -> (Edge, Edge) {
        let bound = (6.0 / summed as f32).sqrt();
        let weight = self.constant(&format!("{name}.weight"), &dims, bound);
        let bias = self.constant(&format!("{name}.bias"), &[outputs], 0.1);
        (weight, bias)
    }

    fn constant(&mut self, name: &str, dims: &[usize], bound: f32) -> Edge {
        let count = dims.iter().product();
        let numbers: Vec<f32> =
            (0..count).map(|_| (self.random.unit() as f32 * 2.0 - 1.0) * bound).collect();
        let halves: Vec<f16> = numbers.iter().map(|x| f16::from_f32(*x)).collect();
        match self.kept {
            Kept::Single => self.graph.weights(name, dims, &numbers),
            Kept::Rounded => {
                let rounded: Vec<f32> = halves.iter().map(|x| x.to_f32()).collect();
                self.graph.weights(name, dims, &rounded)
            }
            Kept::Half => {
                let stored = self.graph.constant(name, dims, Elements::F16(&halves));
                let to = Attribute::Int("to", i64::from(proto::FLOAT));
                self.graph.node("Cast", &[&stored], &[to])
            }
        }
    }
}

fn network(bytes: Vec<u8>) -> Option<Network> {
    Network::from_bytes("generated.onnx", bytes).ok()
}

fn refusal(bytes: Vec<u8>) -> String {
    DenseBackend::new(&network(bytes).unwrap()).err().unwrap()
}

/// `plain` is the same network in a form that rten reads.
fn assert_same_answers(network: &Network, plain: &Network) {
    let theirs = evaluate(&RustBackend::new(plain).unwrap(), 5);
    let dense = DenseBackend::new(network).unwrap();
    assert_eq!(dense.create(3).unwrap().capacity(), 3);
    let alone = evaluate(&dense, 1);
    for capacity in [2, 5] {
        assert_eq!(evaluate(&dense, capacity), alone);
    }
    assert_eq!(alone.len(), theirs.len());
    for (ours, theirs) in alone.iter().zip(&theirs) {
        assert!((ours - theirs).abs() < 2e-2 * (1.0 + theirs.abs()), "{ours} {theirs}");
    }
}

#[test]
fn the_same_answers() {
    // Strips of one; of 32 and one; of 256, 32 and one; of 256 alone.
    for (hidden, value_hidden) in [(20, 5), (40, 8), (300, 16), (240, 16)] {
        let wdl = Spec::new(hidden, value_hidden);
        let scalar = Spec { value: ValueHead::Scalar, moves_left: false, ..wdl };
        for spec in [wdl, scalar] {
            assert_same_answers(&spec.network(), &spec.network());
        }
    }
}

#[test]
fn the_same_answers_of_weights_in_16_bits() {
    let half = Spec { kept: Kept::Half, ..Spec::new(300, 16) };
    let rounded = Spec { kept: Kept::Rounded, ..half };
    assert_same_answers(&half.network(), &rounded.network());
    // The numbers are the same, so nothing at all may differ.
    let [half, rounded] = [half, rounded].map(|spec| DenseBackend::new(&spec.network()).unwrap());
    assert_eq!(evaluate(&half, 5), evaluate(&rounded, 5));
}

#[test]
fn the_same_answers_from_other_planes() {
    // Planes that are not just zero and one, and other moves.
    for encoder in [Encoder::Basic18, Encoder::Rich] {
        for policy in [PolicyMap::Az4672, PolicyMap::Lc0] {
            let spec = Spec { encoder, policy, ..Spec::new(40, 8) };
            assert_same_answers(&spec.network(), &spec.network());
        }
    }
}

#[test]
fn too_many_positions_are_an_error() {
    let backend = DenseBackend::new(&Spec::small().network()).unwrap();
    let mut evaluator = backend.create(2).unwrap();
    let mut answers = Answers::default();
    let lines = lines();
    for line in &lines[..3] {
        evaluator.push(line.plies(), &line.legal_moves());
    }
    let error = evaluator.run(&mut answers).unwrap_err();
    assert!(error.to_string().contains("3 positions pushed into a batch of 2"), "{error}");
    // They are forgotten, and it goes on.
    evaluator.push(lines[0].plies(), &lines[0].legal_moves());
    evaluator.run(&mut answers).unwrap();
    assert_eq!(answers.get(0).1.len(), 20);
}

#[test]
fn an_empty_batch_and_no_moves_are_fine() {
    let backend = DenseBackend::new(&Spec::small().network()).unwrap();
    assert_eq!(backend.describe(), "native, CPU, dense");
    let mut evaluator = backend.create(0).unwrap();
    assert_eq!(evaluator.capacity(), 1);
    let mut answers = Answers::default();
    evaluator.run(&mut answers).unwrap();
    evaluator.push(lines()[0].plies(), &[]);
    evaluator.run(&mut answers).unwrap();
    assert!(answers.get(0).1.is_empty());
}

#[test]
fn other_networks_are_refused_with_the_reason() {
    for (policy, reason) in
        [(PolicyMap::Az4672, "Flatten instead of Gemm"), (PolicyMap::Lc0, "Flatten instead of Mul")]
    {
        let spec = NetworkSpec::tiny(Encoder::Basic18, policy, ValueHead::Wdl);
        assert_eq!(refusal(random_network(&spec)), reason);
    }
}

#[test]
fn every_node_matters() {
    let bytes = Spec::small().bytes();
    let model = ModelProto::decode(&bytes[..]).unwrap();
    for at in 0..model.graph.as_ref().unwrap().node.len() {
        let mut other = model.clone();
        other.graph.as_mut().unwrap().node[at].op_type = "Sigmoid".to_string();
        let reason = refusal(other.encode_to_vec());
        assert!(reason.contains("Sigmoid"), "node {at}: {reason}");
    }
}

#[test]
fn the_parts_of_the_split_are_not_mistaken() {
    let bytes = Spec { value_hidden: 4, ..Spec::small() }.bytes();
    let mut model = ModelProto::decode(&bytes[..]).unwrap();
    let nodes = &mut model.graph.as_mut().unwrap().node;
    nodes.iter_mut().find(|node| node.op_type == "Split").unwrap().output.reverse();
    refusal(model.encode_to_vec());
}

/// The small network with one of its constants changed.
fn with_constant(name: &str, change: impl Fn(&mut proto::TensorProto)) -> Vec<u8> {
    let mut model = ModelProto::decode(&Spec::small().bytes()[..]).unwrap();
    let constants = &mut model.graph.as_mut().unwrap().initializer;
    change(constants.iter_mut().find(|tensor| tensor.name == name).unwrap());
    model.encode_to_vec()
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    for name in ["features.weight", "features.bias", "policy.weight", "value.dense1.weight"] {
        for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let damaged = with_constant(name, |tensor| {
                tensor.raw_data[..4].copy_from_slice(&number.to_le_bytes());
            });
            let reason = refusal(damaged);
            assert_eq!(reason, format!("{name} has numbers that are not finite"));
        }
    }
}

#[test]
fn weights_of_another_size_are_refused() {
    let cut = with_constant("policy.weight", |tensor| tensor.raw_data.truncate(400));
    assert_eq!(refusal(cut), "policy.weight has 100 numbers, not 7432");
    let turned = with_constant("value.dense1.weight", |tensor| tensor.dims.reverse());
    assert_eq!(refusal(turned), "a layer of 3x3");
    let wider = with_constant("moves_left.dense1.weight", |tensor| {
        tensor.dims = vec![3, 8];
        tensor.raw_data.extend(tensor.raw_data.clone());
    });
    assert_eq!(refusal(wider), "a layer of 3x8");
    for widths in [[3i64, 4], [4, 4], [-4, 11]] {
        let split = with_constant("widths", |tensor| {
            tensor.raw_data = widths.iter().flat_map(|x| x.to_le_bytes()).collect();
        });
        refusal(split);
    }
}

#[test]
fn sums_that_overflow_are_noticed() {
    let huge = with_constant("policy.bias", |tensor| {
        for number in tensor.raw_data.as_chunks_mut().0 {
            *number = f32::MAX.to_le_bytes();
        }
    });
    let backend = DenseBackend::new(&network(huge).unwrap()).unwrap();
    let mut evaluator = backend.create(1).unwrap();
    let mut answers = Answers::default();
    evaluator.push(lines()[0].plies(), &lines()[0].legal_moves());
    let error = evaluator.run(&mut answers).unwrap_err();
    assert!(error.to_string().contains("not finite"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    // Half of the damage is in the nodes, which come first.
    #[test]
    fn damaged_files_are_refused_or_run(
        at in prop_oneof![0usize..2_000, 0usize..100_000],
        byte in 0u8..=255,
    ) {
        static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
        let mut bytes = BYTES.get_or_init(|| Spec::small().bytes()).clone();
        let at = at % bytes.len();
        bytes[at] = byte;
        let backend = network(bytes).and_then(|network| DenseBackend::new(&network).ok());
        if let Some(backend) = backend {
            let mut evaluator = backend.create(2).unwrap();
            let mut answers = Answers::default();
            for line in &lines()[..2] {
                evaluator.push(line.plies(), &line.legal_moves());
            }
            let _ = evaluator.run(&mut answers);
        }
    }
}
