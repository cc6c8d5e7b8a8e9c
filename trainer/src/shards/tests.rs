//! Records on disk and back; files that must be refused.

use super::columns::Columns;
use super::*;
use arrow::array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow::datatypes::{Field, Schema};
use engine::chess::{PackedMove, parse_fen, parse_move};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

fn write(folder: &Path, settings: WriterSettings, records: &[Record]) -> Vec<PathBuf> {
    let mut writer = Writer::create(folder, settings).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn records_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let single = Record { plies: vec![Ply::default()], ..game("8/8/8/8/8/k7/8/K7 w - - 0 1", "") };
    let records = vec![rich(), game(START, "d2d4"), single, rich()];
    let settings = WriterSettings { row_group: 3, ..WriterSettings::default() };
    let files = write(folder.path(), settings, &records);
    assert_eq!(files, [folder.path().join("shard-00000.parquet")]);
    assert_eq!(read(&files[0]), records);
    let reader = Reader::open(&files[0]).unwrap();
    assert_eq!((reader.row_groups(), reader.records_in(0), reader.records_in(1)), (2, 3, 1));
    assert_eq!(reader.read_group(1).unwrap(), records[3..]);
    assert_eq!(reader.newest_generation().unwrap(), Some(7));
}

/// Any record that the format can hold; its numbers need not make sense.
fn any_record() -> impl Strategy<Value = Record> {
    let name = || proptest::option::of(".{0,8}");
    let target = (any::<u16>(), any::<f32>(), any::<Option<u32>>(), any::<[Option<f32>; 2]>());
    let target = target.prop_map(|(m, weight, visits, [prior, value])| PolicyTarget {
        m: PackedMove(m),
        weight,
        visits,
        prior,
        value,
    });
    let score = proptest::option::of(prop_oneof![
        any::<i32>().prop_map(Score::Centipawns),
        any::<i32>().prop_map(Score::Mate),
    ]);
    let policy = proptest::collection::vec(target, 0..4);
    let ply = (any::<u16>(), policy, any::<Option<[f32; 3]>>(), any::<Option<f32>>(), score, 0..8)
        .prop_map(|(m, policy, wdl, q, score, kind)| Ply {
            played: Some(PackedMove(m)),
            policy,
            wdl,
            q,
            score,
            kind: SearchKind::ALL[kind as usize],
            weight: q.unwrap_or(1.0),
        });
    let plies = (proptest::collection::vec(ply, 1..5), any::<bool>()).prop_map(
        |(mut plies, final_position)| {
            if let (true, Some(last)) = (final_position, plies.last_mut()) {
                last.played = None;
            }
            plies
        },
    );
    let tags = proptest::collection::vec((".{0,5}", ".{0,5}"), 0..3);
    let game = (any::<u64>(), ".{0,20}", any::<bool>(), plies, 0..4usize, ".{0,9}", tags);
    let origin = (name(), name(), name(), name(), any::<[Option<u16>; 2]>());
    let numbers = (any::<Option<u64>>(), any::<Option<u32>>());
    (game, origin, numbers).prop_map(|(game, origin, (seed, generation))| {
        let (group, start_fen, chess960, plies, result, termination, tags) = game;
        let (white, black, opening, engine, [white_elo, black_elo]) = origin;
        Record {
            group,
            start_fen,
            chess960,
            plies,
            result: Outcome::ALL[result],
            source: termination.clone(),
            termination,
            network: white.clone(),
            config: black.clone(),
            white,
            black,
            white_elo,
            black_elo,
            opening,
            tags,
            engine,
            seed,
            generation,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_records_come_back(records in proptest::collection::vec(any_record(), 1..20)) {
        let folder = tempfile::tempdir().unwrap();
        let settings = WriterSettings { row_group: 7, ..WriterSettings::default() };
        let files = write(folder.path(), settings, &records);
        prop_assert_eq!(read(&files[0]), records);
    }
}

#[test]
fn row_groups_end_early_when_records_are_large() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = game(START, "e2e4");
    record.tags = vec![("Annotation".to_string(), "x".repeat(33 << 20))];
    let files = write(folder.path(), WriterSettings::default(), &vec![record; 3]);
    let reader = Reader::open(&files[0]).unwrap();
    let sizes: Vec<usize> = (0..reader.row_groups()).map(|g| reader.records_in(g)).collect();
    assert_eq!(sizes, [2, 1]);
}

#[test]
fn numbers_go_on_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let settings =
        WriterSettings { prefix: "a".into(), records_per_file: 2, ..WriterSettings::default() };
    let records = vec![rich(); 5];
    let files = write(folder.path(), settings.clone(), &records);
    assert_eq!(names(folder.path()), ["a-00000.parquet", "a-00001.parquet", "a-00002.parquet"]);
    assert_eq!(files.iter().map(|file| read(file).len()).collect::<Vec<_>>(), [2, 2, 1]);
    // A file that another process has under way counts, other names do not.
    fs::write(folder.path().join("a-00007.parquet.123.tmp"), "").unwrap();
    fs::write(folder.path().join("ab-00050.parquet"), "").unwrap();
    fs::write(folder.path().join("a-x.parquet"), "").unwrap();
    let before = fs::read(&files[0]).unwrap();
    let more = write(folder.path(), settings, &records[..1]);
    assert_eq!(more, [folder.path().join("a-00008.parquet")]);
    assert_eq!(fs::read(&files[0]).unwrap(), before);
}

#[test]
fn an_unfinished_file_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let settings =
        WriterSettings { records_per_file: 3, row_group: 1, ..WriterSettings::default() };
    let mut writer = Writer::create(folder.path(), settings).unwrap();
    (0..5).for_each(|_| writer.write(&rich()).unwrap());
    assert_eq!(names(folder.path()).len(), 2);
    drop(writer);
    assert_eq!(names(folder.path()), ["shard-00000.parquet"]);
    assert_eq!(read(&folder.path().join("shard-00000.parquet")).len(), 3);
}

