//! The rules as the rest of the engine sees them: a [`Line`] of positions with
//! repetitions counted, and [`PackedMove`], a move in two bytes.
//!
//! In: FENs and moves. Out: positions, keys and legal moves. Move generation
//! itself is shakmaty's.

mod line;
mod packed_move;
mod rules_end;
mod start;

pub use line::{Line, Ply};
pub use packed_move::PackedMove;
pub use rules_end::RulesEnd;
pub use start::{FenError, parse_fen, parse_move};
