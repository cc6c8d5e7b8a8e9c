//! `trainer inspect`.

use anyhow::Result;
use clap::Args;

/// Shows and verifies shards.
#[derive(Args)]
pub struct Flags {}

pub fn run(_flags: Flags) -> Result<()> {
    anyhow::bail!("not built yet")
}
