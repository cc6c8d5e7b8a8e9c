//! `trainer export-onnx`.

use anyhow::Result;
use clap::Args;

/// Writes a trained network as ONNX.
#[derive(Args)]
pub struct Flags {}

pub fn run(_flags: Flags) -> Result<()> {
    anyhow::bail!("not built yet")
}
