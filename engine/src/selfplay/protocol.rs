//! The language of `engine selfplay`: one JSON object a line, requests in,
//! replies out.
//!
//! ```text
//! > {"request":"play","id":1,"seed":7,"settings":{"visits":64}}
//! < {"reply":"ready","network":"5f2c...","encoder":"threats","threads":2,"games_at_once":64}
//! < {"reply":"game","id":1,"result":"1-0","termination":"checkmate","plies":[...],...}
//! > {"request":"network","path":"next.onnx"}
//! > {"request":"finish"}
//! ```
//!
//! Moves are numbers as in the trainer's shards: from, to times 64, promotion
//! times 4096 (knight 2, bishop 3, rook 4, queen 5); castling is the king taking
//! its own rook. Values are for the side to move, -1 to 1.

use super::settings::Settings;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    Play(Box<Job>),
    /// Games that begin after this use another network.
    Network {
        path: PathBuf,
    },
    /// Plays what was asked for to its end, then exits. So does the end of input.
    Finish,
    /// Exits at once; games under way are lost.
    Abort,
}

/// A game to play.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub id: u64,
    #[serde(default)]
    pub seed: u64,
    /// The start position if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chess960: bool,
    /// Moves that are played before anybody thinks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<u16>,
    #[serde(default)]
    pub settings: Settings,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// A network is loaded.
    Ready {
        /// SHA-256 of its file; empty for the random backend.
        network: String,
        encoder: String,
        backend: String,
        threads: usize,
        /// More jobs than this wait in a queue.
        games_at_once: usize,
    },
    Game(Box<GameReport>),
    /// A request that could not be followed; `id` if it was a job.
    Refused {
        id: Option<u64>,
        reason: String,
    },
    /// The workers' totals so far, now and then and at the end.
    Totals(Totals),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameReport {
    pub id: u64,
    pub seed: u64,
    /// SHA-256 of the network that played.
    pub network: String,
    /// SHA-256 of the job's settings as JSON.
    pub settings: String,
    pub start_fen: String,
    pub chess960: bool,
    /// `1-0`, `1/2-1/2` or `0-1`.
    pub result: String,
    pub termination: String,
    /// The moves of the job first; they have no search.
    pub plies: Vec<PlyReport>,
    /// Who resigned when, or would have in a game that is played on.
    pub resignation: Option<Resignation>,
    pub effort: Effort,
}

/// A side gave up, or would have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resignation {
    pub ply: u32,
    pub white: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlyReport {
    pub played: u16,
    pub search: Option<SearchReport>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchReport {
    /// Whether it had all its visits; a shortened one is no target.
    pub full: bool,
    pub visits: u32,
    /// What search expects.
    pub q: f32,
    pub wdl: [f32; 3],
    pub moves: Vec<MoveReport>,
    /// As other engines give it; ours has `q`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<EngineScore>,
}

/// What an engine says over UCI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineScore {
    Centipawns(i32),
    /// Moves; negative for the side that is mated.
    Mate(i32),
}

/// A root move. The weights are the policy target and sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveReport {
    pub m: u16,
    pub weight: f32,
    pub visits: u32,
    /// Without noise.
    pub prior: f32,
    /// `None` for a move without visits.
    pub value: Option<f32>,
}

/// What a game cost and how its searches were, as sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    pub searches: u32,
    pub simulations: u64,
    pub evaluations: u64,
    pub cache_hits: u64,
    pub depth: u64,
    pub deepest: u32,
    /// Nats: of the visits of full searches, and from prior to target.
    pub entropy: f64,
    pub surprise: f64,
    pub full_searches: u32,
}

impl Effort {
    pub fn add(&mut self, more: &Effort) {
        self.searches += more.searches;
        self.simulations += more.simulations;
        self.evaluations += more.evaluations;
        self.cache_hits += more.cache_hits;
        self.depth += more.depth;
        self.deepest = self.deepest.max(more.deepest);
        self.entropy += more.entropy;
        self.surprise += more.surprise;
        self.full_searches += more.full_searches;
    }
}

/// What the engine did, all games together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub seconds: f64,
    pub games: u64,
    pub batches: u64,
    /// Positions evaluated, and those that the batches had room for.
    pub evaluations: u64,
    pub room: u64,
    pub simulations: u64,
    /// Seconds in the network, over all threads.
    pub network_seconds: f64,
    /// Simulations of each thread.
    pub by_thread: Vec<u64>,
}

impl Totals {
    /// Counts what another run did.
    pub fn add(&mut self, more: &Totals) {
        self.seconds += more.seconds;
        self.games += more.games;
        self.batches += more.batches;
        self.evaluations += more.evaluations;
        self.room += more.room;
        self.simulations += more.simulations;
        self.network_seconds += more.network_seconds;
        self.by_thread.resize(self.by_thread.len().max(more.by_thread.len()), 0);
        for (sum, more) in self.by_thread.iter_mut().zip(&more.by_thread) {
            *sum += more;
        }
    }
}
