//! A teacher engine labels positions.
//!
//! In: games, position lists, shards or random play, and any UCI engine. Out:
//! shards of kind [`Teacher`](crate::shards::SearchKind::Teacher). `positions`
//! numbers the positions, the same ones on every run; `teacher` asks the engine
//! and restarts it when it fails; `segment` makes a record of a position and
//! what follows; `policy` turns scores into weights; `run` spreads the work over
//! processes, `collector` puts the answers in order, and `store` keeps them in files such
//! that a run can be stopped at any moment and taken up again.
//!
//! A root is a position that was chosen for labeling; the positions that follow
//! it by played moves belong to its record.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod chance;
mod collector;
mod error;
mod identity;
mod input;
mod list;
mod policy;
mod positions;
mod run;
mod segment;
mod settings;
mod store;
mod summary;
mod teacher;

pub use error::LabelError;
pub use policy::{Basis, PolicySettings};
pub use run::label;
pub use settings::{PositionSettings, SearchSettings, Settings, TeacherSettings};
pub use summary::Summary;
