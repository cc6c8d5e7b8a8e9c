//! The page of a learning loop.

use super::chart::{Lines, Points, Series, bars, columns, lines};
use super::page::Page;
use super::{Metrics, Plot, Rendered, ReportError, metrics};
use crate::cycle::{Folder, Generation, State, Strength, Strengths, strengths};
use crate::selfplay::most_frequent;
use std::collections::BTreeMap;
use std::path::Path;

/// Plots of the metrics by generation.
const PLOTS: &[Plot] = &[
    Plot {
        title: "Training loss",
        from_zero: false,
        names: &[
            ("train/loss", "loss"),
            ("train/policy_loss", "policy"),
            ("train/value_loss", "value"),
            ("validation/loss", "validation"),
        ],
    },
    Plot {
        title: "Drift from the start's policy",
        from_zero: true,
        names: &[
            ("train/kl", "divergence in nats, last steps"),
            ("validation/kl", "of the network, on positions kept from training"),
        ],
    },
    Plot {
        title: "Results",
        from_zero: true,
        names: &[
            ("selfplay/white_wins", "White wins"),
            ("selfplay/draws", "draws"),
            ("selfplay/black_wins", "Black wins"),
        ],
    },
    Plot { title: "Plies in a game", from_zero: true, names: &[("selfplay/length", "plies")] },
    Plot {
        title: "Entropy of visits",
        from_zero: true,
        names: &[("selfplay/visit_entropy", "nats")],
    },
    Plot {
        title: "Surprise: from prior to target",
        from_zero: true,
        names: &[("selfplay/policy_surprise", "nats")],
    },
    Plot { title: "Search depth", from_zero: true, names: &[("selfplay/depth", "plies")] },
    Plot {
        title: "Batch fill, cache hits, time in the network",
        from_zero: true,
        names: &[
            ("selfplay/batch_fill", "batch fill"),
            ("selfplay/cache_hits", "cache hits"),
            ("selfplay/network_share", "share of the threads' time in the network"),
        ],
    },
    Plot {
        title: "Resignations that were wrong",
        from_zero: true,
        names: &[("selfplay/resignations_wrong", "share")],
    },
    Plot {
        title: "Nodes and evaluations per second",
        from_zero: true,
        names: &[
            ("selfplay/nodes_per_second", "nodes"),
            ("selfplay/evaluations_per_second", "evaluations"),
        ],
    },
    Plot {
        title: "Games per second",
        from_zero: true,
        names: &[("selfplay/games_per_second", "games")],
    },
];

pub fn render(folder: &Path) -> Result<Rendered, ReportError> {
    let path = folder.join("state.json");
    let state = State::read(&path)
        .map_err(|cause| ReportError::Unreadable { path, cause })?
        .unwrap_or_default();
    let found = metrics(folder).unwrap_or_default();
    let mut plots = vec![("strength".to_string(), strength(&state.history))];
    plots.extend(PLOTS.iter().map(|plot| plot.draw(&found, "generation")));
    plots.push(threads(&found));
    plots.push(opponents(&state.history));
    plots.extend(distributions(folder, &state));
    let mut page = Page::default();
    let finished = state.finished();
    let accepted = finished.iter().filter(|generation| generation.accepted).count();
    page.paragraph(&format!(
        "{} generations, {accepted} accepted; the best network is that of generation {}.",
        finished.len(),
        state.best
    ));
    page.plots(&plots.iter().map(|(_, svg)| svg.clone()).collect::<Vec<_>>());
    page.heading("Generations");
    page.table(
        &["generation", "games", "positions", "loss", "gate", "accepted", "watched"],
        &finished.iter().map(row).collect::<Vec<_>>(),
    );
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    Ok(Rendered { html: page.html(&format!("Learning loop {name}")), plots })
}