#[test]
fn files_carry_their_origin() {
    let folder = tempfile::tempdir().unwrap();
    let settings = WriterSettings {
        config: Some("{\"nodes\":7}".to_string()),
        metadata: vec![("teacher".to_string(), "Stockfish".to_string())],
        ..WriterSettings::default()
    };
    let files = write(folder.path(), settings, &[rich()]);
    let reader = Reader::open(&files[0]).unwrap();
    let found = |key: &str| reader.metadata()[key].as_str();
    assert_eq!(found("arbor.format"), FORMAT);
    assert_eq!(found("arbor.git"), crate::provenance::GIT);
    assert_eq!(found("arbor.version"), crate::provenance::VERSION);
    assert!(found("arbor.created").parse::<u64>().unwrap() > 1_700_000_000);
    assert_eq!(found("arbor.config"), "{\"nodes\":7}");
    assert_eq!(found("arbor.config_hash"), crate::provenance::hash(b"{\"nodes\":7}"));
    assert_eq!(found("arbor.teacher"), "Stockfish");
}

#[test]
fn the_id_is_the_one_that_is_documented() {
    // hashlib.sha256(fen.encode() + b"\0" + struct.pack("<2H", 0x070c, 0x0934)).digest()[:8]
    let record = game(START, "e2e4 e7e5");
    let codes: Vec<u16> = record.moves().map(|m| m.0).collect();
    assert_eq!(codes, [12 | 28 << 6, 52 | 36 << 6]);
    assert_eq!(record.id(), 0x0280_d7e7_360b_e4d8);
    assert_ne!(record.id(), game(START, "e2e4").id());
}

