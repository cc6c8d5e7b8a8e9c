//! The trainer's real binary, driven as a person would, in one test binary.

mod driver;
mod python;

mod bad_input;
mod export;
mod import;
mod label;
mod shards;
mod tensorboard;
mod train;
mod walkthrough;