fn row(generation: &Generation) -> Vec<String> {
    let percent = |score: f64| format!("{:.1} %", score * 100.0);
    let watched: Vec<String> = generation
        .watch
        .iter()
        .map(|result| format!("{} {}", result.opponent, percent(result.score)))
        .collect();
    // Against the best, and perhaps against the start.
    let gate: Vec<String> = generation.gate.iter().map(|result| percent(result.score)).collect();
    vec![
        generation.number.to_string(),
        generation.games.to_string(),
        generation.positions.to_string(),
        generation.loss().map_or("-".to_string(), |loss| format!("{loss:.4}")),
        gate.join(", "),
        if generation.accepted { "yes" } else { "no" }.to_string(),
        watched.join(", "),
    ]
}

/// Elo of all generations, from all matches together.
fn strength(history: &[Generation]) -> String {
    let Some(Strengths { anchor, points }) = strengths(history) else { return String::new() };
    let pick = |value: &dyn Fn(&Strength) -> f64| -> Points {
        points.iter().map(|point| (f64::from(point.generation), value(point))).collect()
    };
    lines(&Lines {
        title: &format!("Elo, where {anchor} has 0; 95 % interval"),
        across: "generation",
        series: vec![Series::new("elo", pick(&|point| point.elo))],
        band: Some((pick(&|point| point.interval.low), pick(&|point| point.interval.high))),
        from_zero: false,
    })
}

/// The speed of each thread, however many there were.
fn threads(found: &Metrics) -> (String, String) {
    let of_thread = |name: &str| {
        let number = name.strip_prefix("selfplay/nodes_per_second/thread")?;
        number.parse::<u32>().ok()
    };
    let numbered = found.iter().filter_map(|(name, points)| Some((of_thread(name)?, points)));
    let sorted: BTreeMap<u32, &Points> = numbered.collect();
    let series = sorted
        .into_iter()
        .map(|(thread, points)| Series::new(format!("thread {thread}"), points.clone()));
    let plot = Lines {
        title: "Nodes per second, by thread",
        across: "generation",
        series: series.collect(),
        band: None,
        from_zero: true,
    };
    ("nodes-per-second-by-thread".to_string(), lines(&plot))
}

/// Scores against all watched opponents.
fn opponents(history: &[Generation]) -> (String, String) {
    let mut by_opponent: BTreeMap<&str, Points> = BTreeMap::new();
    for generation in history {
        for result in &generation.watch {
            let point = (f64::from(generation.number), result.score * 100.0);
            by_opponent.entry(&result.opponent).or_default().push(point);
        }
    }
    let series = by_opponent.into_iter().map(|(name, points)| Series::new(name, points)).collect();
    let plot = Lines {
        title: "Score against opponents, percent",
        across: "generation",
        series,
        band: None,
        from_zero: true,
    };
    ("opponents".to_string(), lines(&plot))
}

/// Of the newest generation that has games.
fn distributions(folder: &Path, state: &State) -> Vec<(String, String)> {
    let folder = Folder(folder.to_path_buf());
    let numbers = state.history.iter().rev().map(|generation| generation.number);
    let newest = numbers.map(|number| folder.telemetry(number)).find(|found| found.games > 0);
    let Some(telemetry) = newest else { return Vec::new() };
    let lengths: Vec<(String, f64)> =
        telemetry.length_bars().into_iter().map(|(from, n)| (from.to_string(), n as f64)).collect();
    vec![
        ("first-moves".to_string(), bars("First moves", &top(&telemetry.first_moves))),
        ("openings".to_string(), bars("Openings", &top(&telemetry.openings))),
        ("terminations".to_string(), bars("How games end", &top(&telemetry.terminations))),
        ("lengths".to_string(), columns("Plies in a game, newest generation", &lengths)),
    ]
}

fn top(counts: &BTreeMap<String, u64>) -> Vec<(String, f64)> {
    let shown = most_frequent(counts).into_iter();
    shown.map(|(name, count)| (name.to_string(), count as f64)).collect()
}
