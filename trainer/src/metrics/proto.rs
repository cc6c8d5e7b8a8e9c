//! The part of TensorBoard's protocol buffers that a run writes.
//!
//! Names and field numbers are those of the public schema (`event.proto`,
//! `summary.proto`, `tensor.proto`); fields nobody here fills are left out.

use prost::{Message, Oneof};

/// `SessionLog.status`: a run begins, or begins again.
pub const SESSION_START: i32 = 1;

/// `TensorProto.dtype` of strings.
pub const DT_STRING: i32 = 7;

/// `SummaryMetadata.data_class` of tensors.
pub const DATA_CLASS_TENSOR: i32 = 2;

#[derive(Clone, PartialEq, Message)]
pub struct Event {
    #[prost(double, tag = "1")]
    pub wall_time: f64,
    #[prost(int64, tag = "2")]
    pub step: i64,
    #[prost(oneof = "What", tags = "3, 5, 7")]
    pub what: Option<What>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum What {
    #[prost(string, tag = "3")]
    FileVersion(String),
    #[prost(message, tag = "5")]
    Summary(Summary),
    #[prost(message, tag = "7")]
    SessionLog(SessionLog),
}

#[derive(Clone, PartialEq, Message)]
pub struct SessionLog {
    #[prost(int32, tag = "1")]
    pub status: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct Summary {
    #[prost(message, repeated, tag = "1")]
    pub value: Vec<SummaryValue>,
}

#[derive(Clone, PartialEq, Message)]
pub struct SummaryValue {
    #[prost(string, tag = "1")]
    pub tag: String,
    #[prost(message, optional, tag = "9")]
    pub metadata: Option<SummaryMetadata>,
    #[prost(oneof = "Content", tags = "2, 5, 8")]
    pub content: Option<Content>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Content {
    #[prost(float, tag = "2")]
    SimpleValue(f32),
    #[prost(message, tag = "5")]
    Histogram(Histogram),
    #[prost(message, tag = "8")]
    Tensor(StringTensor),
}

#[derive(Clone, PartialEq, Message)]
pub struct SummaryMetadata {
    #[prost(message, optional, tag = "1")]
    pub plugin_data: Option<PluginData>,
    #[prost(int32, tag = "4")]
    pub data_class: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct PluginData {
    #[prost(string, tag = "1")]
    pub plugin_name: String,
}

/// `TensorProto` with one string and no dimensions.
#[derive(Clone, PartialEq, Message)]
pub struct StringTensor {
    #[prost(int32, tag = "1")]
    pub dtype: i32,
    #[prost(message, optional, tag = "2")]
    pub tensor_shape: Option<TensorShape>,
    #[prost(bytes = "vec", repeated, tag = "8")]
    pub string_val: Vec<Vec<u8>>,
}

/// No dimensions: a single value.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShape {}

#[derive(Clone, PartialEq, Message)]
pub struct Histogram {
    #[prost(double, tag = "1")]
    pub min: f64,
    #[prost(double, tag = "2")]
    pub max: f64,
    #[prost(double, tag = "3")]
    pub num: f64,
    #[prost(double, tag = "4")]
    pub sum: f64,
    #[prost(double, tag = "5")]
    pub sum_squares: f64,
    /// Upper edges, ascending; a bucket begins where the one before ends.
    #[prost(double, repeated, tag = "6")]
    pub bucket_limit: Vec<f64>,
    /// How many values lie below the edge and not below the one before.
    #[prost(double, repeated, tag = "7")]
    pub bucket: Vec<f64>,
}
