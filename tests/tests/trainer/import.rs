//! Games and labels from files of every kind, good and bad.

use crate::driver::{interrupt, root, run_in, run_ok, run_refused, trainer};
use engine::search::Random;
use serde_json::Value;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use trainer::shards::{Outcome, Reader, Record, Score, SearchKind, find_shards, validate};

fn data(name: &str) -> PathBuf {
    root().join("tests/data/trainer").join(name)
}

/// A folder with some of the test data in it.
fn folder_with(names: &[&str]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in names {
        fs::copy(data(name), folder.path().join(name)).unwrap();
    }
    folder
}

/// All records of a folder, in order; each of them makes sense.
fn records(folder: &Path) -> Vec<Record> {
    let mut records = Vec::new();
    for path in find_shards(&[folder.to_path_buf()]).unwrap() {
        let reader = Reader::open(&path).unwrap();
        records.extend(reader.records().unwrap().map(Result::unwrap));
    }
    for record in &records {
        assert_eq!(validate(record), Ok(()));
    }
    records
}

/// Runs an import with its summary in JSON.
fn summary(folder: &Path, args: &[&str]) -> Value {
    let args = [args, &["--json"]].concat();
    serde_json::from_str(&run_ok(folder, &args)).unwrap()
}

/// Games of random moves; many share no more than their first.
fn random_games(count: usize) -> String {
    let mut random = Random::new(7);
    let mut pgn = String::new();
    for number in 0..count {
        pgn += &format!("[Event \"Random {number}\"]\n[Result \"*\"]\n\n");
        let mut position = Chess::default();
        for ply in 0..20 + random.next_u64() % 40 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[random.next_u64() as usize % moves.len()];
            if ply % 2 == 0 {
                pgn += &format!("{}. ", ply / 2 + 1);
            }
            pgn += &format!("{} ", SanPlus::from_move_and_play_unchecked(&mut position, m));
        }
        pgn += "*\n\n";
    }
    pgn
}

#[test]
fn games_become_records() {
    let folder = folder_with(&["games.pgn"]);
    let output = run_in(folder.path(), &["import-pgn", "games.pgn", "--out", "out", "--json"]);
    assert!(output.status.success());
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(counts["games"], 7);
    assert_eq!(counts["kept"], 4);
    assert_eq!(counts["left_out"]["variant"], 1);
    assert_eq!(counts["duplicates"], 1);
    assert_eq!(counts["broken"], 1);
    assert_eq!(counts["scored_positions"], 4);
    assert_eq!(counts["files"].as_array().unwrap().len(), 1);

    let text = fs::read_to_string(data("games.pgn")).unwrap();
    let line = 1 + text.lines().position(|line| line.contains("Kd6")).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors, format!("games.pgn:{line}: illegal move 5... Kd6\n"));

    let records = records(&folder.path().join("out"));
    let first = &records[0];
    assert_eq!(first.white.as_deref(), Some("Adams, Ada"));
    assert_eq!((first.white_elo, first.black_elo), (Some(2110), Some(2050)));
    assert_eq!(first.result, Outcome::White);
    assert_eq!(first.opening.as_deref(), Some("C20 King's Pawn Game"));
    assert_eq!(first.termination, "Normal");
    assert_eq!(first.source, "games.pgn");
    let tags: Vec<&str> = first.tags.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(tags, ["Event", "Date", "TimeControl"]);
    let scores: Vec<_> = first.plies.iter().map(|ply| ply.score).collect();
    let centipawns = |score| Some(Score::Centipawns(score));
    let expected =
        [None, centipawns(-28), centipawns(31), None, centipawns(-20), None, Some(Score::Mate(1))];
    assert_eq!(scores, expected);
    assert_eq!(first.plies[6].wdl, Some([1.0, 0.0, 0.0]));
    assert_eq!(first.plies[0].kind, SearchKind::Human);
    assert!(records.iter().all(|record| record.group == record.id()));
    assert!(records[2].chess960);
    assert_eq!(records[3].result, Outcome::Unknown);
}

