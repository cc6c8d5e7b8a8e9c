//! Reports: the folder of a loop or of a training run in, one HTML page with
//! its plots out.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod chart;
mod cycle_report;
mod page;
mod run_report;

use crate::metrics::read_metrics;
use chart::{Lines, Points, Series, lines};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ReportError {
    #[error("{}: neither a loop (state.json) nor a training run (metrics.jsonl)", .0.display())]
    Unknown(PathBuf),
    #[error("{}: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: String },
}

/// A page, and its plots by name for use elsewhere.
pub struct Rendered {
    pub html: String,
    pub plots: Vec<(String, String)>,
}

pub fn render(folder: &Path) -> Result<Rendered, ReportError> {
    if folder.join("state.json").is_file() {
        cycle_report::render(folder)
    } else if folder.join("metrics.jsonl").is_file() {
        run_report::render(folder)
    } else {
        Err(ReportError::Unknown(folder.to_path_buf()))
    }
}

/// A plot of metrics: those that are there.
struct Plot {
    title: &'static str,
    from_zero: bool,
    /// Metrics with the names to show.
    names: &'static [(&'static str, &'static str)],
}

impl Plot {
    /// Its name for a file, and the picture; empty if no metric is there.
    fn draw(&self, found: &Metrics, across: &str) -> (String, String) {
        let series = self.names.iter().filter_map(|(name, shown)| {
            found.get(*name).map(|points| Series::new(*shown, points.clone()))
        });
        let picture = lines(&Lines {
            title: self.title,
            across,
            series: series.collect(),
            band: None,
            from_zero: self.from_zero,
        });
        (self.title.to_lowercase().replace([' ', ',', ':', '\''], "-"), picture)
    }
}

/// Step and value, by name.
type Metrics = BTreeMap<String, Points>;

/// All numbers of a `metrics.jsonl`.
fn metrics(folder: &Path) -> Result<Metrics, ReportError> {
    let path = folder.join("metrics.jsonl");
    let lines = read_metrics(&path)
        .map_err(|error| ReportError::Unreadable { path, cause: error.to_string() })?;
    let mut found = Metrics::new();
    for line in lines {
        let positions = (line.step as f64, line.positions as f64);
        found.entry("positions".to_string()).or_default().push(positions);
        for (name, value) in line.values {
            if let Some(value) = value {
                found.entry(name).or_default().push((line.step as f64, value));
            }
        }
    }
    Ok(found)
}
