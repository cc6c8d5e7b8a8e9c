//! A stream of lines in blocks. A block is what one worker reads, and what
//! stays together when data is split for validation.

use super::{csv, join};
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read};

/// No position and its labels take more; longer lines are no text.
const LONGEST_LINE: u64 = 1 << 16;

/// Lines that are looked at to tell the format.
const LOOKED_AT: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Epd,
    Csv,
}

impl Format {
    /// By the shape of the first lines; a heading may stand above them.
    fn detect(text: &[u8]) -> Format {
        let mut lines = text.split(|&byte| byte == b'\n').take(LOOKED_AT);
        let is_csv = lines.any(|line| std::str::from_utf8(line).is_ok_and(csv::looks_like));
        if is_csv { Format::Csv } else { Format::Epd }
    }
}

/// Whole lines that follow each other.
#[derive(Debug)]
pub struct Block {
    pub text: Vec<u8>,
    /// The number of the first line, from 1.
    pub line: u64,
    /// Counts the blocks of a file.
    pub index: u64,
    pub format: Format,
}

/// Cuts a stream into blocks. After an error, the whole lines before it are
/// handed out first.
pub struct Blocks<R> {
    reader: BufReader<R>,
    format: Option<Format>,
    /// Lines per block. A line that goes on from the one before it stays with
    /// it, so a block may be a few lines longer.
    length: usize,
    line: u64,
    index: u64,
    /// The first line of the next block, already read.
    pending: Vec<u8>,
    end: Option<io::Result<()>>,
}

impl<R: Read> Blocks<R> {
    /// The format is told by the content when it is not given.
    pub fn new(reader: R, format: Option<Format>, length: usize) -> Blocks<R> {
        Blocks {
            reader: BufReader::with_capacity(1 << 16, reader),
            format,
            length: length.max(1),
            line: 1,
            index: 0,
            pending: Vec::new(),
            end: None,
        }
    }

    /// Adds a line to `text`; `false` at the end, which may be an error.
    fn read_line(&mut self, text: &mut Vec<u8>) -> bool {
        let start = text.len();
        let outcome = self.reader.by_ref().take(LONGEST_LINE).read_until(b'\n', text);
        let error = match outcome {
            Ok(0) => {
                self.end = Some(Ok(()));
                return false;
            }
            Ok(count) if (count as u64) < LONGEST_LINE => return true,
            Ok(_) => io::Error::other("a line of more than 64 KiB: neither EPD nor CSV"),
            Err(error) => error,
        };
        text.truncate(start);
        self.end = Some(Err(error));
        false
    }

    /// Reads a block's worth of lines, and one more to see whether it belongs.
    fn read_block(&mut self) -> (Vec<u8>, u64) {
        let mut text = std::mem::take(&mut self.pending);
        let mut lines = u64::from(!text.is_empty());
        while self.end.is_none() && lines < self.length as u64 {
            lines += u64::from(self.read_line(&mut text));
        }
        let format = *self.format.get_or_insert_with(|| Format::detect(&text));
        while self.end.is_none() {
            let mut next = Vec::new();
            if !self.read_line(&mut next) {
                break;
            }
            if format == Format::Epd || !join::follows(last_line(&text), &next) {
                self.pending = next;
                break;
            }
            text.append(&mut next);
            lines += 1;
        }
        (text, lines)
    }
}

impl<R: Read> Iterator for Blocks<R> {
    type Item = io::Result<Block>;

    fn next(&mut self) -> Option<io::Result<Block>> {
        let (text, lines) = self.read_block();
        if text.is_empty() {
            return self.end.replace(Ok(()))?.err().map(Err);
        }
        let (line, index) = (self.line, self.index);
        self.line += lines;
        self.index += 1;
        Some(Ok(Block { text, line, index, format: self.format? }))
    }
}

fn last_line(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_end();
    text.rsplit(|&byte| byte == b'\n').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "\
        4k3/8/8/8/8/8/4P3/4K3 w - - 0 1;e2e4;cp 31;200 790 10\n\
        4k3/8/8/8/4P3/8/8/4K3 b - - 0 1;e8e7;cp -31;10 790 200\n\
        8/4k3/8/8/4P3/8/8/4K3 w - - 1 2;e1e2;cp 31;200 790 10\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - 0 1;e2e4;cp 31;200 790 10\n";

    fn shapes(text: &str, length: usize) -> Vec<(u64, usize)> {
        let blocks = Blocks::new(text.as_bytes(), None, length).map(Result::unwrap);
        blocks.map(|b| (b.line, b.text.iter().filter(|&&byte| byte == b'\n').count())).collect()
    }

    #[test]
    fn a_block_does_not_part_what_follows() {
        assert_eq!(shapes(RUN, 1), [(1, 3), (4, 1)]);
        assert_eq!(shapes(RUN, 2), [(1, 3), (4, 1)]);
        assert_eq!(shapes(RUN, 3), [(1, 3), (4, 1)]);
        assert_eq!(shapes(RUN, 4), [(1, 4)]);
        assert_eq!(shapes("", 4), []);
    }

    #[test]
    fn the_format_shows() {
        assert_eq!(Format::detect(RUN.as_bytes()), Format::Csv);
        assert_eq!(Format::detect(b"fen;move;score;wdl\n4k3 w - -;e2e4;cp 1;0 1 0"), Format::Csv);
        assert_eq!(Format::detect(b"4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"x\";"), Format::Epd);
    }

    #[test]
    fn what_came_before_an_error_is_kept() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("cut"))
            }
        }
        let reader = RUN.as_bytes().chain(&b"4k3/8/8"[..]).chain(Broken);
        let mut blocks = Blocks::new(reader, None, 1000);
        assert_eq!(blocks.next().unwrap().unwrap().text, RUN.as_bytes());
        assert!(blocks.next().unwrap().is_err());
        assert!(blocks.next().is_none());
        let long = vec![b'x'; 1 << 17];
        assert!(Blocks::new(&long[..], None, 10).next().unwrap().is_err());
    }
}
