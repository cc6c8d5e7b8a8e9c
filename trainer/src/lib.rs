//! Arbor's trainer as a library: games and labels in, networks out.
//!
//! The folders follow the data: `import` and `label` make records, `shards`
//! keeps them on disk, `dataset` turns them into batches, `model` and `train`
//! learn from those, `export` writes the network the engine plays with, `evaluate`,
//! `arena` and `suite` find out how good it is, and `metrics` tells how it went. `uci`
//! talks to other engines, `players` makes all of them alike, `openings` is where
//! games begin, `statistics` says what results mean; `commands` is the command
//! line to all of it.

pub mod arena;
pub mod commands;
pub mod config;
pub mod cycle;
pub mod dataset;
pub mod differences;
pub mod epd;
pub mod evaluate;
pub mod export;
pub mod files;
pub mod import;
pub mod interrupt;
pub mod label;
pub mod metrics;
pub mod model;
pub mod openings;
pub mod players;
pub mod progress;
pub mod provenance;
pub mod report;
pub mod selfplay;
pub mod shards;
pub mod statistics;
pub mod suite;
pub mod train;
pub mod uci;
