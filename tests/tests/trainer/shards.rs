//! `trainer inspect` on real shards, a full disk, and shards in other tools' hands.

use crate::driver::{root, run_in, run_ok, run_refused};
use crate::python::python_with;
use engine::chess::{PackedMove, parse_fen, parse_move};
use shakmaty::Position;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use trainer::shards::{
    Outcome, Ply, PolicyTarget, Reader, Record, Score, SearchKind, Writer, WriterSettings, verify,
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Pinned, so that a new release cannot break the test.
const PYARROW: &str = "pyarrow==26.0.1";

/// A short game with a label on its first position; `python/read_shard.py`
/// knows its values.
fn labeled_game() -> Record {
    let mut position = parse_fen(START, false).unwrap();
    let mut record = Record {
        group: 18_000_000_000_000_000_000,
        start_fen: START.to_string(),
        result: Outcome::White,
        termination: "checkmate".to_string(),
        white: Some("Zoë".to_string()),
        white_elo: Some(2400),
        source: "games.pgn".to_string(),
        opening: Some("C20".to_string()),
        tags: vec![("Site".to_string(), "Oslo".to_string())],
        engine: Some("Arbor".to_string()),
        seed: Some(7),
        generation: Some(3),
        ..Record::default()
    };
    for text in "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7".split_whitespace() {
        let m = parse_move(&position, text).unwrap();
        record.plies.push(Ply { kind: SearchKind::Human, ..Ply::played(PackedMove::new(m)) });
        position.play_unchecked(m);
    }
    let target = |m: u16, weight, visits| PolicyTarget {
        m: PackedMove(m),
        weight,
        visits,
        prior: visits.map(|_| 0.5),
        value: None,
    };
    let first = &mut record.plies[0];
    first.policy = vec![target(12 | 28 << 6, 0.75, Some(30)), target(11 | 27 << 6, 0.25, None)];
    first.wdl = Some([0.5, 0.25, 0.25]);
    first.q = Some(0.25);
    first.score = Some(Score::Centipawns(-12));
    first.kind = SearchKind::Full;
    first.weight = 0.5;
    record.plies.push(Ply::default());
    record
}

fn write_shards(folder: &Path, prefix: &str, records: &[Record]) -> Vec<PathBuf> {
    let settings = WriterSettings {
        prefix: prefix.to_string(),
        records_per_file: 3,
        config: Some("{}".to_string()),
        ..WriterSettings::default()
    };
    let mut writer = Writer::create(folder, settings).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn inspect_counts_and_shows() {
    let folder = tempfile::tempdir().unwrap();
    write_shards(&folder.path().join("data"), "games", &vec![labeled_game(); 5]);
    let text = run_ok(folder.path(), &["inspect", "data", "--sample", "40"]);
    for words in [
        "5 games, 40 positions in 2 files",
        "5 100.00 %  games.pgn",
        "5 100.00 %  1-0",
        "5 100.00 %  C20",
        "5 100.00 %  checkmate",
        "30  75.00 %  human",
        "40 100.00 %  opening",
        " 12.50 %  policy",
        "shortest 7, median 7, mean 7.0, longest 7",
        "  8 r n b q k b n r\n",
        "played Qxf7#, result 1-0, kind human",
        "wdl 0.500 0.250 0.250, q +0.250, cp -12",
        " 75.00 %  e4      visits 30 prior 0.5000",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }

    let args = ["inspect", "data", "--sample", "3", "--seed", "9", "--json"];
    let report = json(&run_ok(folder.path(), &args));
    assert_eq!(report, json(&run_ok(folder.path(), &args)));
    assert_eq!(report["games"], 5);
    assert_eq!(report["positions"], 40);
    assert_eq!(report["results"], serde_json::json!({ "1-0": 5 }));
    assert_eq!(report["labels"]["wdl"], 5);
    assert_eq!(report["label_shares"]["score"], 0.125);
    assert_eq!(report["length"]["histogram"][0]["games"], 5);
    assert_eq!(report["files"][1]["games"], 2);
    assert_eq!(report["files"][1]["metadata"]["arbor.config"], "{}");
    assert_eq!(report["samples"].as_array().unwrap().len(), 3);
    let other = json(&run_ok(folder.path(), &["inspect", "data", "--sample", "3", "--json"]));
    assert_ne!(report["samples"], other["samples"]);
}

#[test]
fn verify_puts_bad_files_aside() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let good = write_shards(&data, "good", &[labeled_game()]);
    let mut illegal = labeled_game();
    illegal.plies[2].played = illegal.plies[0].played;
    let illegal = write_shards(&data, "illegal", &[labeled_game(), illegal]).remove(0);
    let cut = data.join("cut.parquet");
    let bytes = fs::read(&good[0]).unwrap();
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();

    // Without --verify the first bad file ends it, and the remedy is named.
    let errors = run_refused(folder.path(), &["inspect", "data"]);
    assert!(errors.contains("cut.parquet") && errors.contains("--verify"), "{errors}");

    let output = run_in(folder.path(), &["inspect", "data", "--verify", "--keep"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let complaint = "illegal-00000.parquet: row 1: ply 2: e2e4 (code 1804) is not legal\n";
    assert!(text.contains(complaint), "{text}");
    assert!(text.contains("cut.parquet: truncated"), "{text}");
    assert!(text.contains("1 of 3 files good: 1 games, 8 positions"), "{text}");
    assert!(illegal.exists() && cut.exists());

    let output = run_in(folder.path(), &["inspect", "data", "--verify", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(report["files"], 3);
    assert_eq!(report["bad"][0]["file"], "data/cut.parquet");
    assert_eq!(report["bad"][0]["row"], serde_json::Value::Null);
    assert_eq!(report["bad"][1]["row"], 1);
    assert_eq!(report["bad"][1]["quarantined"], "data/quarantine/illegal-00000.parquet");
    assert!(!illegal.exists() && !cut.exists() && data.join("quarantine/cut.parquet").exists());

    let text = run_ok(folder.path(), &["inspect", "data", "--verify"]);
    assert_eq!(text, "1 of 1 files good: 1 games, 8 positions\n");
    // Another bad file of the same name does not replace the first.
    fs::write(&cut, "").unwrap();
    run_refused(folder.path(), &["inspect", "data", "--verify"]);
    assert_eq!(fs::read(data.join("quarantine/cut.parquet")).unwrap().len(), bytes.len() / 2);
    assert_eq!(fs::read(data.join("quarantine/cut.parquet.2")).unwrap(), b"");
}

#[test]
fn a_flipped_bit_is_found_and_crashes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_shards(folder.path(), "games", &vec![labeled_game(); 3]).remove(0);
    let data = Reader::open(&file).unwrap().metadata()["arbor.data_bytes"].parse().unwrap();
    let bytes = fs::read(&file).unwrap();
    for at in (0..bytes.len()).step_by(5) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(&file, flipped).unwrap();
        // Sizes and offsets stand in the metadata; some of its bytes matter to nobody.
        assert!(verify(&file).is_err() || at >= data, "byte {at} of {}", bytes.len());
    }
}

#[test]
fn a_path_without_shards_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let errors = run_refused(folder.path(), &["inspect", "nowhere"]);
    assert_eq!(errors, "error: nowhere: there is no such file or folder; check the path\n");
    let errors = run_refused(folder.path(), &["inspect", "."]);
    assert!(errors.starts_with("error: .: no shards (*.parquet) in this folder"), "{errors}");
}

/// A file system of half a megabyte, gone when dropped.
struct TinyDisk(PathBuf);

impl TinyDisk {
    /// Needs root on Linux.
    fn mount(folder: &Path) -> Option<TinyDisk> {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=512k", "tmpfs"]).arg(folder);
        let mounted = command.output().is_ok_and(|output| output.status.success());
        mounted.then(|| TinyDisk(folder.to_path_buf()))
    }
}

impl Drop for TinyDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

#[test]
fn a_full_disk_is_named_and_finished_files_stay() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = TinyDisk::mount(folder.path()) else {
        println!("skipped: no file system can be mounted here");
        return;
    };
    let settings = WriterSettings { records_per_file: 50, row_group: 10, ..Default::default() };
    let mut writer = Writer::create(&disk.0, settings).unwrap();
    let mut record = labeled_game();
    let mut state = 1_u64;
    let error = loop {
        // Text that does not compress.
        record.tags[0].1 = (0..40)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                format!("{state:016x}")
            })
            .collect();
        if let Err(error) = writer.write(&record) {
            break error.to_string();
        }
    };
    assert!(error.contains(".parquet: the disk is full; finished files are kept"), "{error}");
    drop(writer);
    let files: Vec<PathBuf> =
        fs::read_dir(&disk.0).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        assert_eq!(Reader::open(&file).unwrap().len(), 50, "{}", file.display());
        verify(&file).unwrap();
    }
}

#[test]
fn pyarrow_reads_shards_and_writes_them() {
    let Some(python) = python_with(&[PYARROW]) else {
        println!("skipped: no Python with pyarrow, and none could be made");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = write_shards(folder.path(), "games", &[labeled_game()]).remove(0);
    let rewritten = folder.path().join("rewritten.parquet");
    let output = Command::new(python)
        .arg(root().join("tests/python/read_shard.py"))
        .args([&file, &rewritten])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    // What pyarrow has written is a shard as well.
    let records: Vec<Record> =
        Reader::open(&rewritten).unwrap().records().unwrap().map(Result::unwrap).collect();
    assert_eq!(records, [labeled_game()]);
}
