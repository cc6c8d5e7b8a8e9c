//! The report for people.

use super::report::{Counts, FileReport, FileSample, Report, VerifyReport};
use crate::shards::{LengthSummary, Sample};
use shakmaty::fen::Fen;
use shakmaty::{File, Rank, Square};
use std::fmt::Write;

/// Characters of the histogram's longest bar.
const WIDTH: u64 = 40;

pub fn report(report: &Report) -> String {
    let mut out = String::new();
    for file in &report.files {
        line(&mut out, &describe_file(file));
    }
    let files = report.files.len();
    let bytes: u64 = report.files.iter().map(|file| file.bytes).sum();
    line(
        &mut out,
        &format!(
            "{} games, {} positions in {files} file{}, {}",
            report.games,
            report.positions,
            if files == 1 { "" } else { "s" },
            size(bytes)
        ),
    );
    counts(&mut out, "source", &report.sources, report.games);
    counts(&mut out, "result", &report.results, report.games);
    counts(&mut out, "termination", &report.terminations, report.games);
    counts(&mut out, "opening", &report.openings, report.games);
    counts(&mut out, "phase of positions", &report.phases, report.positions);
    counts(&mut out, "kind of positions", &report.kinds, report.positions);
    line(&mut out, "\nlabels of positions");
    for (name, share) in &report.label_shares {
        line(&mut out, &format!("  {:>6.2} %  {name}", 100.0 * share));
    }
    length(&mut out, &report.length);
    for sample in &report.samples {
        show_sample(&mut out, sample);
    }
    out
}

pub fn verify_report(report: &VerifyReport) -> String {
    let mut out = String::new();
    for bad in &report.bad {
        let row = bad.row.map_or(String::new(), |row| format!(" row {row}:"));
        let moved = match &bad.quarantined {
            Some(path) => format!(" (moved to {})", path.display()),
            None => String::new(),
        };
        line(&mut out, &format!("{}:{row} {}{moved}", bad.file.display(), bad.reason));
    }
    let good = report.files - report.bad.len();
    line(
        &mut out,
        &format!(
            "{good} of {} files good: {} games, {} positions",
            report.files, report.games, report.positions
        ),
    );
    out
}

/// Writing to a string does not fail.
fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn describe_file(file: &FileReport) -> String {
    let known = |key: &str| file.metadata.get(key).map_or("unknown", String::as_str);
    let mut text = format!(
        "{}: {}, {} games in {} row groups, by trainer {} (git {})",
        file.path.display(),
        size(file.bytes),
        file.games,
        file.row_groups,
        known("arbor.version"),
        known("arbor.git"),
    );
    if let Some(hash) = file.metadata.get("arbor.config_hash") {
        let _ = write!(text, ", config {:.12}", hash);
    }
    text
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

fn counts(out: &mut String, title: &str, counts: &Counts, total: u64) {
    line(out, &format!("\n{title}"));
    for (name, count) in &counts.top {
        let share = 100.0 * *count as f64 / total.max(1) as f64;
        line(out, &format!("  {count:>10} {share:>6.2} %  {name}"));
    }
    if counts.names > counts.top.len() {
        line(out, &format!("  and {} more", counts.names - counts.top.len()));
    }
}

fn length(out: &mut String, length: &LengthSummary) {
    let LengthSummary { min, median, mean, max, histogram } = length;
    line(out, "\nlength in plies");
    line(out, &format!("  shortest {min}, median {median}, mean {mean:.1}, longest {max}"));
    let most = histogram.iter().map(|bar| bar.games).max().unwrap_or(0).max(1);
    for (index, bar) in histogram.iter().enumerate() {
        let name = match histogram.get(index + 1) {
            Some(next) => format!("{}-{}", bar.from, next.from - 1),
            None => format!("{}+", bar.from),
        };
        let stars = "#".repeat((bar.games * WIDTH).div_ceil(most) as usize);
        line(out, format!("  {name:>9} {:>10} {stars}", bar.games).trim_end());
    }
}

fn show_sample(out: &mut String, shown: &FileSample) {
    let sample = &shown.sample;
    line(out, &format!("\n{}: row {}, ply {}", shown.file.display(), sample.row, sample.ply));
    line(out, &board(&sample.fen));
    line(out, &format!("  {}", sample.fen));
    line(
        out,
        &format!(
            "  played {}, result {}, kind {}, weight {}, source {}",
            sample.played.as_deref().unwrap_or("nothing"),
            sample.result,
            sample.kind,
            sample.weight,
            sample.source
        ),
    );
    if let Some(values) = values(sample) {
        line(out, &format!("  {values}"));
    }
    for target in &sample.policy {
        let mut text = format!("  {:>6.2} %  {:<7}", 100.0 * target.weight, target.m);
        let more = [
            target.visits.map(|visits| format!("visits {visits}")),
            target.prior.map(|prior| format!("prior {prior:.4}")),
            target.value.map(|value| format!("value {value:+.4}")),
        ];
        more.into_iter().flatten().for_each(|more| {
            text.push(' ');
            text.push_str(&more);
        });
        line(out, text.trim_end());
    }
}

fn values(sample: &Sample) -> Option<String> {
    let parts = [
        sample.wdl.map(|[win, draw, loss]| format!("wdl {win:.3} {draw:.3} {loss:.3}")),
        sample.q.map(|q| format!("q {q:+.3}")),
        sample.cp.map(|cp| format!("cp {cp:+}")),
        sample.mate.map(|moves| format!("mate in {moves}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// White below, a dot for an empty square.
fn board(fen: &str) -> String {
    let Ok(fen) = fen.parse::<Fen>() else { return String::new() };
    let board = fen.into_setup().board;
    let mut rows: Vec<String> = Rank::ALL
        .into_iter()
        .rev()
        .map(|rank| {
            let pieces = File::ALL.into_iter().map(|file| {
                let piece = board.piece_at(Square::from_coords(file, rank));
                format!(" {}", piece.map_or('.', |piece| piece.char()))
            });
            format!("  {}{}", rank.char(), pieces.collect::<String>())
        })
        .collect();
    rows.push("    a b c d e f g h".to_string());
    rows.join("\n")
}