#[test]
fn packed_piped_and_plain_are_the_same() {
    let folder = folder_with(&["games.pgn"]);
    let path = folder.path();
    // A byte order mark, other line ends and Latin-1 as well.
    let mut text = b"\xef\xbb\xbf".to_vec();
    let original = fs::read_to_string(data("games.pgn")).unwrap();
    let latin: Vec<u8> =
        original.replace("Brown, Bo", "Brøwn, Bo").chars().map(|c| c as u8).collect();
    for byte in latin {
        if byte == b'\n' {
            text.push(b'\r');
        }
        text.push(byte);
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&text).unwrap();
    fs::write(path.join("g.pgn"), &text).unwrap();
    fs::write(path.join("g.pgn.zst"), zstd::encode_all(&text[..], 3).unwrap()).unwrap();
    fs::write(path.join("g.pgn.gz"), gzip.finish().unwrap()).unwrap();
    let mut results = Vec::new();
    for name in ["g.pgn", "g.pgn.zst", "g.pgn.gz"] {
        run_ok(path, &["import-pgn", name, "--out", &format!("out-{name}")]);
        results.push(records(&path.join(format!("out-{name}"))));
    }
    let piped = Command::new(trainer())
        .args(["import-pgn", "-", "--out", "out-stdin"])
        .current_dir(path)
        .stdin(fs::File::open(path.join("g.pgn.zst")).unwrap())
        .output()
        .unwrap();
    assert!(piped.status.success());
    results.push(records(&path.join("out-stdin")));
    run_ok(path, &["import-pgn", "games.pgn", "--out", "out"]);
    let mut plain = records(&path.join("out"));
    for record in &mut plain {
        let named = record.black.as_deref() == Some("Brown, Bo");
        record.black = if named { Some("Brøwn, Bo".into()) } else { record.black.take() };
    }
    for mut result in results {
        result.iter_mut().for_each(|record| record.source = "games.pgn".into());
        assert_eq!(result, plain);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = TempDir::new().unwrap();
    // Some megabytes are some chunks; a broken game and doubles among them.
    let games = random_games(4000);
    let text = format!("{games}1. e4 e4 *\n\n{games}");
    fs::write(folder.path().join("g.pgn"), text).unwrap();
    let import = |threads: &str| {
        let out = format!("out{threads}");
        let args = ["import-pgn", "g.pgn", "--out", &out, "--records-per-file", "1500"];
        let counts = summary(folder.path(), &[&args[..], &["--threads", threads]].concat());
        assert_eq!((&counts["kept"], &counts["broken"]), (&4000.into(), &1.into()));
        assert_eq!(counts["duplicates"], 4000);
        assert_eq!(counts["files"].as_array().unwrap().len(), 3);
        records(&folder.path().join(out))
    };
    let one = import("1");
    assert_eq!(one.len(), 4000);
    assert!(one == import("2") && one == import("5"));
    let names: Vec<&str> = one.iter().map(|record| record.tags[0].1.as_str()).collect();
    assert_eq!((names[0], names[3999]), ("Random 0", "Random 3999"));
}

#[test]
fn filters_choose_games() {
    let folder = folder_with(&["games.pgn"]);
    let mut number = 0;
    let mut kept = |flags: &[&str]| {
        number += 1;
        let out = format!("out{number}");
        let counts =
            summary(folder.path(), &[&["import-pgn", "games.pgn", "--out", &out], flags].concat());
        counts["kept"].as_u64().unwrap()
    };
    assert_eq!(kept(&["--min-elo", "1800"]), 2);
    assert_eq!(kept(&["--min-elo", "2000"]), 1);
    assert_eq!(kept(&["--max-elo", "2300"]), 2);
    assert_eq!(kept(&["--results", "1-0,0-1"]), 2);
    assert_eq!(kept(&["--termination", "NORMAL"]), 1);
    // The repeated game takes the place of the one that ended on time.
    assert_eq!(kept(&["--skip-termination", "time forfeit,abandoned"]), 4);
    assert_eq!(kept(&["--variants", "standard"]), 3);
    assert_eq!(kept(&["--min-plies", "8"]), 2);
    assert_eq!(kept(&["--max-plies", "7"]), 2);
    assert_eq!(kept(&["--keep-duplicates"]), 5);
    assert_eq!(kept(&["--limit", "2"]), 2);
    assert_eq!(kept(&["--sample", "0"]), 0);
    let refused =
        run_in(folder.path(), &["import-pgn", "games.pgn", "--out", "x", "--sample", "2"]);
    assert_eq!(refused.status.code(), Some(2));

    let flags = ["--skip-plies", "3", "--kind", "none", "--limit", "1"];
    run_ok(folder.path(), &[&["import-pgn", "games.pgn", "--out", "weights"], &flags[..]].concat());
    let record = records(&folder.path().join("weights")).remove(0);
    let weightless = record.plies.iter().take_while(|ply| ply.weight == 0.0).count();
    assert_eq!((weightless, record.plies[0].kind), (3, SearchKind::None));
}

#[test]
fn sampling_repeats_and_follows_the_seed() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("g.pgn"), random_games(400)).unwrap();
    let sample = |out: &str, seed: &str| {
        let flags = ["--sample", "0.25", "--seed", seed];
        run_ok(folder.path(), &[&["import-pgn", "g.pgn", "--out", out], &flags[..]].concat());
        records(&folder.path().join(out))
    };
    let one = sample("a", "1");
    assert!((60..140).contains(&one.len()), "{}", one.len());
    assert_eq!(one, sample("b", "1"));
    assert_ne!(one, sample("c", "2"));
}

