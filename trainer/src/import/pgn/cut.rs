//! A stream of PGN in chunks of whole games, each with its line number.

use super::scan::{Extent, Flaw, blank_prefix, game_extent};
use std::io::{self, Read};
use std::ops::Range;

/// Bytes read at a time: some hundred games for one worker.
const CHUNK: usize = 1 << 18;

/// A game longer than this is given up on, so that a stray brace or a file that
/// is no PGN cannot fill the memory.
pub const LONGEST_GAME: usize = 1 << 24;

/// Whole games.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    pub text: Vec<u8>,
    pub games: Vec<Span>,
}

/// One game of a chunk.
#[derive(Debug, PartialEq, Eq)]
pub struct Span {
    pub range: Range<usize>,
    /// Where its moves start, counted from its own start.
    pub moves: usize,
    /// The line of the file it starts in, from 1.
    pub line: u64,
    pub blank_lines: bool,
    pub flaw: Option<Flaw>,
}

/// Cuts a stream into chunks. After an error, what came whole before it is
/// handed out first.
pub struct Cutter<R> {
    reader: R,
    /// What is read and not handed out yet; starts within or before a game.
    rest: Vec<u8>,
    line: u64,
    end: Option<io::Result<()>>,
    chunk: usize,
}

impl<R: Read> Cutter<R> {
    pub fn new(reader: R) -> Cutter<R> {
        Cutter::with_chunk(reader, CHUNK)
    }

    fn with_chunk(reader: R, chunk: usize) -> Cutter<R> {
        Cutter { reader, rest: Vec::new(), line: 1, end: None, chunk }
    }

    fn fill(&mut self) {
        // A long game is looked at again from its start: doubling keeps that cheap.
        let wanted = self.chunk.max(self.rest.len()) as u64;
        match self.reader.by_ref().take(wanted).read_to_end(&mut self.rest) {
            Ok(count) if (count as u64) < wanted => self.end = Some(Ok(())),
            Ok(_) => {}
            Err(error) => self.end = Some(Err(error)),
        }
    }

    /// Takes the whole games from what is read.
    fn cut(&mut self) -> Chunk {
        let complete = matches!(self.end, Some(Ok(())));
        let mut games = Vec::new();
        let mut at = 0;
        loop {
            let blank = blank_prefix(&self.rest[at..]);
            self.line += newlines(&self.rest[at..at + blank]);
            at += blank;
            if at == self.rest.len() {
                break;
            }
            let text = &self.rest[at..];
            let extent = match game_extent(text, complete) {
                Some(extent) => extent,
                None if text.len() > LONGEST_GAME => {
                    let flaw = Some(Flaw::TooLong);
                    Extent { moves: 0, end: text.len(), blank_lines: false, flaw }
                }
                None => break,
            };
            let range = at..at + extent.end;
            at = range.end;
            let (line, lines) = (self.line, newlines(&self.rest[range.clone()]));
            self.line += lines;
            let Extent { moves, blank_lines, flaw, .. } = extent;
            games.push(Span { range, moves, line, blank_lines, flaw });
        }
        let rest = self.rest.split_off(at);
        Chunk { text: std::mem::replace(&mut self.rest, rest), games }
    }
}

impl<R: Read> Iterator for Cutter<R> {
    type Item = io::Result<Chunk>;

    fn next(&mut self) -> Option<io::Result<Chunk>> {
        while self.end.is_none() {
            self.fill();
            let chunk = self.cut();
            if !chunk.games.is_empty() {
                return Some(Ok(chunk));
            }
        }
        match self.end.replace(Ok(())) {
            Some(Err(error)) => Some(Err(error)),
            _ => None,
        }
    }
}

