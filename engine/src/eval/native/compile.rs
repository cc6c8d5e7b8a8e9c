//! From an ONNX graph to a [`Plan`]: the residual networks of AlphaZero's kind,
//! as our trainer and lc0 write them. Anything else is refused, with the reason.

use super::convolution::Convolution;
use super::gemm::{Packed, padded};
use super::plan::{Activation, Mixture, Plan, Shape, Slot, Step, Work};
use crate::onnx::proto::{self, GraphProto, ModelProto, NodeProto, TensorProto};
use prost::Message;
use std::collections::HashMap;

/// Reads the bytes of a network file; `outputs` are the names of what is asked
/// for.
pub fn compile(bytes: &[u8], input: &str, planes: usize, outputs: &[&str]) -> Result<Plan, String> {
    let model = ModelProto::decode(bytes).map_err(|error| error.to_string())?;
    let graph = model.graph.ok_or("it has no graph")?;
    let mut compiler = Compiler::new(&graph, input, planes);
    for node in &graph.node {
        compiler.node(node)?;
    }
    let outputs = outputs
        .iter()
        .map(|name| match compiler.values.get(name) {
            Some(Value::Vector(slot)) => Ok(*slot),
            _ => Err(format!("output {name} is no vector")),
        })
        .collect::<Result<Vec<Slot>, String>>()?;
    Ok(Plan::new(compiler.steps, compiler.shapes, outputs))
}

/// What an edge of the graph stands for.
#[derive(Clone, Copy)]
enum Value {
    Board(Slot),
    Vector(Slot),
    /// A sum that is computed when it is needed, in one pass.
    Pending(Mixture),
}

struct Compiler<'a> {
    constants: HashMap<&'a str, &'a TensorProto>,
    /// How often each edge is used.
    uses: HashMap<&'a str, usize>,
    values: HashMap<&'a str, Value>,
    steps: Vec<Step>,
    shapes: Vec<Shape>,
}

