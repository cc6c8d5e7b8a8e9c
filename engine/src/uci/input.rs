//! Lines from a byte stream that may hold anything.

use std::io::{self, BufRead};

/// Longer lines are cut: no command of a real game comes near (a game of
/// 5,000 moves is 50 kB).
const LONGEST_LINE: usize = 1 << 20;

/// The next line without its end; `None` at the end of input. Bytes that are
/// not UTF-8 become replacement characters.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut any = false;
    loop {
        let available = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(any.then(|| decode(&line)));
        }
        any = true;
        let (taken, ended) = match available.iter().position(|b| *b == b'\n') {
            Some(end) => (end, true),
            None => (available.len(), false),
        };
        let room = LONGEST_LINE - line.len();
        line.extend_from_slice(&available[..taken.min(room)]);
        input.consume(taken + usize::from(ended));
        if ended {
            return Ok(Some(decode(&line)));
        }
    }
}

fn decode(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\r').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds() {
        let mut input: &[u8] = b"uci\r\n\n\xff\xfe go\nlast";
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input).unwrap() {
            lines.push(line);
        }
        assert_eq!(lines, ["uci", "", "\u{fffd}\u{fffd} go", "last"]);
    }

    #[test]
    fn an_endless_line_does_not_fill_the_memory() {
        let mut bytes = vec![b'x'; LONGEST_LINE * 3];
        bytes.extend_from_slice(b"\nisready\n");
        let mut input = io::BufReader::new(&bytes[..]);
        assert_eq!(read_line(&mut input).unwrap().map(|l| l.len()), Some(LONGEST_LINE));
        assert_eq!(read_line(&mut input).unwrap().as_deref(), Some("isready"));
    }
}
