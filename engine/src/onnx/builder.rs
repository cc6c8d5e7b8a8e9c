//! Writes an ONNX graph: inputs, weights, nodes, outputs and metadata.
//!
//! ```
//! use engine::onnx::{Attribute, Dim, GraphBuilder, read_model};
//!
//! let mut graph = GraphBuilder::new("double");
//! let x = graph.input("x", &[Dim::Open("batch"), Dim::Fixed(4)]);
//! let two = graph.weights("two", &[1], &[2.0]);
//! let y = graph.node("Mul", &[&x, &two], &[]);
//! graph.output(&y, "y", &[Dim::Open("batch"), Dim::Fixed(4)]);
//! graph.metadata("arbor.format", "1");
//! let model = read_model(&graph.finish()).unwrap();
//! assert_eq!(model.outputs[0].name, "y");
//! ```

use super::proto::{
    self, AttributeProto, Dimension, DimensionValue, GraphProto, ModelProto, NodeProto,
    OperatorSetId, StringEntry, TensorProto, TensorShape, TensorType, TypeProto, ValueInfoProto,
};
use half::f16;
use prost::Message;

/// Operator set and file version that every runtime since 2022 reads.
const OPSET: i64 = 17;
const IR_VERSION: i64 = 8;

/// A tensor that flows between nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge(String);

