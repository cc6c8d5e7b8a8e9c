//! `trainer nets`.

use crate::export::{About, SpeedSettings, speed};
use anyhow::{Context, Result, bail};
use clap::Args;
use engine::eval::{Network, Runtime};
use serde::Serialize;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Lists networks: what they are, where they come from, and how fast they are here.
#[derive(Args)]
pub struct Flags {
    /// Folders with .onnx files, or the files themselves.
    #[arg(default_value = "nets")]
    folders: Vec<PathBuf>,
    /// Leaves out the speed, which takes half a second for each network.
    #[arg(long)]
    no_speed: bool,
    /// Prints one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    networks: Vec<Listed>,
    unreadable: Vec<Unreadable>,
}

#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    about: About,
    speed: Option<Speeds>,
}

/// Positions per second on one thread of ONNX Runtime's CPU.
#[derive(Clone, Copy, Serialize)]
struct Speeds {
    batch1: f64,
    batch16: f64,
}

#[derive(Serialize)]
struct Unreadable {
    path: PathBuf,
    reason: String,
}

pub fn run(flags: Flags) -> Result<()> {
    let mut report = Report { networks: Vec::new(), unreadable: Vec::new() };
    let mut measuring = !flags.no_speed;
    if measuring && let Err(error) = Runtime::load(None) {
        eprintln!("warning: speeds are not measured: {error}");
        measuring = false;
    }
    for path in network_files(&flags.folders)? {
        match About::read(&path) {
            Ok((about, network)) => {
                let speed = if measuring { measure(network) } else { None };
                report.networks.push(Listed { about, speed });
            }
            Err(error) => report.unreadable.push(Unreadable { path, reason: error.to_string() }),
        }
    }
    if flags.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print(&report, &flags.folders);
    }
    Ok(())
}

/// The .onnx files in `folders`, sorted by name.
fn network_files(folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in folders {
        if folder.is_file() {
            files.push(folder.clone());
            continue;
        }
        if !folder.exists() {
            bail!("no folder {}: name the folders that hold your networks", folder.display());
        }
        let unreadable = || format!("cannot read the folder {}", folder.display());
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).with_context(unreadable)? {
            let path = entry.with_context(unreadable)?.path();
            if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("onnx")) {
                found.push(path);
            }
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

/// A network that reads well may still fail to run: that costs its speed only.
fn measure(network: Arc<Network>) -> Option<Speeds> {
    let turn = Duration::from_millis(80);
    let settings = SpeedSettings { batches: vec![1, 16], rounds: 3, turn };
    let name = network.name();
    match speed(&[network], &settings) {
        Ok(speeds) => {
            let [one, sixteen] = speeds.first()?.as_slice() else { return None };
            let (batch1, batch16) = (one.positions_per_second, sixteen.positions_per_second);
            Some(Speeds { batch1, batch16 })
        }
        Err(error) => {
            eprintln!("warning: {name} was not measured: {error}");
            None
        }
    }
}

fn print(report: &Report, folders: &[PathBuf]) {
    let Report { networks, unreadable } = report;
    if networks.is_empty() && unreadable.is_empty() {
        let folders: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
        println!("no networks (.onnx files) in {}", folders.join(", "));
    }
    if !networks.is_empty() {
        let titles =
            ["file", "network", "layout", "type", "weights", "size", "sha256", "pos/s", "batch 16"];
        let mut rows = vec![titles.map(str::to_string)];
        rows.extend(networks.iter().map(row));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
        let widths: [usize; 9] = std::array::from_fn(|column| width(column).unwrap_or(0));
        for (index, row) in rows.iter().enumerate() {
            // Words to the left, numbers to the right.
            let cells =
                row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
                    0..=3 | 6 => format!("{cell:<width$}"),
                    _ => format!("{cell:>width$}"),
                });
            println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
            if let Some(listed) = index.checked_sub(1).and_then(|i| networks.get(i)) {
                print_provenance(&listed.about);
            }
        }
    }
    for Unreadable { reason, .. } in unreadable {
        println!("unreadable: {reason}");
    }
}

fn row(listed: &Listed) -> [String; 9] {
    let Listed { about, speed } = listed;
    let moves_left = if about.moves_left { "+moves_left" } else { "" };
    let speed = |of: fn(&Speeds) -> f64| {
        speed.as_ref().map_or("-".to_string(), |speeds| format!("{:.0}", of(speeds)))
    };
    [
        about.path.display().to_string(),
        about.network.clone(),
        format!("{} {} {}{moves_left}", about.encoder, about.policy, about.value),
        about.precision.clone(),
        about.parameters.to_string(),
        format!("{:.1} KB", about.bytes as f64 / 1e3),
        about.sha256.chars().take(12).collect(),
        speed(|s| s.batch1),
        speed(|s| s.batch16),
    ]
}

fn print_provenance(about: &About) {
    let mut facts: Vec<String> =
        about.provenance.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    let tuned = about.tuned_for.entries().into_iter();
    facts.extend(tuned.filter_map(|(name, value)| Some(format!("{name}: {}", value?))));
    if !facts.is_empty() {
        println!("    {}", facts.join("; "));
    }
}
