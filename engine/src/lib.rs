//! Arbor's engine as a library: rules, encodings, networks, search and UCI.
//!
//! The folders follow the data: `uci` reads a line, `engine` owns the game,
//! `time` grants a budget, `search` grows the tree, `encode` turns positions
//! into planes, `eval` asks the network, and `uci` prints what comes back.

pub mod chess;
pub mod cli;
pub mod commands;
pub mod encode;
pub mod engine;
pub mod eval;
pub mod onnx;
pub mod options;
pub mod search;
pub mod selfplay;
pub mod tablebase;
pub mod time;
pub mod uci;
mod vectorized;
pub mod winograd;
