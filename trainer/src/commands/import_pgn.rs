//! `trainer import-pgn`.

use anyhow::Result;
use clap::Args;

/// Imports games from PGN files.
#[derive(Args)]
pub struct Flags {}

pub fn run(_flags: Flags) -> Result<()> {
    anyhow::bail!("not built yet")
}
