//! A record: one game, or a segment of one, with what is known of each position.

use engine::chess::PackedMove;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// One row of a shard. Values and scores are the mover's view at their ply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Records of one group never part when data is split for validation: a
    /// game, or the neighborhood of a labeled position.
    pub group: u64,
    pub start_fen: String,
    pub chess960: bool,
    /// In playing order. Only the last may lack a played move: it is the final
    /// position, or a single labeled one.
    pub plies: Vec<Ply>,
    pub result: Outcome,
    /// How the game ended, in the words of its source; empty when unknown.
    pub termination: String,
    pub white: Option<String>,
    pub black: Option<String>,
    pub white_elo: Option<u16>,
    pub black_elo: Option<u16>,
    /// Where it comes from, e.g. `masters.pgn.zst` or `selfplay`.
    pub source: String,
    /// ECO code, name or both.
    pub opening: Option<String>,
    /// Everything else the source says, such as PGN tags, in its order.
    pub tags: Vec<(String, String)>,
    /// Name and version of the engine that played or labeled.
    pub engine: Option<String>,
    /// SHA-256 of the network it used.
    pub network: Option<String>,
    /// SHA-256 of the settings it ran with.
    pub config: Option<String>,
    pub seed: Option<u64>,
    /// Generation of a learning loop, for sliding windows.
    pub generation: Option<u32>,
}

impl Record {
    /// The moves that were played.
    pub fn moves(&self) -> impl Iterator<Item = PackedMove> {
        self.plies.iter().filter_map(|ply| ply.played)
    }

    /// Names the content: records with the same start and the same moves have
    /// the same id, on every machine and in every version. The first 8 bytes
    /// (big-endian) of SHA-256 over the FEN, a zero byte and the moves' codes
    /// (little-endian).
    pub fn id(&self) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.start_fen.as_bytes());
        hash.update([0]);
        for m in self.moves() {
            hash.update(m.0.to_le_bytes());
        }
        let digest: [u8; 32] = hash.finalize().into();
        digest.iter().take(8).fold(0, |id, byte| id << 8 | u64::from(*byte))
    }
}

/// One position of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Ply {
    pub played: Option<PackedMove>,
    /// What the policy should learn. Empty: the played move alone.
    pub policy: Vec<PolicyTarget>,
    /// Win, draw and loss as search or teacher saw them; they sum to 1.
    pub wdl: Option<[f32; 3]>,
    /// Expected result of search, -1 to 1, when it is known apart from `wdl`.
    pub q: Option<f32>,
    pub score: Option<Score>,
    pub kind: SearchKind,
    /// How much the position counts in training; 0 leaves it out.
    pub weight: f32,
}

impl Ply {
    /// A position with nothing but the move that was played.
    pub fn played(m: PackedMove) -> Ply {
        Ply { played: Some(m), ..Ply::default() }
    }
}

impl Default for Ply {
    fn default() -> Ply {
        Ply {
            played: None,
            policy: Vec::new(),
            wdl: None,
            q: None,
            score: None,
            kind: SearchKind::None,
            weight: 1.0,
        }
    }
}

/// A move with its weight in the policy target; the weights of a position need
/// not sum to 1. The rest is known when a search made the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyTarget {
    pub m: PackedMove,
    pub weight: f32,
    pub visits: Option<u32>,
    pub prior: Option<f32>,
    /// The child's value, mover's view of the parent, -1 to 1.
    pub value: Option<f32>,
}

/// A teacher's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    Centipawns(i32),
    /// Moves to mate; negative when the mover is mated.
    Mate(i32),
}

/// The game's result, from White's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    White,
    Draw,
    Black,
    #[default]
    Unknown,
}

impl Outcome {
    pub const ALL: [Outcome; 4] = [Outcome::White, Outcome::Draw, Outcome::Black, Outcome::Unknown];

    /// As PGN spells it.
    pub fn text(self) -> &'static str {
        match self {
            Outcome::White => "1-0",
            Outcome::Draw => "1/2-1/2",
            Outcome::Black => "0-1",
            Outcome::Unknown => "*",
        }
    }

    pub fn parse(text: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.text() == text)
    }
}

/// What thought about the position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SearchKind {
    /// Nobody known: the bare move.
    #[default]
    None,
    /// A person's move.
    Human,
    /// A labeled position.
    Teacher,
    /// An annotation of the game, such as `[%eval]`.
    Comment,
    /// A search with all its visits.
    Full,
    /// A shortened search of playout-cap randomization.
    Cheap,
    /// A move drawn at random.
    Random,
    /// A move from an opening book.
    Book,
}

impl SearchKind {
    pub const ALL: [SearchKind; 8] = [
        SearchKind::None,
        SearchKind::Human,
        SearchKind::Teacher,
        SearchKind::Comment,
        SearchKind::Full,
        SearchKind::Cheap,
        SearchKind::Random,
        SearchKind::Book,
    ];

    pub fn text(self) -> &'static str {
        match self {
            SearchKind::None => "none",
            SearchKind::Human => "human",
            SearchKind::Teacher => "teacher",
            SearchKind::Comment => "comment",
            SearchKind::Full => "full",
            SearchKind::Cheap => "cheap",
            SearchKind::Random => "random",
            SearchKind::Book => "book",
        }
    }

    pub fn parse(text: &str) -> Option<SearchKind> {
        SearchKind::ALL.into_iter().find(|kind| kind.text() == text)
    }
}
