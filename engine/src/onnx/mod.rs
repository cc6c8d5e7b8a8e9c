//! ONNX files, read and written without the runtime.
//!
//! In: the bytes of a file, or a network's layers and weights. Out: what the
//! file says of itself ([`read_model`]), or the bytes of a new file
//! ([`GraphBuilder`], [`layers`], [`random_network`]).

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod builder;
pub mod layers;
pub mod proto;
mod random_network;
mod reader;

pub use builder::{Attribute, Dim, Edge, Elements, GraphBuilder};
pub use random_network::{NetworkSpec, random_network};
pub use reader::{ElementType, ModelInfo, ReadError, TensorInfo, read_model};
