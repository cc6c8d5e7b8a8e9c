//! What to label, with whom, and how.

use super::PolicySettings;
use crate::uci::{EngineCommand, Limit};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

pub struct Settings {
    pub teacher: TeacherSettings,
    pub search: SearchSettings,
    pub positions: PositionSettings,
    pub out: PathBuf,
    /// Roots per shard.
    pub part_size: u64,
}

pub struct TeacherSettings {
    pub command: EngineCommand,
    /// Names and values, passed through.
    pub options: Vec<(String, String)>,
    pub processes: usize,
    /// How long the teacher may be silent before it is taken for hung.
    pub patience: Duration,
}

#[derive(Serialize)]
pub struct SearchSettings {
    pub limit: Limit,
    pub multipv: usize,
    pub policy: PolicySettings,
    /// How many plies are played and labeled after the root.
    pub follow: usize,
    /// How often the move played is a random one instead of the best.
    pub follow_random: f64,
    /// `ucinewgame` before each root.
    pub new_game: bool,
}

#[derive(Serialize)]
pub struct PositionSettings {
    /// Named in a run's identity by their contents.
    #[serde(skip)]
    pub inputs: Vec<PathBuf>,
    /// Positions from random games.
    pub random: u64,
    /// The share of input positions that are first disturbed by a random move
    /// or two.
    pub random_plies: f64,
    /// Keeps input positions with at most so many men, kings and pawns included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_men: Option<u32>,
    /// Keeps each so-manieth position of a game or list.
    pub every: u64,
    /// The share of the positions to keep.
    pub sample: f64,
    pub limit: Option<u64>,
    pub seed: u64,
}
