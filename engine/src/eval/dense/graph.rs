//! Finds the layers of a dense network in its ONNX graph, from the outputs back
//! to the planes. Anything else is refused, with the reason.

use super::DenseNetwork;
use super::layers::{Body, Finish, Head, MOST_OUTPUTS, Rows};
use crate::eval::network::Layout;
use crate::onnx::proto::{self, GraphProto, ModelProto, NodeProto, TensorProto};
use half::f16;
use prost::Message;
use std::collections::HashMap;

pub fn read(bytes: &[u8], layout: Layout) -> Result<DenseNetwork, String> {
    let model = ModelProto::decode(bytes).map_err(|error| error.to_string())?;
    let graph = model.graph.ok_or("it has no graph")?;
    let graph = Graph::new(&graph);
    let inputs = layout.encoder.planes() * 64;
    if inputs > usize::from(u16::MAX) {
        return Err("too many planes".into());
    }

    let policy = graph.layer(&layout.policy_output.name)?;
    let body = policy.from;
    let squared = graph.node(body, "Mul")?;
    let [one, other] = &squared.input[..] else { return Err("a product of other parts".into()) };
    if one != other {
        return Err("a product of other parts".into());
    }
    let rectified = graph.through(one, "Relu")?;
    let split = graph.node(rectified, "Split")?;
    let [sums, widths] = &split.input[..] else { return Err("an even Split".into()) };
    let widths = graph.integers(widths)?;
    let features = graph.layer(sums)?;
    let flat = graph.node(features.from, "Flatten")?;
    if axis(flat).unwrap_or(1) != 1 || flat.input.first() != Some(&layout.input.name) {
        return Err("a layer that does not see the planes".into());
    }
    features.check(inputs, features.outputs())?;
    let [hidden, direct] = widths[..] else { return Err("a Split in other parts".into()) };
    if split.output.len() != 2
        || split.output[0] != rectified
        || axis(split) != Some(1)
        || hidden + direct != features.outputs()
    {
        return Err("a Split in other parts".into());
    }
    policy.check(hidden, layout.policy.len())?;
    let value = graph.head(&layout.value_output.name, body, hidden, Some(&split.output[1]))?;
    let port = layout.moves_left_output.as_ref();
    let moves_left = port.map(|port| graph.head(&port.name, body, hidden, None)).transpose()?;
    let fits = |head: &Head, outputs: usize| head.second_bias.len() == outputs;
    if !fits(&value, layout.value.width())
        || value.width() != direct
        || !moves_left.iter().all(|head| fits(head, 1))
    {
        return Err("a head of another width".into());
    }
    Ok(DenseNetwork {
        body: Body::new(hidden, &features.by_input(), &features.bias),
        policy: Rows::new(hidden, &policy.by_output(), policy.bias),
        value,
        moves_left,
        layout,
    })
}

/// The axis that a node works along, where it says so.
fn axis(node: &NodeProto) -> Option<i64> {
    node.attribute.iter().find(|attribute| attribute.name == "axis")?.i
}

struct Graph<'a> {
    made_by: HashMap<&'a str, &'a NodeProto>,
    constants: HashMap<&'a str, &'a TensorProto>,
}

/// A fully connected layer.
struct Layer<'a> {
    from: &'a str,
    rows: usize,
    columns: usize,
    weight: Vec<f32>,
    bias: Vec<f32>,
    /// Whether the rows are outputs.
    transposed: bool,
}

impl<'a> Graph<'a> {
    fn new(graph: &'a GraphProto) -> Graph<'a> {
        let made_by = |node: &'a NodeProto| node.output.iter().map(move |o| (o.as_str(), node));
        Graph {
            made_by: graph.node.iter().flat_map(made_by).collect(),
            constants: graph.initializer.iter().map(|t| (t.name.as_str(), t)).collect(),
        }
    }

    fn node(&self, name: &str, op: &str) -> Result<&'a NodeProto, String> {
        match self.made_by.get(name) {
            Some(node) if node.op_type == op => Ok(node),
            Some(node) => Err(format!("{} instead of {op}", node.op_type)),
            None => Err(format!("{name} instead of {op}")),
        }
    }

