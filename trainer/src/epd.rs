//! EPD: a position and operations on it, one a line. Labels, test suites and
//! opening books come in it.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use engine::chess::{parse_fen, parse_move};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Move};

/// One line. `hmvc` and `fmvn` are the counters of the FEN.
#[derive(Debug)]
pub struct Epd<'a> {
    pub position: Chess,
    /// Opcodes and operands; quotes around a single operand are taken off.
    pub operations: Vec<(&'a str, &'a str)>,
}

impl<'a> Epd<'a> {
    /// The error says what is wrong with the line.
    pub fn parse(line: &'a str) -> Result<Epd<'a>, String> {
        let (fields, operations) = split(line);
        let operations = parse_operations(operations);
        let number = |opcode, default: &'a str| value(&operations, opcode).unwrap_or(default);
        let counters = match fields.get(4..) {
            Some([half, full]) => format!("{half} {full}"),
            _ => format!("{} {}", number("hmvc", "0"), number("fmvn", "1")),
        };
        let fen = format!("{} {counters}", fields[..4.min(fields.len())].join(" "));
        let position = parse_fen(&fen, false).map_err(|error| error.to_string())?;
        Ok(Epd { position, operations })
    }

    pub fn value(&self, opcode: &str) -> Option<&'a str> {
        value(&self.operations, opcode)
    }

    /// The moves of `bm` or `am`, each once; `None` without the operation.
    pub fn moves(&self, opcode: &str) -> Result<Option<Vec<Move>>, String> {
        let Some(text) = self.value(opcode) else { return Ok(None) };
        let mut moves = Vec::new();
        for word in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            let m = read_move(&self.position, word)
                .ok_or_else(|| format!("{opcode} {word}: illegal or ambiguous"))?;
            if !moves.contains(&m) {
                moves.push(m);
            }
        }
        if moves.is_empty() {
            return Err(format!("{opcode} names no move"));
        }
        Ok(Some(moves))
    }
}

fn value<'a>(operations: &[(&'a str, &'a str)], opcode: &str) -> Option<&'a str> {
    operations.iter().find(|(name, _)| *name == opcode).map(|(_, value)| *value)
}

/// A move in SAN, or in UCI notation as some files have it; `None` if it is not
/// legal.
pub fn read_move(position: &Chess, word: &str) -> Option<Move> {
    let bare = word.trim_end_matches(['!', '?']);
    // Castling with zeros is common; SAN has no other use for them.
    let san = SanPlus::from_ascii(bare.replace('0', "O").as_bytes()).ok();
    san.and_then(|san| san.san.to_move(position).ok()).or_else(|| parse_move(position, bare))
}

/// The position's fields, four or with the counters of a FEN six, and the rest.
fn split(line: &str) -> (Vec<&str>, &str) {
    let mut fields = Vec::with_capacity(6);
    let mut rest = line.trim();
    while fields.len() < 6 && !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let counter = rest[..end].bytes().all(|byte| byte.is_ascii_digit());
        if fields.len() >= 4 && !counter {
            break;
        }
        fields.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    (fields, rest)
}

fn parse_operations(text: &str) -> Vec<(&str, &str)> {
    let mut quoted = false;
    let mut operations = Vec::new();
    for operation in text.split(|c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    }) {
        let operation = operation.trim();
        if !operation.is_empty() {
            let (opcode, value) =
                operation.split_once(char::is_whitespace).unwrap_or((operation, ""));
            let value = value.trim();
            let inner = value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
            operations.push((opcode, inner.filter(|inner| !inner.contains('"')).unwrap_or(value)));
        }
    }
    operations
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shakmaty::Position;

    #[test]
    fn counters_come_from_fields_or_operations() {
        let rooks = "4k3/8/8/8/8/8/4P3/R3K2R w KQ -";
        let counters = |line: &str| {
            let position = Epd::parse(line).unwrap().position;
            (position.halfmoves(), position.fullmoves().get())
        };
        assert_eq!(counters(&format!("{rooks} hmvc 7; fmvn 40;")), (7, 40));
        assert_eq!(counters(&format!("{rooks} 3 12 id \"x\";")), (3, 12));
        assert_eq!(counters(rooks), (0, 1));
    }

    #[test]
    fn moves_in_either_notation_are_read_once() {
        let epd =
            Epd::parse("4k3/8/8/8/8/8/4P3/R3K2R w KQ - bm O-O e1g1 0-0 Ra8+! e2e4; am ;").unwrap();
        assert_eq!(epd.moves("bm").unwrap().unwrap().len(), 3);
        assert_eq!(epd.moves("pv").unwrap(), None);
        assert!(epd.moves("am").unwrap_err().contains("am names no move"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(
            text in "(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - )?[ -~]{0,60}"
        ) {
            if let Ok(epd) = Epd::parse(&text) {
                let _ = (epd.moves("bm"), epd.moves("am"));
            }
        }
    }
}
