//! `trainer label`.

use anyhow::Result;
use clap::Args;

/// Labels positions with a teacher engine.
#[derive(Args)]
pub struct Flags {}

pub fn run(_flags: Flags) -> Result<()> {
    anyhow::bail!("not built yet")
}
