//! `trainer openings make` with a real teacher.

use std::collections::HashSet;
use std::fs;

use tempfile::tempdir;
use trainer::openings::Book;

use crate::driver::{engine, run_ok, run_refused, stockfish};

#[test]
fn a_book_is_balanced_unique_and_the_same_for_any_number_of_teachers() {
    let Some(stockfish) = stockfish() else { return };
    let folder = tempdir().unwrap();
    let make = |out: &str, seed: &str, processes: &str| {
        let args = ["openings", "make", "--teacher", &stockfish, "--out", out, "--count", "30"];
        let more =
            ["--nodes", "2000", "--walk-nodes", "300", "--seed", seed, "--processes", processes];
        let text = run_ok(folder.path(), &[&args[..], &more].concat());
        assert!(text.contains("30 lines"), "{text}");
        fs::read_to_string(folder.path().join(out)).unwrap()
    };
    let text = make("a.epd", "7", "1");
    assert_eq!(text, make("b.epd", "7", "3"));
    assert_ne!(text, make("c.epd", "8", "2"));
    let mut seen = HashSet::new();
    for line in text.lines() {
        let score = line.split("ce ").nth(1).and_then(|rest| rest.split(';').next()).unwrap();
        assert!(score.parse::<i32>().unwrap().abs() <= 60, "{line}");
        assert!(seen.insert(line.split(" hmvc").next().unwrap().to_string()), "twice: {line}");
    }
    let book = Book::open(&folder.path().join("a.epd"), None).unwrap();
    assert_eq!(book.openings.len(), 30);
    assert!(book.openings.iter().all(|opening| (4..=10).contains(&opening.moves.len())));
    assert!(book.openings.iter().any(|opening| opening.name.is_some()));
}

#[test]
fn impossible_books_are_refused() {
    let folder = tempdir().unwrap();
    let teacher = format!("{} --backend random --threads 1", engine().display());
    let make = |more: &[&str]| {
        let args = ["openings", "make", "--teacher", &teacher, "--out", "a.epd", "--nodes", "5"];
        run_refused(folder.path(), &[&args[..], &["--walk-nodes", "5"], more].concat())
    };
    // There are only so many positions after no move at all.
    let errors = make(&["--count", "3", "--plies", "0-0", "--balance", "1000", "--share", "1"]);
    assert!(errors.contains("only 1 lines were found"), "{errors}");
    assert!(make(&["--plies", "9-4"]).contains("--plies 9-4"));
    assert!(!folder.path().join("a.epd").exists());
}