#[test]
fn what_is_no_pgn_is_refused() {
    let folder = folder_with(&["games.pgn"]);
    let path = folder.path();
    let refused = |name: &str, contents: &[u8]| {
        fs::write(path.join(name), contents).unwrap();
        run_refused(path, &["import-pgn", name, "--out", &format!("out-{name}")])
    };
    assert!(refused("letter.txt", b"Dear all,\n\nthe match is off.\n").contains("not a PGN game"));
    // Filters do not hide that it is no game.
    let filtered = ["import-pgn", "letter.txt", "--out", "filtered", "--min-elo", "2000"];
    assert!(run_refused(path, &filtered).contains("not a PGN game"));
    let noise: Vec<u8> =
        (0..200_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert!(refused("noise.bin", &noise).contains("noise.bin"));
    assert!(
        refused("data.json", b"[{\"fen\": \"x\"}, {\"moves\": [1, 2]}]\n").contains("data.json")
    );
    assert!(refused("empty.pgn", b"").contains("empty.pgn: there is no game"));
    assert!(refused("blank.pgn", b"\n\n  \n").contains("blank.pgn: there is no game"));
    assert!(refused("not.zst", b"\x28\xb5\x2f\xfdnonsense").contains("not.zst: cannot be read"));
    let missing = run_refused(path, &["import-pgn", "games.pgn", "nowhere.pgn", "--out", "out"]);
    assert!(missing.contains("nowhere.pgn: No such file"), "{missing}");
    assert!(!path.join("out").exists());
    assert!(run_refused(path, &["import-pgn", ".", "--out", "out"]).contains("is a folder"));

    // The good file beside a bad one is kept.
    let mixed = run_refused(path, &["import-pgn", "letter.txt", "games.pgn", "--out", "mixed"]);
    assert!(mixed.contains("letter.txt"), "{mixed}");
    assert_eq!(records(&path.join("mixed")).len(), 4);
}

#[test]
fn a_truncated_file_gives_what_it_has() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let text = random_games(6000);
    let packed = zstd::encode_all(text.as_bytes(), 3).unwrap();
    fs::write(path.join("cut.pgn.zst"), &packed[..packed.len() * 2 / 3]).unwrap();
    fs::write(path.join("whole.pgn.zst"), &packed).unwrap();
    let errors = run_refused(path, &["import-pgn", "cut.pgn.zst", "--out", "cut"]);
    run_ok(path, &["import-pgn", "whole.pgn.zst", "--out", "whole"]);
    let (cut, whole) = (records(&path.join("cut")), records(&path.join("whole")));
    assert!(cut.len() > 2000 && cut.len() < whole.len(), "{}", cut.len());
    assert!(errors.contains("cut.pgn.zst: cut off or damaged"), "{errors}");
    assert!(errors.contains(&format!("the {} games before that are kept", cut.len())), "{errors}");
    assert!(cut.iter().zip(&whole).all(|(a, b)| a.group == b.group));
}

#[test]
fn the_report_lists_every_broken_game() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("g.pgn"), "1. e4 *\n\n".to_string() + &"1. e5 *\n\n".repeat(30))
        .unwrap();
    let args = ["import-pgn", "g.pgn", "--out", "out"];
    let shown = String::from_utf8(run_in(folder.path(), &args).stderr).unwrap();
    assert_eq!(shown.lines().count(), 21, "{shown}");
    assert!(shown.contains("and 10 more; --report FILE"), "{shown}");
    let args = [&args[..], &["--report", "broken.txt"]].concat();
    run_ok(folder.path(), &args);
    let report = fs::read_to_string(folder.path().join("broken.txt")).unwrap();
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines.len(), 30);
    assert_eq!(lines[29], "g.pgn:61: illegal move 1. e5");
}

