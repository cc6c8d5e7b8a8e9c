//! Books: lists of openings from EPD or PGN.

use super::Opening;
use crate::epd::Epd;
use crate::import::{GameSettings, PgnSettings, Report, SourceError, Sources, import_pgn};
use crate::provenance;
use crate::shards::{Record, Replay};
use shakmaty::{Chess, Position};
use std::convert::Infallible;
use std::io::{self, Read};
use std::path::Path;
use thiserror::Error;

/// The book that comes with the trainer.
const BUILT_IN: &str = include_str!("../../../openings/book.epd");
/// Its name on the command line.
const BUILT_IN_NAME: &str = "book";

#[derive(Debug, Error)]
pub enum BookError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("{path}: there is no such file")]
    NoFile { path: String },
    #[error("{path}: cannot be read")]
    Read { path: String, source: io::Error },
    #[error("{path}, line {line}: {cause}")]
    Line { path: String, line: usize, cause: String },
    #[error("{path}: no opening in it that can be played from")]
    Empty { path: String },
}

/// Openings in the order of the file.
#[derive(Debug)]
pub struct Book {
    pub name: String,
    /// SHA-256 of the openings as they are played.
    pub sha256: String,
    pub openings: Vec<Opening>,
}

impl Book {
    /// A file by its path, or the built-in book by its name. Of PGN games the
    /// first `plies` are taken, or all of their moves.
    pub fn open(path: &Path, plies: Option<usize>) -> Result<Book, BookError> {
        if path.as_os_str() == BUILT_IN_NAME && !path.exists() {
            return Book::from_epd(BUILT_IN_NAME, BUILT_IN.as_bytes());
        }
        let name = path.display().to_string();
        // Twice read, and again when the match goes on.
        if !path.is_file() {
            return Err(BookError::NoFile { path: name });
        }
        let sources = Sources::new(vec![path.to_path_buf()])?;
        let unreadable = |source| BookError::Read { path: name.clone(), source };
        let mut bytes = Vec::new();
        sources.open(0).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(unreadable)?;
        match looks_like_pgn(&bytes) {
            true => Book::from_pgn(path, plies),
            false => Book::from_epd(&name, &bytes),
        }
    }

    fn from_epd(name: &str, bytes: &[u8]) -> Result<Book, BookError> {
        let mut openings = Vec::new();
        for (index, line) in String::from_utf8_lossy(bytes).lines().enumerate() {
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let opening = read_epd(line).map_err(|cause| BookError::Line {
                path: name.to_string(),
                line: index + 1,
                cause,
            })?;
            openings.extend(opening);
        }
        Book::new(name, openings)
    }

    /// Broken games are shown and left out.
    fn from_pgn(path: &Path, plies: Option<usize>) -> Result<Book, BookError> {
        let sources = Sources::new(vec![path.to_path_buf()])?;
        let settings = PgnSettings {
            game: GameSettings::default(),
            keep_duplicates: true,
            limit: None,
            threads: 1,
        };
        let mut openings = Vec::new();
        let name = path.display().to_string();
        let mut report = Report::create(&sources, None)
            .map_err(|source| BookError::Read { path: name.clone(), source })?;
        let read: Result<_, Infallible> = import_pgn(&sources, &settings, &mut report, |record| {
            openings.extend(read_record(record, plies.unwrap_or(usize::MAX)));
            Ok(())
        });
        let _ = report.finish();
        if let Ok(summary) = read
            && let Some(failure) = summary.failures.into_iter().next()
        {
            return Err(BookError::Read { path: name, source: io::Error::other(failure) });
        }
        Book::new(&name, openings)
    }

    fn new(name: &str, openings: Vec<Opening>) -> Result<Book, BookError> {
        if openings.is_empty() {
            return Err(BookError::Empty { path: name.to_string() });
        }
        let played = |opening: &Opening| {
            let line = opening.line();
            format!("{} {}\n", line.start_fen(), line.moves().join(" "))
        };
        let text: String = openings.iter().map(played).collect();
        Ok(Book { name: name.to_string(), sha256: provenance::hash(text.as_bytes()), openings })
    }

    /// No book: every game begins at the start.
    pub fn start_position() -> Book {
        let start = Opening { start: Chess::default(), moves: Vec::new(), name: None };
        Book { name: "none".to_string(), sha256: String::new(), openings: vec![start] }
    }
}