    /// What a node with one input was made from.
    fn through(&self, name: &str, op: &str) -> Result<&'a str, String> {
        self.node(name, op)?.input.first().map(String::as_str).ok_or(format!("{op} of nothing"))
    }

    fn layer(&self, name: &str) -> Result<Layer<'a>, String> {
        let node = self.node(name, "Gemm")?;
        let [from, weight, bias] = &node.input[..] else { return Err("Gemm without bias".into()) };
        let transposed = node.is_gemm_transposed()?;
        let (dims, weight) = self.floats(weight)?;
        let [rows, columns] = dims[..] else { return Err("Gemm with no matrix".into()) };
        let (_, bias) = self.floats(bias)?;
        Ok(Layer { from, rows, columns, weight, bias, transposed })
    }

    /// Two layers behind the body of that width, to the first of which `direct`
    /// is added.
    fn head(
        &self,
        name: &str,
        body: &str,
        width: usize,
        direct: Option<&str>,
    ) -> Result<Head, String> {
        let finish = match self.made_by.get(name).map(|node| node.op_type.as_str()) {
            Some("Tanh") => Finish::Tanh,
            Some("Softplus") => Finish::Softplus,
            _ => Finish::Nothing,
        };
        let end = match finish {
            Finish::Nothing => name,
            Finish::Tanh => self.through(name, "Tanh")?,
            Finish::Softplus => self.through(name, "Softplus")?,
        };
        let second = self.layer(end)?;
        let mut hidden = self.through(second.from, "Relu")?;
        if let Some(direct) = direct {
            let sum = self.node(hidden, "Add")?;
            match &sum.input[..] {
                [first, added] if added == direct => hidden = first,
                _ => return Err("a sum of other parts".into()),
            }
        }
        let first = self.layer(hidden)?;
        if first.from != body || second.outputs() > MOST_OUTPUTS {
            return Err("a head of another shape".into());
        }
        second.check(first.outputs(), second.outputs())?;
        first.check(width, first.outputs())?;
        Ok(Head {
            first: Rows::new(width, &first.by_output(), first.bias),
            second: second.by_output(),
            second_bias: second.bias,
            finish,
        })
    }

    /// A constant list of widths.
    fn integers(&self, name: &str) -> Result<Vec<usize>, String> {
        let tensor = self.constants.get(name).ok_or(format!("{name} is no constant"))?;
        let numbers = tensor.raw_data.as_chunks().0.iter().map(|b| i64::from_le_bytes(*b));
        let numbers: Result<Vec<usize>, _> = numbers.map(usize::try_from).collect();
        match numbers {
            Ok(numbers) if tensor.data_type == proto::INT64 => Ok(numbers),
            _ => Err(format!("{name} is no list of widths")),
        }
    }

    /// Dimensions and numbers of a constant, which may be kept in 16 bits.
    fn floats(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), String> {
        let name = self.through(name, "Cast").unwrap_or(name);
        let tensor = self.constants.get(name).ok_or(format!("{name} is no constant"))?;
        let dims: Option<Vec<usize>> =
            tensor.dims.iter().map(|d| usize::try_from(*d).ok()).collect();
        let dims = dims.ok_or("a negative dimension")?;
        let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).ok_or("too large")?;
        let numbers: Vec<f32> = match tensor.data_type {
            proto::FLOAT => {
                tensor.raw_data.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
            }
            proto::FLOAT16 => {
                let halves = tensor.raw_data.as_chunks().0.iter();
                halves.map(|b| f16::from_le_bytes(*b).to_f32()).collect()
            }
            _ => return Err(format!("{name} is neither f32 nor f16")),
        };
        if numbers.len() != count || count == 0 {
            return Err(format!("{name} has {} numbers, not {count}", numbers.len()));
        }
        match numbers.iter().all(|x| x.is_finite()) {
            true => Ok((dims, numbers)),
            false => Err(format!("{name} has numbers that are not finite")),
        }
    }
}

impl Layer<'_> {
    fn inputs(&self) -> usize {
        if self.transposed { self.columns } else { self.rows }
    }

    fn outputs(&self) -> usize {
        if self.transposed { self.rows } else { self.columns }
    }

    fn check(&self, inputs: usize, outputs: usize) -> Result<(), String> {
        let fits = self.inputs() == inputs && self.outputs() == outputs;
        match fits && self.bias.len() == outputs {
            true => Ok(()),
            false => Err(format!("a layer of {}x{}", self.rows, self.columns)),
        }
    }

    /// [inputs][outputs].
    fn by_input(&self) -> Vec<f32> {
        if self.transposed { self.turned() } else { self.weight.clone() }
    }

    /// [outputs][inputs].
    fn by_output(&self) -> Vec<f32> {
        if self.transposed { self.weight.clone() } else { self.turned() }
    }

    fn turned(&self) -> Vec<f32> {
        let at = |i: usize| self.weight[i % self.rows * self.columns + i / self.rows];
        (0..self.weight.len()).map(at).collect()
    }
}
