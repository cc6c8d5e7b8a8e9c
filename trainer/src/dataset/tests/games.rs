//! Shards for tests: random games that are the same on every run.

use crate::dataset::{DatasetSettings, SourceSettings};
use crate::shards::{FileWriter, Outcome, Ply, Record, WriterSettings};
use engine::chess::{Line, PackedMove};
use engine::search::Random;
use shakmaty::Chess;
use std::path::{Path, PathBuf};

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A game of 8 to 40 plies; its number is its group.
pub fn game(number: u64) -> Record {
    let mut random = Random::new(number);
    let mut below = |n: usize| (random.next_u64() % n as u64) as usize;
    let plies = 8 + below(33);
    let mut line = Line::new(Chess::default());
    let mut record = Record {
        group: number,
        start_fen: START.to_string(),
        result: Outcome::ALL[below(3)],
        source: "random".to_string(),
        ..Record::default()
    };
    while record.plies.len() < plies {
        let moves = line.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[below(moves.len())];
        record.plies.push(Ply::played(PackedMove::new(m)));
        line.push(m);
    }
    record
}

pub fn games(numbers: std::ops::Range<u64>) -> Vec<Record> {
    numbers.map(game).collect()
}

/// A shard with small row groups, so that a few games fill many.
pub fn write(path: &Path, records: &[Record]) -> PathBuf {
    let settings = WriterSettings { row_group: 8, ..WriterSettings::default() };
    let mut writer = FileWriter::create(path, &settings).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap()
}

/// A folder with these records in one shard.
pub fn folder(records: &[Record]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("games.parquet"), records);
    folder
}

pub fn source(folder: &tempfile::TempDir, weight: f64) -> SourceSettings {
    SourceSettings { paths: vec![folder.path().to_path_buf()], weight }
}

/// Small blocks and batches, two workers, nothing kept for validation.
pub fn settings(sources: Vec<SourceSettings>) -> DatasetSettings {
    DatasetSettings {
        sources,
        batch_size: 32,
        seed: 7,
        validation: 0.0,
        shuffle: 500,
        workers: 2,
        prefetch: 2,
        ..DatasetSettings::default()
    }
}
