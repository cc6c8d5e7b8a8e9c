//! A file of problems; its content tells the format.

use super::puzzles::Columns;
use super::{Problem, SuiteError, epd};
use std::io::{self, BufRead};

/// The problems of a file.
#[derive(Debug)]
pub struct Suite {
    pub problems: Vec<Problem>,
    /// Lines that were no problems.
    pub skipped: u64,
}

/// Reads all of `file`, which is named so for messages: Lichess puzzles if it
/// begins with their header, else EPD, where lines that begin with `#` say
/// nothing. A bad line is an error, or with `skip_bad` only counted, as long as
/// any line is good.
pub fn read(file: &str, reader: impl BufRead, skip_bad: bool) -> Result<Suite, SuiteError> {
    let mut suite = Suite { problems: Vec::new(), skipped: 0 };
    let mut columns = None;
    let mut first = true;
    let mut first_bad = None;
    for (text, line) in lines(reader).zip(1..) {
        let text = text.map_err(|source| SuiteError::Read { file: file.into(), source })?;
        let text = text.trim();
        if text.is_empty() || columns.is_none() && text.starts_with('#') {
            continue;
        }
        if first {
            first = false;
            columns = Columns::from_header(text);
            if columns.is_some() {
                continue;
            }
        }
        let name = format!("{file}:{line}");
        let problem = match &columns {
            Some(columns) => columns.parse(text, &name),
            None => epd::parse(text, &name),
        };
        match problem {
            Ok(problem) => suite.problems.push(problem),
            Err(cause) => {
                let bad = SuiteError::Line { file: file.into(), line, cause };
                if !skip_bad {
                    return Err(bad);
                }
                suite.skipped += 1;
                first_bad.get_or_insert(bad);
            }
        }
    }
    if suite.problems.is_empty() {
        return Err(first_bad.unwrap_or_else(|| SuiteError::Empty { file: file.into() }));
    }
    Ok(suite)
}

/// Lines as text. Old files have names in encodings of their day,
/// which matter to nobody here, so other bytes than UTF-8 are no error.
fn lines(reader: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    reader.split(b'\n').enumerate().map(|(index, line)| {
        let line = line?;
        let text = String::from_utf8_lossy(&line);
        let text = if index == 0 { text.trim_start_matches('\u{feff}') } else { &text };
        Ok(text.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::{BufReader, Read};

    const EPD: &str = "# rook endings\n\n\
        6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"mate\";\r\n\
        6k1/5ppp/8/8/8/8/8/R5K1 w - - am Kf1;\n";
    const CSV: &str = "\u{feff}PuzzleId,FEN,Moves,Rating,Themes\r\n\
        a1,6k1/4Rppp/8/8/8/8/5K2/8 b - - 0 1,h7h6 e7e8,400,\r\n\
        #2,6k1/4Rppp/8/8/8/8/5K2/8 b - - 0 1,g7g6 e7e8,500,mate\r\n";

    fn ids(text: &[u8]) -> Vec<String> {
        let suite = read("s", text, false).unwrap();
        assert_eq!(suite.skipped, 0);
        suite.problems.into_iter().map(|problem| problem.id).collect()
    }

    #[test]
    fn the_format_is_told_by_content() {
        assert_eq!(ids(EPD.as_bytes()), ["mate", "s:4"]);
        assert_eq!(ids(CSV.as_bytes()), ["a1", "#2"]);
    }

    #[test]
    fn remarks_in_old_encodings_do_no_harm() {
        let mut text = b"# J\xf6rg\n".to_vec();
        text.extend(b"6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8; c0 \"H\xfcbner\"; id \"old\";");
        assert_eq!(ids(&text), ["old"]);
    }

    #[test]
    fn bad_lines_are_errors_or_counted() {
        for (text, bad, message) in [
            (EPD, "Kf1", "s:4: am Kh8: illegal or ambiguous"),
            (CSV, "g7g6", "s:3: illegal move Kh8"),
        ] {
            let text = text.replace(bad, "Kh8");
            let error = read("s", text.as_bytes(), false).unwrap_err();
            assert_eq!(error.to_string(), message);
            let suite = read("s", text.as_bytes(), true).unwrap();
            assert_eq!((suite.problems.len(), suite.skipped), (1, 1));
        }
    }

    #[test]
    fn a_file_without_problems_is_refused() {
        let message = |text: &str| read("s", text.as_bytes(), true).unwrap_err().to_string();
        assert!(message("# nothing\n").starts_with("s: no problems"));
        assert!(message("PuzzleId,FEN,Moves\n").starts_with("s: no problems"));
        assert!(message("\nhello\nworld\n").starts_with("s:2: not a FEN"));
    }

    #[test]
    fn failures_of_the_disk_are_no_bad_lines() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        let reader = BufReader::new(EPD.as_bytes().chain(Broken));
        let error = read("s", reader, true).unwrap_err();
        assert!(matches!(error, SuiteError::Read { .. }), "{error}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(PuzzleId,FEN,Moves,Rating\n)?([ -~]{0,80}\n){0,4}") {
            let _ = read("s", text.as_bytes(), false);
            let _ = read("s", text.as_bytes(), true);
        }
    }
}