#[cfg(unix)]
#[test]
fn an_interrupted_import_keeps_what_it_has() {
    let folder = TempDir::new().unwrap();
    let mut import = Command::new(trainer())
        .args(["import-pgn", "-", "--out", "out", "--json", "--threads", "1"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let games = random_games(8000);
    let mut input = import.stdin.take().unwrap();
    // More than can wait in queues: some chunks are through when this returns.
    input.write_all(games.as_bytes()).unwrap();
    interrupt(&import);
    // An import that ended already does not mind.
    let _ = input.write_all(games.as_bytes());
    drop(input);
    let output = import.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(counts["interrupted"], true);
    let kept = records(&folder.path().join("out")).len();
    assert_eq!(counts["kept"], kept);
    assert!(kept > 0);
}

#[test]
fn epd_positions_become_records() {
    let folder = folder_with(&["positions.epd"]);
    let args = ["import-epd", "positions.epd", "--out", "out", "--engine", "Sage 1", "--json"];
    let output = run_in(folder.path(), &args);
    assert!(output.status.success());
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&counts["lines"], &counts["records"]), (&7.into(), &3.into()));
    assert_eq!(counts["broken"], 4);
    let errors = String::from_utf8(output.stderr).unwrap();
    for expected in [
        "positions.epd:4: bm Qh5: illegal",
        "positions.epd:6: not a FEN",
        "positions.epd:7: not a playable position (a king is missing)",
        "positions.epd:8: nothing to learn from",
    ] {
        assert!(errors.contains(expected), "{errors}");
    }
    let records = records(&folder.path().join("out"));
    let policies: Vec<usize> = records.iter().map(|record| record.plies[0].policy.len()).collect();
    assert_eq!(policies, [1, 2, 0]);
    assert_eq!(records[0].plies[0].score, Some(Score::Mate(1)));
    assert_eq!(records[1].plies[0].policy[0].weight, 0.5);
    assert_eq!(records[2].tags[0], ("am".to_string(), "Kd1".to_string()));
    assert!(records[2].start_fen.ends_with(" 4 50"));
    assert!(records.iter().all(|record| record.engine.as_deref() == Some("Sage 1")));
    assert!(records.iter().all(|record| record.plies[0].kind == SearchKind::Teacher));
}

#[test]
fn csv_lines_are_joined() {
    let folder = folder_with(&["labels.csv"]);
    let path = folder.path();
    let text = fs::read(data("labels.csv")).unwrap();
    fs::write(path.join("labels.csv.zst"), zstd::encode_all(&text[..], 3).unwrap()).unwrap();
    let args = ["import-epd", "labels.csv.zst", "--out", "out", "--json"];
    let output = run_in(path, &args);
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&counts["positions"], &counts["broken"]), (&7.into(), &2.into()));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("labels.csv.zst:5: illegal move d1d9"), "{errors}");
    assert!(errors.contains("labels.csv.zst:6: no W D L"), "{errors}");
    let found = records(&path.join("out"));
    let lengths: Vec<usize> = found.iter().map(|record| record.plies.len()).collect();
    assert_eq!(lengths, [3, 1, 3]);
    for record in &found {
        let (last, before) = record.plies.split_last().unwrap();
        assert!(last.played.is_none() && before.iter().all(|ply| ply.played.is_some()));
        assert!(record.plies.iter().all(|ply| ply.policy.len() == 1));
        assert_eq!(record.group, found[0].group);
    }
    // What was played differs from what was best.
    assert_ne!(found[0].plies[0].played, Some(found[0].plies[0].policy[0].m));

    // Small blocks have groups of their own, and never part what follows.
    run_ok(path, &["import-epd", "labels.csv", "--out", "blocks", "--block", "2"]);
    let blocks = records(&path.join("blocks"));
    assert_eq!(blocks.iter().map(|record| record.plies.len()).collect::<Vec<_>>(), [3, 1, 3]);
    assert_ne!(blocks[0].group, blocks[1].group);
    assert_ne!(blocks[1].group, blocks[2].group);
}

#[test]
fn useless_labels_are_refused() {
    let folder = folder_with(&["labels.csv"]);
    let path = folder.path();
    fs::write(path.join("x.epd"), "hello\nworld\n").unwrap();
    let errors = run_refused(path, &["import-epd", "x.epd", "--out", "out"]);
    assert!(
        errors.contains("x.epd: none of its 2 lines can be used; line 1: not a FEN"),
        "{errors}"
    );
    let errors =
        run_refused(path, &["import-epd", "labels.csv", "--out", "out", "--format", "epd"]);
    assert!(errors.contains("none of its 9 lines"), "{errors}");
    fs::write(path.join("noise"), vec![0xfe; 200_000]).unwrap();
    assert!(run_refused(path, &["import-epd", "noise", "--out", "out"]).contains("64 KiB"));
}
