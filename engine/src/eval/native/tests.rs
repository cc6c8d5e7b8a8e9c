//! Against rten, which runs everywhere.

use super::*;
use crate::encode::{Encoder, PolicyMap};
use crate::eval::samples::evaluate;
use crate::eval::{RustBackend, ValueHead};
use crate::onnx::{Attribute, Dim, GraphBuilder, NetworkSpec, layers, random_network};
use proptest::prelude::*;

fn network(bytes: Vec<u8>) -> Network {
    Network::from_bytes("generated.onnx", bytes).unwrap()
}

fn assert_same_answers(network: &Network) {
    let theirs = evaluate(&RustBackend::new(network).unwrap(), 5);
    let native = NativeBackend::new(network).unwrap();
    for capacity in [1, 2, 5] {
        let ours = evaluate(&native, capacity);
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert!((ours - theirs).abs() < 1e-3 * (1.0 + theirs.abs()), "{ours} {theirs}");
        }
    }
}

#[test]
fn every_layout_gives_the_same_answers() {
    for encoder in Encoder::ALL {
        for policy in PolicyMap::ALL {
            for value in [ValueHead::Wdl, ValueHead::Scalar] {
                let mut spec = NetworkSpec::tiny(encoder, policy, value);
                spec.moves_left = value == ValueHead::Wdl;
                // Not a whole number of vectors.
                spec.channels = 24;
                assert_same_answers(&network(random_network(&spec)));
            }
        }
    }
}

/// A network in lc0's spelling: means, matrix products, gates and shifts from one
/// vector, and a table of moves.
fn lc0_style() -> Vec<u8> {
    let mut graph = GraphBuilder::new("lc0");
    let value = |i: usize| ((i * 7919) % 101) as f32 / 505.0 - 0.1;
    let numbers = |count: usize| -> Vec<f32> { (0..count).map(value).collect() };
    let batch = Dim::Open("batch");
    let dims = [batch, Dim::Fixed(112), Dim::Fixed(8), Dim::Fixed(8)];
    let input = graph.input("/input/planes", &dims);
    let conv = |graph: &mut GraphBuilder, x, name, inputs: usize, outputs: usize| {
        let (weight, bias) = (numbers(inputs * outputs * 9), numbers(outputs));
        let layer = layers::Weights { name, inputs, outputs, weight: &weight, bias: &bias };
        layers::conv(graph, x, &layer, 3)
    };
    let x = conv(&mut graph, &input, "stem", 112, 8);
    let x = layers::relu(&mut graph, &x);
    let y = conv(&mut graph, &x, "block", 8, 8);
    let axes = [Attribute::Ints("axes", &[2, 3]), Attribute::Int("keepdims", 0)];
    let z = graph.node("ReduceMean", &[&y], &axes);
    let dense = |graph: &mut GraphBuilder, x, name: &str, inputs: usize, outputs: usize| {
        let weight = numbers(inputs * outputs);
        let weight = graph.weights(&format!("{name}.w"), &[inputs, outputs], &weight);
        let bias = graph.weights(&format!("{name}.b"), &[outputs], &numbers(outputs));
        let y = graph.node("MatMul", &[x, &weight], &[]);
        graph.node("Add", &[&y, &bias], &[])
    };
    let z = dense(&mut graph, &z, "squeeze", 8, 4);
    let z = layers::relu(&mut graph, &z);
    let z = dense(&mut graph, &z, "excite", 4, 16);
    let shape = graph.integers("se_shape", &[-1, 16, 1, 1]);
    let z = graph.node("Reshape", &[&z, &shape], &[]);
    let [gates, shift] = graph.node_with_outputs("Split", &[&z], &[Attribute::Int("axis", 1)]);
    let gates = graph.node("Sigmoid", &[&gates], &[]);
    let y = graph.node("Mul", &[&gates, &y], &[]);
    let y = graph.node("Add", &[&y, &shift], &[]);
    let y = graph.node("Add", &[&y, &x], &[]);
    let x = layers::relu(&mut graph, &y);
    let p = conv(&mut graph, &x, "policy", 8, 80);
    let flat = graph.integers("policy_shape", &[-1, 5120]);
    let p = graph.node("Reshape", &[&p, &flat], &[]);
    let table: Vec<i64> = (0..1858).map(|i| (i * 2741) % 5120).collect();
    let table = graph.integers("table", &table);
    let p = graph.node("Gather", &[&p, &table], &[Attribute::Int("axis", 1)]);
    graph.output(&p, "/output/policy", &[batch, Dim::Fixed(1858)]);
    let flat = graph.integers("value_shape", &[-1, 512]);
    let v = graph.node("Reshape", &[&x, &flat], &[]);
    let v = dense(&mut graph, &v, "value", 512, 3);
    let v = graph.node("Softmax", &[&v], &[Attribute::Int("axis", 1)]);
    graph.output(&v, "/output/wdl", &[batch, Dim::Fixed(3)]);
    graph.finish()
}

#[test]
fn networks_of_lc0_give_the_same_answers() {
    assert_same_answers(&network(lc0_style()));
}

#[test]
fn what_it_does_not_know_is_refused_by_name() {
    let mut graph = GraphBuilder::new("odd");
    let dims = [Dim::Open("batch"), Dim::Fixed(18), Dim::Fixed(8), Dim::Fixed(8)];
    let x = graph.input("planes", &dims);
    let x = graph.node("Erf", &[&x], &[]);
    let x = layers::flatten(&mut graph, &x);
    graph.output(&x, "policy", &[Dim::Open("batch"), Dim::Fixed(1152)]);
    let error = compile::compile(&graph.finish(), "planes", 18, &["policy"]).err().unwrap();
    assert!(error.contains("operator Erf"), "{error}");
}

#[test]
fn weights_that_are_no_numbers_are_noticed() {
    let bytes = random_network(&NetworkSpec::default());
    let plan = |bytes: &[u8]| compile::compile(bytes, "planes", 18, &["policy", "wdl"]).unwrap();
    let answer = |plan: &Plan| {
        let mut memory = Memory::new(plan, 1);
        memory.load(plan, &[0.5; 18 * 64]);
        memory.run(plan);
        let mut policy = Vec::new();
        memory.output(plan, plan.outputs[0], &mut policy);
        policy
    };
    assert!(answer(&plan(&bytes)).iter().all(|x| x.is_finite()));
    // One weight of the first layer, behind which every ReLU of the tower lies.
    let mut model = <crate::onnx::proto::ModelProto as prost::Message>::decode(&bytes[..]).unwrap();
    let weights = &mut model.graph.as_mut().unwrap().initializer[0];
    weights.raw_data[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let damaged = prost::Message::encode_to_vec(&model);
    assert!(answer(&plan(&damaged)).iter().any(|x| !x.is_finite()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn damaged_files_are_refused_or_run(at in 0usize..20_000, byte in 0u8..=255) {
        let mut bytes = random_network(&NetworkSpec::default());
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(plan) = compile::compile(&bytes, "planes", 18, &["policy", "wdl"]) {
            let mut memory = Memory::new(&plan, 1);
            memory.load(&plan, &[0.5; 18 * 64]);
            memory.run(&plan);
        }
    }
}
