//! `trainer nets`.

use anyhow::Result;
use clap::Args;

/// Lists networks.
#[derive(Args)]
pub struct Flags {}

pub fn run(_flags: Flags) -> Result<()> {
    anyhow::bail!("not built yet")
}
