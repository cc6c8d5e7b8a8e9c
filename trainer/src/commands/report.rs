//! `trainer report`.

use crate::files::write_atomic;
use crate::report::render;
use anyhow::{Context, Result};
use clap::Args;
use std::path::PathBuf;

/// Writes a page with plots about a learning loop or a training run.
#[derive(Args)]
pub struct Flags {
    /// The folder of the loop or run
    run: PathBuf,
    /// The file to write [default: report.html in that folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Writes each plot as an SVG file into this folder as well
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
}

pub fn run(flags: Flags) -> Result<()> {
    let rendered = render(&flags.run)?;
    let out = flags.out.unwrap_or_else(|| flags.run.join("report.html"));
    write_atomic(&out, rendered.html.as_bytes()).with_context(|| out.display().to_string())?;
    println!("{}", out.display());
    if let Some(folder) = flags.svg {
        for (name, svg) in rendered.plots.iter().filter(|(_, svg)| svg.starts_with("<svg")) {
            let path = folder.join(format!("{name}.svg"));
            write_atomic(&path, svg.as_bytes()).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}