/// One dimension of an input or output.
#[derive(Clone, Copy, Debug)]
pub enum Dim {
    Fixed(usize),
    /// Open until run time, under a name for people.
    Open(&'static str),
}

/// A named setting of a node.
#[derive(Clone, Copy, Debug)]
pub enum Attribute<'a> {
    Int(&'a str, i64),
    Float(&'a str, f32),
    Ints(&'a str, &'a [i64]),
}

/// Numbers to store in the file.
#[derive(Clone, Copy, Debug)]
pub enum Elements<'a> {
    F32(&'a [f32]),
    F16(&'a [f16]),
    I64(&'a [i64]),
    I32(&'a [i32]),
    I8(&'a [i8]),
    U8(&'a [u8]),
}

impl Elements<'_> {
    fn len(&self) -> usize {
        match self {
            Elements::F32(x) => x.len(),
            Elements::F16(x) => x.len(),
            Elements::I64(x) => x.len(),
            Elements::I32(x) => x.len(),
            Elements::I8(x) => x.len(),
            Elements::U8(x) => x.len(),
        }
    }

    /// Type number and little-endian bytes.
    fn encode(&self) -> (i32, Vec<u8>) {
        match self {
            Elements::F32(x) => (proto::FLOAT, x.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Elements::F16(x) => (proto::FLOAT16, x.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Elements::I64(x) => (proto::INT64, x.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Elements::I32(x) => (proto::INT32, x.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Elements::I8(x) => (proto::INT8, x.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Elements::U8(x) => (proto::UINT8, x.to_vec()),
        }
    }
}

/// A graph under construction.
pub struct GraphBuilder {
    graph: GraphProto,
    metadata: Vec<StringEntry>,
}

impl GraphBuilder {
    pub fn new(name: &str) -> GraphBuilder {
        let graph = GraphProto { name: name.to_string(), ..Default::default() };
        GraphBuilder { graph, metadata: Vec::new() }
    }

    /// Declares an f32 input.
    pub fn input(&mut self, name: &str, dims: &[Dim]) -> Edge {
        self.graph.input.push(value_info(name, dims));
        Edge(name.to_string())
    }

    /// Stores numbers, as many as `dims` say; no dims mean a single one.
    pub fn constant(&mut self, name: &str, dims: &[usize], elements: Elements) -> Edge {
        debug_assert_eq!(dims.iter().product::<usize>(), elements.len(), "{name}");
        let (data_type, raw_data) = elements.encode();
        self.graph.initializer.push(TensorProto {
            dims: dims.iter().map(|&d| d as i64).collect(),
            data_type,
            name: name.to_string(),
            raw_data,
            data_location: 0,
        });
        Edge(name.to_string())
    }

    /// Stores f32 weights.
    pub fn weights(&mut self, name: &str, dims: &[usize], data: &[f32]) -> Edge {
        self.constant(name, dims, Elements::F32(data))
    }

    /// Stores a list of integers, such as a target shape.
    pub fn integers(&mut self, name: &str, values: &[i64]) -> Edge {
        self.constant(name, &[values.len()], Elements::I64(values))
    }

    /// Adds a node with one output and returns that.
    pub fn node(&mut self, op: &str, inputs: &[&Edge], attributes: &[Attribute]) -> Edge {
        let [output] = self.node_with_outputs(op, inputs, attributes);
        output
    }

    /// The same for operators with several results.
    pub fn node_with_outputs<const N: usize>(
        &mut self,
        op: &str,
        inputs: &[&Edge],
        attributes: &[Attribute],
    ) -> [Edge; N] {
        let name = format!("{}_{}", op.to_lowercase(), self.graph.node.len());
        let edge = |n: usize| if n == 0 { name.clone() } else { format!("{name}_{n}") };
        let outputs: [Edge; N] = std::array::from_fn(|n| Edge(edge(n)));
        self.graph.node.push(NodeProto {
            input: inputs.iter().map(|edge| edge.0.clone()).collect(),
            output: outputs.iter().map(|edge| edge.0.clone()).collect(),
            name: name.clone(),
            op_type: op.to_string(),
            attribute: attributes.iter().map(attribute).collect(),
        });
        outputs
    }

    /// Makes a node's result an output of the graph, under `name`. Later nodes
    /// refer to it by the returned edge.
    pub fn output(&mut self, edge: &Edge, name: &str, dims: &[Dim]) -> Edge {
        for node in &mut self.graph.node {
            for used in node.input.iter_mut().chain(&mut node.output) {
                if *used == edge.0 {
                    *used = name.to_string();
                }
            }
        }
        self.graph.output.push(value_info(name, dims));
        Edge(name.to_string())
    }

    pub fn metadata(&mut self, key: &str, value: &str) {
        self.metadata.push(StringEntry { key: key.to_string(), value: value.to_string() });
    }

    /// The bytes of the file.
    pub fn finish(self) -> Vec<u8> {
        let model = ModelProto {
            ir_version: IR_VERSION,
            producer_name: "arbor".to_string(),
            // No version: the same network is the same bytes from every release.
            producer_version: String::new(),
            graph: Some(self.graph),
            opset_import: vec![OperatorSetId { domain: String::new(), version: OPSET }],
            metadata_props: self.metadata,
        };
        model.encode_to_vec()
    }
}

fn attribute(attribute: &Attribute) -> AttributeProto {
    let named = |name: &str, r#type| AttributeProto {
        name: name.to_string(),
        r#type,
        ..Default::default()
    };
    match *attribute {
        Attribute::Float(name, x) => AttributeProto { f: Some(x), ..named(name, 1) },
        Attribute::Int(name, x) => AttributeProto { i: Some(x), ..named(name, 2) },
        Attribute::Ints(name, list) => AttributeProto { ints: list.to_vec(), ..named(name, 7) },
    }
}

fn value_info(name: &str, dims: &[Dim]) -> ValueInfoProto {
    let dim = |dim: &Dim| Dimension {
        value: Some(match dim {
            Dim::Fixed(n) => DimensionValue::Fixed(*n as i64),
            Dim::Open(name) => DimensionValue::Named(name.to_string()),
        }),
    };
    let shape = TensorShape { dim: dims.iter().map(dim).collect() };
    let tensor = TensorType { elem_type: proto::FLOAT, shape: Some(shape) };
    ValueInfoProto { name: name.to_string(), r#type: Some(TypeProto { tensor_type: Some(tensor) }) }
}