/// A file with this batch, as another tool might write it.
fn write_batch(path: &Path, batch: &RecordBatch, format: Option<&str>) {
    let metadata =
        format.map(|format| vec![KeyValue::new("arbor.format".into(), format.to_string())]);
    let properties = WriterProperties::builder().set_key_value_metadata(metadata).build();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Three records, the columns of which are replaced by name.
fn batch_with(replaced: &[(&str, ArrayRef)]) -> RecordBatch {
    let mut columns = Columns::default();
    [rich(), game(START, "d2d4 d7d5"), rich()].iter().for_each(|record| columns.append(record));
    let batch = columns.finish().unwrap();
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = schema()
        .fields()
        .iter()
        .map(|field| match replaced.iter().find(|(name, _)| name == field.name()) {
            Some((name, array)) => {
                (Field::new(*name, array.data_type().clone(), true), array.clone())
            }
            None => (field.as_ref().clone(), batch.column_by_name(field.name()).unwrap().clone()),
        })
        .unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

/// What is wrong with a file that must not be read to its end.
fn refusal(path: &Path) -> String {
    let outcome =
        Reader::open(path).and_then(|reader| reader.records()?.collect::<Result<Vec<_>, _>>());
    let error = outcome.unwrap_err();
    let message = error.to_string();
    assert_eq!(error.path(), path);
    assert!(
        message.starts_with(&path.display().to_string()) && !message.contains('\n'),
        "{message}"
    );
    message
}

#[test]
fn files_that_are_no_shards_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.parquet");
    let refused = |words: &str| {
        let message = refusal(&path);
        assert!(message.contains(words), "{message}, not {words:?}");
    };
    refused("cannot be read");
    let good = write(folder.path(), WriterSettings::default(), &[rich()]).remove(0);
    let bytes = fs::read(good).unwrap();
    for (contents, words) in [
        (&[] as &[u8], "the file is empty"),
        (b"1. e4 e5 2. Nf3", "not a Parquet file"),
        (b"PAR1PAR1", "truncated"),
        (&bytes[..bytes.len() / 2], "truncated"),
        (&bytes[..bytes.len() - 1], "truncated"),
        (&[&bytes[..bytes.len() - 400], &bytes[bytes.len() - 8..]].concat(), "damaged"),
    ] {
        fs::write(&path, contents).unwrap();
        refused(words);
    }
    write_batch(&path, &batch_with(&[]), None);
    refused("not a shard");
    write_batch(&path, &batch_with(&[]), Some("2"));
    refused("shard format 2, but this trainer reads format 1");
}

#[test]
fn columns_and_rows_that_are_wrong_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.parquet");
    let refused = |batch: RecordBatch, words: &str| {
        write_batch(&path, &batch, Some(FORMAT));
        let message = refusal(&path);
        assert!(message.contains(words), "{message}, not {words:?}");
    };
    let all = batch_with(&[]);
    write_batch(&path, &all, Some(FORMAT));
    assert_eq!(read(&path)[1], game(START, "d2d4 d7d5"));

    let without = (0..all.num_columns()).filter(|at| *at != 5).collect::<Vec<_>>();
    refused(all.project(&without).unwrap(), "column result is missing");
    let texts = |texts: [Option<&str>; 3]| Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
    let words = texts([Some("1"), Some("2"), Some("3")]);
    refused(batch_with(&[("group", words)]), "column group is Utf8, not UInt64");
    let holes = texts([Some("*"), None, Some("*")]);
    refused(batch_with(&[("result", holes)]), "column result has 1 nulls");
    let results = texts([Some("*"), Some("2-0"), Some("*")]);
    refused(batch_with(&[("result", results)]), "row 1: unknown result \"2-0\"");
    let ids = Arc::new(UInt64Array::from(vec![rich().id(), 1, 2]));
    refused(batch_with(&[("id", ids)]), "row 1: the id does not belong");
    // The third game's moves with the second game's plies.
    let shifted = |name: &str| {
        let column = all.column_by_name(name).unwrap();
        arrow::compute::concat(&[&column.slice(0, 1), &column.slice(2, 1), &column.slice(1, 1)])
    };
    let moves = shifted("moves").unwrap();
    refused(batch_with(&[("moves", moves)]), "row 1: 2 plies for 7 moves");
}
