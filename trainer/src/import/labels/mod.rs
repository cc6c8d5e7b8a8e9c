//! Labeled positions into records: `lines` cuts a stream into blocks, `epd` and
//! `csv` read one line each, `join` makes records of the lines of a block, and
//! `import` runs all of it on every core.

mod csv;
mod epd;
mod import;
mod join;
mod lines;

pub use import::{LabelSettings, LabelSummary, import_labels};
pub use lines::Format;
