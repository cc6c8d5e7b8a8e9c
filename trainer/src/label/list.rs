//! Lists of positions: plain FENs, EPD, or CSV with the FEN in the first column.
//! Only the position of each line is read.

use engine::chess::parse_fen;
use shakmaty::Chess;
use std::io::{self, BufRead, BufReader, Read};

/// No position takes more; longer lines are no text.
const LONGEST_LINE: u64 = 1 << 16;

/// One line that is neither empty nor a comment.
pub struct ListLine {
    /// From 1.
    pub number: u64,
    /// Or what is wrong with it.
    pub position: Result<Chess, String>,
}

/// Hands on each line until `take` has enough (false) or the stream ends.
pub fn read_list(reader: impl Read, mut take: impl FnMut(ListLine) -> bool) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let count = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        if count as u64 == LONGEST_LINE {
            return Err(io::Error::other("a line of more than 64 KiB: not a list of positions"));
        }
        let line = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        if !take(ListLine { number, position: position(&String::from_utf8_lossy(line)) }) {
            return Ok(());
        }
    }
    Ok(())
}

/// The position at the start of a line. EPD has four fields and then
/// operations, a FEN has two counters besides.
fn position(line: &str) -> Result<Chess, String> {
    let column = line.split([';', ',']).next().unwrap_or_default().trim_matches('"');
    let words: Vec<&str> = column.split_whitespace().take(6).collect();
    let is_counter = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let fields = match words.get(4..) {
        Some(counters) => 4 + counters.iter().take_while(|word| is_counter(word)).count(),
        None => words.len(),
    };
    parse_fen(&words[..fields].join(" "), false).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Position;

    #[test]
    fn every_kind_of_line_gives_its_position() {
        for line in [
            "4k3/8/8/8/8/8/4P3/4K3 w - - 7 40",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 7 40;e2e4;cp 31;200 790 10",
            "\"4k3/8/8/8/8/8/4P3/4K3 w - - 7 40\",e2e4,31",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 7 40 bm e4; id \"x\";",
        ] {
            let position = position(line).unwrap();
            assert_eq!((position.halfmoves(), position.fullmoves().get()), (7, 40), "{line}");
        }
        for line in ["4k3/8/8/8/8/8/4P3/4K3 w - -", "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 e3; ce 3"] {
            assert_eq!(position(line).unwrap().halfmoves(), 0, "{line}");
        }
    }

    #[test]
    fn bad_lines_are_numbered_and_blank_ones_passed_over() {
        let text = "# openings\n\nnonsense\n4k3/8/8/8/8/8/4P3/4K3 w - -";
        let mut lines = Vec::new();
        read_list(text.as_bytes(), |line| {
            lines.push((line.number, line.position.is_ok()));
            true
        })
        .unwrap();
        assert_eq!(lines, [(3, false), (4, true)]);
        assert!(read_list(&vec![b'x'; 1 << 17][..], |_| true).is_err());
    }
}
