//! Records on disk and back; files that must be refused.

use super::*;
use engine::chess::{PackedMove, parse_fen, parse_move};
use std::path::Path;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A game with the given moves and nothing more.
pub(super) fn game(fen: &str, moves: &str) -> Record {
    let mut position = parse_fen(fen, false).unwrap();
    let mut record = Record { start_fen: fen.to_string(), ..Record::default() };
    for text in moves.split_whitespace() {
        let m = parse_move(&position, text).unwrap();
        record.plies.push(Ply::played(PackedMove::new(m)));
        shakmaty::Position::play_unchecked(&mut position, m);
    }
    record
}

/// A record that uses every column.
pub(super) fn rich() -> Record {
    let mut record = game(START, "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1");
    let target = |text: &str, weight, visits| PolicyTarget {
        m: PackedMove::new(parse_move(&parse_fen(START, false).unwrap(), text).unwrap()),
        weight,
        visits,
        prior: visits.map(|_| 0.25),
        value: visits.map(|_| -0.5),
    };
    record.plies[0] = Ply {
        policy: vec![target("e2e4", 0.75, Some(75)), target("d2d4", 0.25, None)],
        wdl: Some([0.5, 0.375, 0.125]),
        q: Some(0.375),
        score: Some(Score::Centipawns(31)),
        kind: SearchKind::Full,
        weight: 0.5,
        ..record.plies[0].clone()
    };
    record.plies[1].score = Some(Score::Mate(-3));
    record.plies[1].kind = SearchKind::Teacher;
    // The final position.
    record.plies.push(Ply { wdl: Some([0.0, 1.0, 0.0]), ..Ply::default() });
    Record {
        group: u64::MAX,
        result: Outcome::Draw,
        termination: "normal".to_string(),
        white: Some("Ruy López".to_string()),
        black: Some(String::new()),
        white_elo: Some(2500),
        source: "games.pgn".to_string(),
        opening: Some("C70".to_string()),
        tags: vec![("Site".into(), "\"?\"".into()), ("Round".into(), "1".into())],
        engine: Some("Arbor 0.1".to_string()),
        network: Some("ab".repeat(32)),
        config: Some("cd".repeat(32)),
        seed: Some(u64::MAX - 1),
        generation: Some(7),
        ..record
    }
}

fn read(path: &Path) -> Vec<Record> {
    Reader::open(path).unwrap().records().unwrap().map(Result::unwrap).collect()
}

#[test]
fn records_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let single = Record { plies: vec![Ply::default()], ..game("8/8/8/8/8/k7/8/K7 w - - 0 1", "") };
    let records = vec![rich(), game(START, "d2d4"), single, rich()];
    let settings = WriterSettings { row_group: 3, ..WriterSettings::default() };
    let mut writer = Writer::create(folder.path(), settings).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    let files = writer.finish().unwrap();
    assert_eq!(files, [folder.path().join("shard-00000.parquet")]);
    assert_eq!(read(&files[0]), records);
    let reader = Reader::open(&files[0]).unwrap();
    assert_eq!((reader.row_groups(), reader.records_in(0), reader.records_in(1)), (2, 3, 1));
    assert_eq!(reader.read_group(1).unwrap(), records[3..]);
}
