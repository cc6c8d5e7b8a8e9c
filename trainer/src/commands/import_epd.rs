//! `trainer import-epd`.

use anyhow::Result;
use clap::Args;

/// Imports labeled positions from EPD or CSV files.
#[derive(Args)]
pub struct Flags {}

pub fn run(_flags: Flags) -> Result<()> {
    anyhow::bail!("not built yet")
}
