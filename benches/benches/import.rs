//! Games and labeled positions per second through an import, from a file to
//! records. Run: `cargo bench -p benches --bench import`.

use benches::middlegames;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::chess::Line;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, EnPassantMode, Position};
use std::convert::Infallible;
use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use tempfile::TempDir;
use trainer::import::{
    GameSettings, LabelSettings, PgnSettings, Report, Sources, import_labels, import_pgn,
};

const GAMES: usize = 2_000;

/// Each move with a score, as on a server that analyzes.
fn pgn(lines: &[Line]) -> String {
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let _ = write!(text, "[Event \"Random\"]\n[Round \"{number}\"]\n[Result \"*\"]\n\n");
        for (index, pair) in line.plies().windows(2).enumerate() {
            let m = pair[0].position.legal_moves().into_iter().find(|&m| {
                let mut next = pair[0].position.clone();
                next.play_unchecked(m);
                next == pair[1].position
            });
            let Some(m) = m else { break };
            if index % 2 == 0 {
                let _ = write!(text, "{}. ", index / 2 + 1);
            }
            let san = SanPlus::from_move(pair[0].position.clone(), m);
            let _ = write!(text, "{san} {{[%eval 0.{:02}]}} ", index % 100);
        }
        text.push_str("*\n\n");
    }
    text
}

/// Every position of the lines, with its first legal move as the best.
fn csv(lines: &[Line]) -> String {
    let mut text = String::new();
    for position in lines.iter().flat_map(Line::plies).map(|ply| &ply.position) {
        let fen = Fen::from_position(position, EnPassantMode::Legal);
        if let Some(m) = position.legal_moves().first() {
            let _ = writeln!(text, "{fen};{};cp 12;100 850 50", m.to_uci(CastlingMode::Standard));
        }
    }
    text
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn import(criterion: &mut Criterion) {
    let folder = TempDir::new().expect("a temporary folder");
    let lines = middlegames(GAMES);
    let (games, labels) = (folder.path().join("games.pgn"), folder.path().join("labels.csv"));
    let csv = csv(&lines);
    fs::write(&games, pgn(&lines)).expect("games");
    fs::write(&labels, &csv).expect("labels");
    let mut group = criterion.benchmark_group("import");
    group.sample_size(20);

    let settings = PgnSettings {
        game: GameSettings::default(),
        keep_duplicates: false,
        limit: None,
        threads: threads(),
    };
    group.throughput(Throughput::Elements(GAMES as u64));
    group.bench_function("pgn_games", |bencher| {
        bencher.iter(|| {
            let sources = Sources::new(vec![games.clone()]).expect("games");
            let sink = |record: &_| {
                black_box(record);
                Ok::<_, Infallible>(())
            };
            let summary = import_pgn(&sources, &settings, &mut Report::silent(), sink);
            assert!(summary.is_ok_and(|summary| summary.kept == GAMES as u64));
        });
    });

    let settings = LabelSettings { format: None, block: 1000, engine: None, threads: threads() };
    group.throughput(Throughput::Elements(csv.lines().count() as u64));
    group.bench_function("csv_lines", |bencher| {
        bencher.iter(|| {
            let sources = Sources::new(vec![labels.clone()]).expect("labels");
            let sink = |record: &_| {
                black_box(record);
                Ok::<_, Infallible>(())
            };
            let summary = import_labels(&sources, &settings, &mut Report::silent(), sink);
            assert!(summary.is_ok_and(|summary| summary.broken == 0));
        });
    });
    group.finish();
}

criterion_group!(benches, import);
criterion_main!(benches);