impl<'a> Compiler<'a> {
    fn new(graph: &'a GraphProto, input: &'a str, planes: usize) -> Compiler<'a> {
        let mut uses = HashMap::new();
        for name in graph.node.iter().flat_map(|node| &node.input) {
            *uses.entry(name.as_str()).or_default() += 1;
        }
        Compiler {
            constants: graph.initializer.iter().map(|t| (t.name.as_str(), t)).collect(),
            uses,
            values: HashMap::from([(input, Value::Board(0))]),
            steps: Vec::new(),
            shapes: vec![Shape::Board(planes)],
        }
    }

    fn node(&mut self, node: &'a NodeProto) -> Result<(), String> {
        let value = match node.op_type.as_str() {
            "Conv" => self.conv(node)?,
            "Gemm" => self.gemm(node)?,
            "MatMul" => self.mat_mul(node)?,
            "Add" => self.add(node)?,
            "Mul" => self.scale(node)?,
            "Relu" => self.relu(node)?,
            "Sigmoid" => self.activation(node, Activation::Sigmoid)?,
            "Tanh" => self.activation(node, Activation::Tanh)?,
            "Softplus" => self.activation(node, Activation::Softplus)?,
            "Softmax" => self.activation(node, Activation::Softmax)?,
            "GlobalAveragePool" | "ReduceMean" => self.pool(node)?,
            "Flatten" | "Reshape" | "Identity" => self.reshape(node)?,
            "Gather" => self.gather(node)?,
            "Split" => return self.split(node),
            other => return Err(format!("operator {other} is not among those it knows")),
        };
        self.name(node, 0, value)
    }

    fn name(&mut self, node: &'a NodeProto, output: usize, value: Value) -> Result<(), String> {
        let name = node.output.get(output).ok_or("a node without output")?;
        self.values.insert(name, value);
        Ok(())
    }

    fn step(&mut self, work: Work, shape: Shape) -> Value {
        self.shapes.push(shape);
        let to = self.shapes.len() - 1;
        self.steps.push(Step { work, to });
        match shape {
            Shape::Board(_) => Value::Board(to),
            Shape::Vector(_) => Value::Vector(to),
        }
    }

    fn operand(&self, node: &'a NodeProto, index: usize) -> Option<Value> {
        self.values.get(node.input.get(index)?.as_str()).copied()
    }

    /// The first input, computed if it was pending.
    fn input(&mut self, node: &'a NodeProto) -> Result<Value, String> {
        let value = self.operand(node, 0).ok_or(format!("{}: unknown input", node.op_type))?;
        Ok(match value {
            Value::Pending(mixture) => self.mix(mixture, false),
            other => other,
        })
    }

    fn mix(&mut self, mixture: Mixture, relu: bool) -> Value {
        let shape = self.shapes[mixture.base];
        self.step(Work::Mix { mixture, relu }, shape)
    }

    fn conv(&mut self, node: &'a NodeProto) -> Result<Value, String> {
        let (dims, weight) = self.floats(node, 1)?;
        let [outputs, inputs, height, width] = dims[..] else {
            return Err("a convolution that is not of two dimensions".into());
        };
        let bias = match node.input.len() {
            3 => self.floats(node, 2)?.1,
            _ => vec![0.0; outputs],
        };
        for attribute in &node.attribute {
            let expected = match attribute.name.as_str() {
                "pads" => height as i64 / 2,
                "strides" | "dilations" => 1,
                "group" if attribute.i == Some(1) => continue,
                "kernel_shape" => continue,
                other => return Err(format!("a convolution with {other}")),
            };
            if attribute.ints.iter().any(|value| *value != expected) {
                return Err(format!("a convolution with other {}", attribute.name));
            }
        }
        if height != width || bias.len() != outputs {
            return Err("a convolution of odd shape".into());
        }
        let from = self.input(node)?;
        match (from, height) {
            (Value::Board(from), 3) if self.shapes[from] == Shape::Board(inputs) => {
                let convolution = Convolution::new(inputs, outputs, &weight, &bias);
                let work = Work::Convolution(from, Box::new(convolution));
                Ok(self.step(work, Shape::Board(outputs)))
            }
            (Value::Board(from) | Value::Vector(from), 1) => {
                let matrix = Packed::new(inputs, outputs, |i, o| weight[o * inputs + i]);
                self.linear(from, inputs, outputs, matrix, bias)
            }
            _ => Err(format!("a convolution of {height}x{width} squares")),
        }
    }

    fn linear(
        &mut self,
        from: Slot,
        inputs: usize,
        outputs: usize,
        matrix: Packed,
        mut bias: Vec<f32>,
    ) -> Result<Value, String> {
        let shape = match self.shapes[from] {
            Shape::Board(channels) if channels == inputs => Shape::Board(outputs),
            Shape::Vector(width) if width == inputs => Shape::Vector(outputs),
            other => return Err(format!("{inputs} inputs from {other:?}")),
        };
        bias.resize(padded(outputs), 0.0);
        let work = Work::Linear { from, matrix: Box::new(matrix), bias, relu: false };
        Ok(self.step(work, shape))
    }

    fn gemm(&mut self, node: &'a NodeProto) -> Result<Value, String> {
        let transposed = node.is_gemm_transposed()?;
        let (dims, weight) = self.floats(node, 1)?;
        let [rows, columns] = dims[..] else { return Err("Gemm with no matrix".into()) };
        let (inputs, outputs) = if transposed { (columns, rows) } else { (rows, columns) };
        let bias = match node.input.len() {
            3 => self.floats(node, 2)?.1,
            _ => vec![0.0; outputs],
        };
        if bias.len() != outputs {
            return Err("Gemm with a bias of another width".into());
        }
        let place = |i: usize, o: usize| if transposed { o * columns + i } else { i * columns + o };
        let matrix = Packed::new(inputs, outputs, |i, o| weight[place(i, o)]);
        let Value::Vector(from) = self.input(node)? else { return Err("Gemm on a board".into()) };
        self.linear(from, inputs, outputs, matrix, bias)
    }

    fn mat_mul(&mut self, node: &'a NodeProto) -> Result<Value, String> {
        let (dims, weight) = self.floats(node, 1)?;
        let [inputs, outputs] = dims[..] else { return Err("MatMul with no matrix".into()) };
        let matrix = Packed::new(inputs, outputs, |i, o| weight[i * outputs + o]);
        let Value::Vector(from) = self.input(node)? else { return Err("MatMul on a board".into()) };
        self.linear(from, inputs, outputs, matrix, Vec::new())
    }

    fn add(&mut self, node: &'a NodeProto) -> Result<Value, String> {
        let pair = (self.operand(node, 0), self.operand(node, 1));
        match pair {
            (Some(Value::Vector(from)), None) => self.add_bias(node, from, 1),
            (None, Some(Value::Vector(from))) => self.add_bias(node, from, 0),
            (Some(Value::Vector(shift)), Some(board))
            | (Some(board), Some(Value::Vector(shift))) => {
                let mixture = self.mixture(board)?;
                self.same_channels(mixture.base, shift)?;
                match mixture {
                    Mixture { shift: None, residual: None, .. } => {
                        Ok(Value::Pending(Mixture { shift: Some(shift), ..mixture }))
                    }
                    _ => Err("a sum of too many parts".into()),
                }
            }
            (Some(one), Some(other)) => {
                let (mixture, residual) = match (one, other) {
                    (Value::Board(residual), other) => (self.mixture(other)?, residual),
                    (other, Value::Board(residual)) => (self.mixture(other)?, residual),
                    _ => return Err("a sum of two sums".into()),
                };
                if mixture.residual.is_some() || self.shapes[mixture.base] != self.shapes[residual]
                {
                    return Err("a sum of boards that do not fit".into());
                }
                Ok(Value::Pending(Mixture { residual: Some(residual), ..mixture }))
            }
            _ => Err("a sum with a constant board".into()),
        }
    }

    /// The bias of the matrix product that has just been made.
    fn add_bias(&mut self, node: &NodeProto, from: Slot, constant: usize) -> Result<Value, String> {
        let (_, added) = self.floats(node, constant)?;
        let produced =
            node.input.get(1 - constant).is_some_and(|name| self.uses[name.as_str()] == 1);
        match self.steps.last_mut() {
            Some(Step { work: Work::Linear { bias, relu: false, .. }, to })
                if *to == from && produced && Shape::Vector(added.len()) == self.shapes[from] =>
            {
                bias.resize(padded(added.len()), 0.0);
                bias.iter_mut().zip(&added).for_each(|(bias, added)| *bias += added);
                Ok(Value::Vector(from))
            }
            _ => Err("a constant that is no bias".into()),
        }
    }

    fn scale(&mut self, node: &'a NodeProto) -> Result<Value, String> {
        match (self.operand(node, 0), self.operand(node, 1)) {
            (Some(Value::Vector(scale)), Some(Value::Board(base)))
            | (Some(Value::Board(base)), Some(Value::Vector(scale))) => {
                self.same_channels(base, scale)?;
                let scale = Some(scale);
                Ok(Value::Pending(Mixture { base, scale, shift: None, residual: None }))
            }
            _ => Err("a product that is not a board's with its gates".into()),
        }
    }

    fn same_channels(&self, board: Slot, vector: Slot) -> Result<(), String> {
        match (self.shapes[board], self.shapes[vector]) {
            (Shape::Board(channels), Shape::Vector(width)) if channels == width => Ok(()),
            (board, vector) => Err(format!("{board:?} with {vector:?}")),
        }
    }

    fn mixture(&self, value: Value) -> Result<Mixture, String> {
        match value {
            Value::Pending(mixture) => Ok(mixture),
            Value::Board(base) => Ok(Mixture { base, scale: None, shift: None, residual: None }),
            Value::Vector(_) => Err("a sum of vectors".into()),
        }
    }

    fn relu(&mut self, node: &'a NodeProto) -> Result<Value, String> {
        let name = node.input.first().ok_or("Relu without input")?;
        let value = self.operand(node, 0).ok_or("Relu: unknown input")?;
        let slot = match value {
            Value::Pending(mixture) => return Ok(self.mix(mixture, true)),
            Value::Board(slot) | Value::Vector(slot) => slot,
        };
        // Into the step before, if nobody else wants that without it.
        if self.uses[name.as_str()] == 1
            && let Some(last) = self.steps.last_mut()
            && last.to == slot
        {
            match &mut last.work {
                Work::Convolution(_, convolution) => {
                    convolution.with_relu();
                    return Ok(value);
                }
                Work::Linear { relu, .. } => {
                    *relu = true;
                    return Ok(value);
                }
                _ => {}
            }
        }
        self.activation(node, Activation::Relu)
    }

    fn activation(&mut self, node: &'a NodeProto, kind: Activation) -> Result<Value, String> {
        match self.input(node)? {
            Value::Vector(from) => Ok(self.step(Work::Activate(from, kind), self.shapes[from])),
            Value::Board(from) if kind != Activation::Softmax => {
                Ok(self.step(Work::Activate(from, kind), self.shapes[from]))
            }
            _ => Err(format!("{kind:?} of a board")),
        }
    }

    fn pool(&mut self, node: &'a NodeProto) -> Result<Value, String> {
        let axes = node.attribute.iter().find(|attribute| attribute.name == "axes");
        if axes.is_some_and(|axes| axes.ints != [2, 3]) {
            return Err("a mean over other axes than the board's".into());
        }
        match self.input(node)? {
            Value::Board(from) => match self.shapes[from] {
                Shape::Board(channels) => Ok(self.step(Work::Pool(from), Shape::Vector(channels))),
                Shape::Vector(_) => Err("a mean of a vector".into()),
            },
            _ => Err("a mean of a vector".into()),
        }
    }

    /// A vector stays as it is, whatever ones are put around it.
    fn reshape(&mut self, node: &'a NodeProto) -> Result<Value, String> {
        match self.input(node)? {
            Value::Board(from) if node.op_type != "Identity" => match self.shapes[from] {
                Shape::Board(channels) => {
                    Ok(self.step(Work::Flatten(from), Shape::Vector(channels * 64)))
                }
                Shape::Vector(_) => Err("a vector that is a board".into()),
            },
            other => Ok(other),
        }
    }

    fn gather(&mut self, node: &'a NodeProto) -> Result<Value, String> {
        let axis = node.attribute.iter().find(|attribute| attribute.name == "axis");
        let table = self.constant(node, 1)?;
        let Value::Vector(from) = self.input(node)? else { return Err("Gather on a board".into()) };
        let Shape::Vector(width) = self.shapes[from] else { return Err("Gather".into()) };
        let numbers: Vec<i64> = match table.data_type {
            proto::INT32 => {
                table.raw_data.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b).into()).collect()
            }
            proto::INT64 => {
                table.raw_data.as_chunks().0.iter().map(|b| i64::from_le_bytes(*b)).collect()
            }
            _ => return Err("Gather with no table".into()),
        };
        let indices = numbers.iter().map(|n| usize::try_from(*n).ok().filter(|n| *n < width));
        let indices: Vec<usize> = indices.collect::<Option<_>>().ok_or("Gather out of range")?;
        if indices.is_empty() || axis.and_then(|axis| axis.i) != Some(1) {
            return Err("Gather along another axis".into());
        }
        let width = indices.len();
        Ok(self.step(Work::Gather(from, indices), Shape::Vector(width)))
    }

    fn split(&mut self, node: &'a NodeProto) -> Result<(), String> {
        let Value::Vector(from) = self.input(node)? else { return Err("Split of a board".into()) };
        let Shape::Vector(width) = self.shapes[from] else { return Err("Split".into()) };
        let parts = node.output.len();
        let axis = node.attribute.iter().find(|attribute| attribute.name == "axis");
        let uneven = node.attribute.iter().any(|attribute| {
            attribute.name == "split" && attribute.ints.iter().any(|n| *n as usize * parts != width)
        });
        if uneven || parts == 0 || width % parts != 0 || axis.and_then(|axis| axis.i) != Some(1) {
            return Err("Split in uneven parts".into());
        }
        for part in 0..parts {
            let start = part * (width / parts);
            let value = self.step(Work::Part(from, start), Shape::Vector(width / parts));
            self.name(node, part, value)?;
        }
        Ok(())
    }

    fn constant(&self, node: &NodeProto, index: usize) -> Result<&'a TensorProto, String> {
        let name = node.input.get(index).ok_or(format!("{} lacks an input", node.op_type))?;
        self.constants.get(name.as_str()).copied().ok_or(format!("{name} is no constant"))
    }

    /// Dimensions and numbers of a constant.
    fn floats(&self, node: &NodeProto, index: usize) -> Result<(Vec<usize>, Vec<f32>), String> {
        let tensor = self.constant(node, index)?;
        let dims: Option<Vec<usize>> =
            tensor.dims.iter().map(|d| usize::try_from(*d).ok()).collect();
        let dims = dims.ok_or("a negative dimension")?;
        let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).ok_or("too large")?;
        let data = tensor.raw_data.as_chunks().0;
        if tensor.data_type != proto::FLOAT || data.len() != count || count == 0 {
            return Err(format!("{} is not in f32", tensor.name));
        }
        Ok((dims, data.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()))
    }
}
