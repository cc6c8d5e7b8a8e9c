//! Stopping at every moment, and going on.

use super::*;
use crate::shards::Ply;
use serde_json::json;

const ROOTS: u64 = 10;
const PART: u64 = 4;

fn open(folder: &Path, multipv: u64) -> Result<Store, LabelError> {
    let config = json!({ "multipv": multipv });
    let hash = provenance::hash(config.to_string().as_bytes());
    Store::open(folder, Identity { config, hash, teacher: "T 1".into() }, PART)
}

fn record(root: u64) -> Record {
    let start_fen = format!("4k3/8/8/8/8/8/8/4K3 w - - 0 {}", root + 1);
    Record { start_fen, plies: vec![Ply::default()], ..Record::default() }
}

/// Labels up to `until` of the roots that are not done; root 5 is skipped.
fn work(store: &mut Store, until: u64) -> u64 {
    let finished = store.finished().clone();
    let mut done = 0;
    for root in (0..until).filter(|root| !finished.contains(*root)) {
        store.add(root, (root != 5).then(|| record(root))).unwrap();
        done += 1;
    }
    done
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.starts_with(PREFIX));
    names.sort();
    names
}

fn check_whole(folder: &Path) {
    assert_eq!(names(folder), [0, 1, 2].map(part_name));
    let fens: Vec<String> = names(folder)
        .iter()
        .flat_map(|name| Reader::open(&folder.join(name)).unwrap().records().unwrap())
        .map(|record| {
            let record = record.unwrap();
            assert_eq!(record.engine.as_deref(), Some("T 1"));
            record.start_fen
        })
        .collect();
    let expected: Vec<String> =
        (0..ROOTS).filter(|root| *root != 5).map(|root| record(root).start_fen).collect();
    assert_eq!(fens, expected);
}

#[test]
fn stopped_and_saved_anywhere_the_result_is_the_same() {
    for first in 0..=ROOTS {
        for second in first..=ROOTS {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let mut store = open(folder, 1).unwrap();
            store.begin(ROOTS).unwrap();
            work(&mut store, first);
            store.save().unwrap();
            work(&mut store, second);
            store.save().unwrap();
            drop(store);
            let mut store = open(folder, 1).unwrap();
            assert_eq!(store.roots(), Some(ROOTS));
            assert_eq!(store.finished().count(ROOTS), second);
            assert_eq!(work(&mut store, ROOTS), ROOTS - second);
            check_whole(folder);
        }
    }
}

#[test]
fn killed_unsaved_the_tail_is_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path(), 1).unwrap();
    store.begin(ROOTS).unwrap();
    work(&mut store, 7);
    drop(store);
    let mut store = open(folder.path(), 1).unwrap();
    assert_eq!(work(&mut store, ROOTS), ROOTS - PART);
    check_whole(folder.path());
}

#[test]
fn what_a_kill_leaves_behind_is_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut store = open(folder, 1).unwrap();
    store.begin(ROOTS).unwrap();
    work(&mut store, 2);
    store.save().unwrap();
    let piece = folder.join(piece_name(0, 0, 2));
    let copy = fs::read(&piece).unwrap();
    work(&mut store, ROOTS);
    drop(store);
    // Killed after the part was named and before its pieces were deleted.
    fs::write(&piece, copy).unwrap();
    fs::write(folder.join("label-000001.parquet.77.tmp"), "half").unwrap();
    let mut store = open(folder, 1).unwrap();
    assert_eq!(work(&mut store, ROOTS), 0);
    check_whole(folder);
}

#[test]
fn a_part_that_is_gone_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path(), 1).unwrap();
    store.begin(ROOTS).unwrap();
    work(&mut store, ROOTS);
    drop(store);
    fs::remove_file(folder.path().join(part_name(1))).unwrap();
    assert_eq!(work(&mut open(folder.path(), 1).unwrap(), ROOTS), PART);
    check_whole(folder.path());
}

#[test]
fn other_settings_other_runs_and_unknown_shards_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path(), 1).unwrap();
    store.begin(ROOTS).unwrap();
    work(&mut store, ROOTS);
    let message = |outcome: Result<Store, LabelError>| outcome.err().unwrap().to_string();
    assert!(message(open(folder.path(), 1)).contains("in use"));
    drop(store);
    assert!(message(open(folder.path(), 3)).contains("multipv 1, now 3"));
    fs::remove_file(folder.path().join(STATE)).unwrap();
    assert!(message(open(folder.path(), 1)).contains("no label.json"));
}
