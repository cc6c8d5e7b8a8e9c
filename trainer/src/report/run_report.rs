//! The page of a training run.

use super::chart::{Lines, Series, lines};
use super::page::Page;
use super::{Rendered, ReportError, metrics};
use std::path::Path;

/// Plots: a title, and the metrics in it with their names.
const PLOTS: [(&str, &[(&str, &str)]); 5] = [
    ("Loss", &[("train/loss", "training"), ("validation/loss", "validation")]),
    ("Policy loss", &[("train/policy_loss", "training"), ("validation/policy_loss", "validation")]),
    ("Value loss", &[("train/value_loss", "training"), ("validation/value_loss", "validation")]),
    (
        "Best move found first",
        &[("train/policy_top1", "training"), ("validation/policy_top1", "validation")],
    ),
    ("Positions per second", &[("speed/positions_per_second", "speed")]),
];

pub fn render(folder: &Path) -> Result<Rendered, ReportError> {
    let found = metrics(folder)?;
    let mut plots = Vec::new();
    for (title, names) in PLOTS {
        let series = names.iter().filter_map(|(name, shown)| {
            found.get(*name).map(|points| Series::new(*shown, points.clone()))
        });
        let plot = Lines {
            title,
            across: "step",
            series: series.collect(),
            band: None,
            from_zero: title.starts_with("Positions"),
        };
        plots.push((title.to_lowercase().replace(' ', "-"), lines(&plot)));
    }
    let mut page = Page::default();
    let last = |name: &str| found.get(name).and_then(|points| points.last());
    if let (Some((step, loss)), Some((_, positions))) = (last("train/loss"), last("positions")) {
        page.paragraph(&format!("{step} steps, {positions} positions, last loss {loss:.4}."));
    }
    page.plots(&plots.iter().map(|(_, svg)| svg.clone()).collect::<Vec<_>>());
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    Ok(Rendered { html: page.html(&format!("Training run {name}")), plots })
}
