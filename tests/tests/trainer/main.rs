//! The trainer's real binary, driven as a person would, in one test binary.

mod driver;
mod fixtures;
mod python;

mod arena;
mod bad_input;
mod cycle;
mod evaluate;
mod export;
mod import;
mod label;
mod openings;
mod selfplay;
mod selfplay_survival;
mod shards;
mod suite;
mod tensorboard;
mod train;
mod walkthrough;
