//! What a network file says of itself: metadata, inputs and outputs.

use super::proto::{self, DimensionValue, GraphProto, ModelProto, TensorProto, ValueInfoProto};
use prost::Message;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use thiserror::Error;

/// Why bytes are not a usable ONNX model.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    #[error("not an ONNX model ({0})")]
    Protobuf(String),
    #[error("an ONNX model without a graph")]
    NoGraph,
    #[error("an ONNX model whose weights are in a second file")]
    ExternalWeights,
}

/// Element type of a tensor, by its number in the ONNX schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ElementType(pub i32);

impl ElementType {
    pub const F32: ElementType = ElementType(proto::FLOAT);
    pub const F16: ElementType = ElementType(proto::FLOAT16);
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            proto::FLOAT => f.write_str("f32"),
            proto::FLOAT16 => f.write_str("f16"),
            proto::INT64 => f.write_str("i64"),
            proto::UINT8 => f.write_str("u8"),
            proto::INT8 => f.write_str("i8"),
            proto::INT32 => f.write_str("i32"),
            11 => f.write_str("f64"),
            16 => f.write_str("bf16"),
            other => write!(f, "type {other}"),
        }
    }
}

/// Name, element type and shape of an input or output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorInfo {
    pub name: String,
    pub element: ElementType,
    /// `None` for a dimension that is open until run time; the whole shape is
    /// `None` where the file leaves it out.
    pub shape: Option<Vec<Option<i64>>>,
}

impl fmt::Display for TensorInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.name, self.element)?;
        let Some(shape) = &self.shape else { return f.write_str(" (no shape)") };
        let dims: Vec<String> =
            shape.iter().map(|d| d.map_or("?".to_string(), |d| d.to_string())).collect();
        write!(f, " [{}]", dims.join(","))
    }
}

/// The outside of a model: all that layout detection needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelInfo {
    pub metadata: BTreeMap<String, String>,
    pub inputs: Vec<TensorInfo>,
    pub outputs: Vec<TensorInfo>,
    /// What was learned: all stored numbers but shapes, indices, and the scales
    /// and zero points of quantization.
    pub weights: Vec<TensorInfo>,
    pub producer: String,
    /// Version of the standard operator set.
    pub opset: i64,
}

/// Reads the outside of a model from the bytes of its file.
pub fn read_model(bytes: &[u8]) -> Result<ModelInfo, ReadError> {
    let model = ModelProto::decode(bytes).map_err(|e| ReadError::Protobuf(e.to_string()))?;
    let graph = model.graph.ok_or(ReadError::NoGraph)?;
    if graph.initializer.iter().any(|t| t.data_location == proto::EXTERNAL) {
        return Err(ReadError::ExternalWeights);
    }
    // Old files list their weights among the inputs, too.
    let is_weight = |name: &str| graph.initializer.iter().any(|t| t.name == name);
    let inputs =
        graph.input.iter().filter(|input| !is_weight(&input.name)).map(tensor_info).collect();
    Ok(ModelInfo {
        metadata: model.metadata_props.into_iter().map(|e| (e.key, e.value)).collect(),
        inputs,
        outputs: graph.output.iter().map(tensor_info).collect(),
        weights: weights(&graph),
        producer: format!("{} {}", model.producer_name, model.producer_version).trim().to_string(),
        opset: model
            .opset_import
            .iter()
            .find(|set| set.domain.is_empty() || set.domain == "ai.onnx")
            .map_or(0, |set| set.version),
    })
}

fn weights(graph: &GraphProto) -> Vec<TensorInfo> {
    let nodes = |op: &'static str| graph.node.iter().filter(move |node| node.op_type == op);
    let scales: HashSet<&String> = nodes("QuantizeLinear")
        .chain(nodes("DequantizeLinear"))
        .flat_map(|node| node.input.iter().skip(1))
        .collect();
    let stored: HashSet<&String> =
        nodes("DequantizeLinear").filter_map(|node| node.input.first()).collect();
    let learned = |tensor: &&TensorProto| match tensor.data_type {
        proto::INT32 | proto::INT64 => stored.contains(&tensor.name),
        _ => !scales.contains(&tensor.name),
    };
    let info = |tensor: &TensorProto| TensorInfo {
        name: tensor.name.clone(),
        element: ElementType(tensor.data_type),
        shape: Some(tensor.dims.iter().map(|&d| Some(d)).collect()),
    };
    graph.initializer.iter().filter(learned).map(info).collect()
}

fn tensor_info(value: &ValueInfoProto) -> TensorInfo {
    let tensor = value.r#type.as_ref().and_then(|t| t.tensor_type.as_ref());
    let shape = tensor.and_then(|t| t.shape.as_ref()).map(|shape| {
        let fixed = |dim: &proto::Dimension| match dim.value {
            Some(DimensionValue::Fixed(n)) if n > 0 => Some(n),
            _ => None,
        };
        shape.dim.iter().map(fixed).collect()
    });
    TensorInfo {
        name: value.name.clone(),
        element: ElementType(tensor.map_or(0, |t| t.elem_type)),
        shape,
    }
}
