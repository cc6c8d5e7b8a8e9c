//! Games and labeled positions from elsewhere become records.
//!
//! In: PGN, EPD and CSV, packed or not, of any size. Out: records in the order
//! of the files, whatever the number of threads, and an account of what was
//! left out and why. `source` unpacks the files, `pieces` lines up their chunks,
//! `pipeline` spreads them over the cores, `pgn` and `labels` read them,
//! `report` names the broken places and `output` writes shards. `wdl_model`
//! turns scores into win, draw and loss.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod file_tally;
mod labels;
mod output;
mod pgn;
mod pieces;
mod pipeline;
mod report;
mod source;
mod wdl_model;

pub use labels::{Format, LabelSettings, LabelSummary, import_labels};
pub use output::{Output, OutputFlags, Summary};
pub use pgn::{Filter, GameSettings, PgnSettings, PgnSummary, Reason, Variant, import_pgn};
pub use report::Report;
pub use source::{SourceError, Sources};
pub use wdl_model::wdl;
