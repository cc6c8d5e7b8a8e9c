//! `trainer train`.

use anyhow::Result;
use clap::Args;

/// Trains a network.
#[derive(Args)]
pub struct Flags {}

pub fn run(_flags: Flags) -> Result<()> {
    anyhow::bail!("not built yet")
}