/// How many lines end within the text.
pub fn newlines(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines and texts of the games, cut from chunks of the given size.
    fn games(text: &str, chunk: usize) -> Vec<(u64, String, Option<Flaw>)> {
        let mut games = Vec::new();
        for chunk in Cutter::with_chunk(text.as_bytes(), chunk) {
            let Chunk { text, games: spans } = chunk.unwrap();
            games.extend(spans.into_iter().map(|span| {
                let text = String::from_utf8_lossy(&text[span.range]).trim_end().to_string();
                (span.line, text, span.flaw)
            }));
        }
        games
    }

    /// Checks the cut for every size of chunk.
    fn check(text: &str, expected: &[(u64, &str)]) {
        for chunk in [1, 2, 3, 5, 7, 11, 1 << 16] {
            let found = games(text, chunk);
            let found: Vec<_> = found.iter().map(|(line, text, _)| (*line, &text[..])).collect();
            assert_eq!(found, expected, "chunks of {chunk}");
        }
    }

    #[test]
    fn tags_and_results_part_games() {
        let (one, two) =
            ("[Event \"a\"]\n[White \"[b]\"]\n\n1. e4 e5 1-0", "[Event \"c\"]\n\n1. d4 *");
        check(&format!("{one}\n\n{two}\n"), &[(1, one), (6, two)]);
        check(&format!("\u{feff}\n{one}\n{two}"), &[(2, one), (6, two)]);
        let crlf = |text: &str| text.replace('\n', "\r\n");
        check(&crlf(&format!("{one}\n\n{two}\n\n")), &[(1, &crlf(one)), (6, &crlf(two))]);
    }

    #[test]
    fn games_without_tags() {
        check(
            "1. e4 e5 1-0 1. d4 d5 0-1\n1. c4 *",
            &[(1, "1. e4 e5 1-0"), (1, "1. d4 d5 0-1"), (2, "1. c4 *")],
        );
        check("1. e4 e5\n\n1. d4 d5\n", &[(1, "1. e4 e5"), (3, "1. d4 d5")]);
        check("1. e4 e5 1-0 {resigns}\n\n1. d4", &[(1, "1. e4 e5 1-0 {resigns}"), (3, "1. d4")]);
    }

    #[test]
    fn games_without_moves() {
        let tags = "[Event \"a\"]\n[Result \"*\"]";
        check(&format!("{tags}\n\n{tags}\n{tags}"), &[(1, tags), (4, tags), (6, tags)]);
    }

    #[test]
    fn comments_hold_anything() {
        for game in [
            "1. e4 {see\n\n[Event \"x\"]\n\n1-0 there} e5 1-0",
            "1. e4 {\n[x] 1-0 ( } e5 1-0",
            "1. e4 ; 1-0 {\n1... e5 1-0",
            "1. e4\n% 1-0 [ {\n1... e5 1-0",
            "1. e4 (1. d4 1-0 (1. c4 *)) e5 1-0",
            "1. e4\n\n1... e5\n\n{so} 2. f4 1-0",
        ] {
            check(&format!("{game}\n\n{game}\n"), &[(1, game), (2 + lines(game), game)]);
        }
        fn lines(game: &str) -> u64 {
            1 + newlines(game.as_bytes())
        }
    }

    #[test]
    fn an_open_comment_costs_one_game() {
        let good = "[Event \"b\"]\n\n1. e4 *";
        let more = "[Event \"c\"]\n\n1. e4 {fine} *";
        for rest in [format!("{good}\n\n{good}"), format!("{more}\n\n{good}")] {
            for chunk in [1, 7, 1 << 16] {
                let found = games(&format!("[Event \"a\"]\n\n1. d4 {{oh d5 1-0\n\n{rest}"), chunk);
                let flaws: Vec<_> = found.iter().map(|(line, _, flaw)| (*line, *flaw)).collect();
                assert_eq!(flaws, [(1, Some(Flaw::OpenComment)), (5, None), (9, None)]);
            }
        }
        assert_eq!(games("1. d4 {oh", 4)[0].2, Some(Flaw::OpenComment));
    }

    #[test]
    fn endless_nonsense_takes_bounded_memory() {
        let mut largest = 0;
        let nonsense = io::repeat(b'x').take(3 * LONGEST_GAME as u64);
        for chunk in Cutter::new(nonsense) {
            largest = largest.max(chunk.unwrap().text.len());
        }
        assert!(largest <= 3 * LONGEST_GAME);
    }

    #[test]
    fn whole_games_come_before_an_error() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("cut"))
            }
        }
        let mut cutter = Cutter::new(b"1. e4 *\n\n1. d4 Nf".chain(Broken));
        assert_eq!(cutter.next().unwrap().unwrap().games.len(), 1);
        assert!(cutter.next().unwrap().is_err());
        assert!(cutter.next().is_none());
    }
}
