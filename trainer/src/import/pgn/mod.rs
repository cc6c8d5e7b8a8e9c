//! PGN into records: `scan` finds where a game ends, `cut` makes chunks of whole
//! games from a stream, `game` turns one game into a record or says why not,
//! `import` runs all of it on every core.

mod cut;
mod eval_comment;
mod filter;
mod game;
mod headers;
mod import;
mod movetext;
mod scan;
#[cfg(test)]
mod tests;

pub use filter::{Filter, Reason, Variant};
pub use game::GameSettings;
pub use import::{PgnSettings, PgnSummary, import_pgn};