fn looks_like_pgn(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    text.starts_with(b"[") || text.starts_with(b"1.") || text.starts_with(b"%")
}

/// `None` for a position in which the game is over. A comment `c0` with the
/// moves that lead there from the usual start is played through, so that the
/// players know the past of the position.
fn read_epd(line: &str) -> Result<Option<Opening>, String> {
    let epd = Epd::parse(line)?;
    if epd.position.is_game_over() {
        return Ok(None);
    }
    let name = epd.value("id");
    let played = epd.value("c0").and_then(Opening::from_san).filter(|opening| {
        let line = opening.line();
        line.position().board() == epd.position.board()
            && line.position().turn() == epd.position.turn()
    });
    let opening = played.unwrap_or(Opening { start: epd.position, moves: Vec::new(), name: None });
    Ok(Some(Opening { name: name.map(str::to_string), ..opening }))
}

/// The first plies of a game, fewer if it is over by then.
fn read_record(record: &Record, plies: usize) -> Option<Opening> {
    let mut replay = Replay::new(record).ok()?;
    let mut opening: Option<Opening> = None;
    while let Ok(Some(step)) = replay.advance() {
        let position = &step.line.last().position;
        let opening = opening.get_or_insert_with(|| Opening {
            start: position.clone(),
            moves: Vec::new(),
            name: record.opening.clone(),
        });
        match step.played {
            Some(m) if opening.moves.len() < plies => {
                let mut after = position.clone();
                after.play_unchecked(m);
                if after.is_game_over() {
                    break;
                }
                opening.moves.push(m);
            }
            _ => break,
        }
    }
    opening
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn open(name: &str, text: &str, plies: Option<usize>) -> Result<Book, BookError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        Book::open(&path, plies)
    }

    fn played(opening: &Opening) -> Vec<String> {
        opening.line().moves().to_vec()
    }

    #[test]
    fn the_built_in_book_is_large_unique_and_playable() {
        let book = Book::open(Path::new("book"), None).unwrap();
        assert!(book.openings.len() >= 2000, "{}", book.openings.len());
        let mut seen = std::collections::HashSet::new();
        for opening in &book.openings {
            let line = opening.line();
            assert!((4..=10).contains(&line.moves().len()), "{:?}", opening.san());
            assert!(!line.position().is_game_over());
            assert!(seen.insert(line.line().last().key), "twice: {}", opening.san());
        }
        let named = book.openings.iter().filter(|opening| opening.name.is_some()).count();
        assert!(named * 10 > book.openings.len() * 9, "{named}");
    }

    #[test]
    fn epd_with_and_without_its_moves() {
        let text = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"Open\"; c0 \"e4 e5\";\n\
                    \n4k3/8/8/8/8/8/4P3/4K3 b - - 3 20\n7k/5Q2/6K1/8/8/8/8/8 b - -\n";
        let book = open("a.epd", text, None).unwrap();
        // In the last position there is no move.
        assert_eq!(book.openings.len(), 2);
        assert_eq!(played(&book.openings[0]), ["e2e4", "e7e5"]);
        assert_eq!(book.openings[0].title().as_deref(), Some("Open"));
        assert_eq!(book.openings[1].line().start_fen(), "4k3/8/8/8/8/8/4P3/4K3 b - - 3 20");
    }

    #[test]
    fn games_are_cut() {
        let text = "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n\
                    [White \"B\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
        let book = open("a.pgn", text, Some(5)).unwrap();
        assert_eq!(played(&book.openings[0]), ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]);
        assert_eq!(played(&book.openings[1]), ["f2f3", "e7e5", "g2g4"]);
        let title = book.openings[0].title().unwrap();
        assert!(title.contains("Ruy Lopez") || title.contains("Spanish"), "{title}");
    }

    #[test]
    fn broken_books_are_refused_with_the_place() {
        let error = open("a.epd", "# book\nhello\n", None).unwrap_err().to_string();
        assert!(error.contains("a.epd, line 2: not a FEN"), "{error}");
        assert!(matches!(open("a.epd", "\n", None), Err(BookError::Empty { .. })));
        assert!(Book::open(Path::new("no/such.epd"), None).is_err());
    }
}
