//! `trainer import-epd`.

use crate::import::{Format, LabelSettings, OutputFlags, Sources, import_labels};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Imports labeled positions from EPD or CSV files, plain, .zst or .gz.
///
/// EPD: bm becomes the policy, ce and dm the value, the rest is kept as tags.
/// CSV: FEN;best move (UCI);cp N or mate N;W D L per mille, all in the mover's
/// view. CSV lines that follow each other by one legal move become one record.
/// Broken lines are reported by file and number and left out.
#[derive(Args)]
pub struct Flags {
    /// The files, in order; - is standard input
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
    /// The format [default: told by the content of each file]
    #[arg(long)]
    format: Option<Format>,
    /// Neighboring CSV lines that stay together when data is split for validation
    #[arg(long, value_name = "LINES", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    block: u32,
    /// The teacher's name and version, for the records
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
}

pub fn run(flags: Flags) -> Result<()> {
    let settings = LabelSettings {
        format: flags.format,
        block: flags.block as usize,
        engine: flags.engine,
        threads: flags.output.threads(),
    };
    let sources = Sources::new(flags.files)?;
    let mut output = flags.output.open(&sources, serde_json::to_string(&settings)?)?;
    let (report, sink) = output.parts();
    let summary = import_labels(&sources, &settings, report, sink)?;
    flags.output.finish(output, &summary)
}
