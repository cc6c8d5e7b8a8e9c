//! The page of a training run.

use super::page::Page;
use super::{Plot, Rendered, ReportError, metrics};
use std::path::Path;

const PLOTS: [Plot; 5] = [
    Plot {
        title: "Loss",
        from_zero: false,
        names: &[("train/loss", "training"), ("validation/loss", "validation")],
    },
    Plot {
        title: "Policy loss",
        from_zero: false,
        names: &[("train/policy_loss", "training"), ("validation/policy_loss", "validation")],
    },
    Plot {
        title: "Value loss",
        from_zero: false,
        names: &[("train/value_loss", "training"), ("validation/value_loss", "validation")],
    },
    Plot {
        title: "Best move found first",
        from_zero: false,
        names: &[("train/policy_top1", "training"), ("validation/policy_top1", "validation")],
    },
    Plot {
        title: "Positions per second",
        from_zero: true,
        names: &[("speed/positions_per_second", "speed")],
    },
];

pub fn render(folder: &Path) -> Result<Rendered, ReportError> {
    let found = metrics(folder)?;
    let plots: Vec<_> = PLOTS.iter().map(|plot| plot.draw(&found, "step")).collect();
    let mut page = Page::default();
    let last = |name: &str| found.get(name).and_then(|points| points.last());
    if let (Some((step, loss)), Some((_, positions))) = (last("train/loss"), last("positions")) {
        page.paragraph(&format!("{step} steps, {positions} positions, last loss {loss:.4}."));
    }
    page.plots(&plots.iter().map(|(_, svg)| svg.clone()).collect::<Vec<_>>());
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    Ok(Rendered { html: page.html(&format!("Training run {name}")), plots })
}
