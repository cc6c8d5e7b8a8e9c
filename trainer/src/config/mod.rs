//! What to train and how: a preset, a file and flags in, one [`TrainConfig`] out.
//!
//! Each of the three is a tree of keys that lies over the one before
//! (`layer`, `merge`). What a key means and which values it takes stands in one
//! table (`keys`), from which come the checks (`check`) and the help (`help`);
//! what must fit together stands in another (`rules`). All that is wrong is
//! told at once.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod check;
mod flags;
mod format;
mod help;
mod keys;
mod kind;
mod layer;
mod merge;
mod nearest;
mod presets;
mod problem;
mod resolve;
mod rules;
mod schedule;
mod settings;
#[cfg(test)]
mod tests;

pub use flags::ConfigFlags;
pub use format::Format;
pub use help::help;
pub use layer::set_at;
pub use presets::{DEFAULT_PRESET, PRESETS, preset};
pub use problem::{ConfigError, Origin, Problem};
pub use schedule::{Decay, Drop, ScheduleSettings};
pub use settings::{
    Device, KlSettings, Length, LossSettings, OptimizerKind, OptimizerSettings, PolicySoftmax,
    RunSettings, TrainConfig, TrainSettings, ValueLoss,
};
