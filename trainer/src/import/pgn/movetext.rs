//! Words among the moves that are nothing PGN knows.
//!
//! The parser passes over what it cannot read. In a damaged file that would
//! drop a move and keep the game, so the words are looked at once more.

use shakmaty::san::SanPlus;
use std::ops::Range;

/// The first word of the main line that looks like a move or like a sentence
/// and is neither a move nor anything else that may stand there.
pub fn unreadable_word(movetext: &[u8]) -> Option<Range<usize>> {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&byte) = movetext.get(at) {
        let line_start = at == 0 || movetext[at - 1] == b'\n';
        match byte {
            b'{' => at = find(movetext, at, b'}') + 1,
            b';' => at = find(movetext, at, b'\n'),
            b'%' if line_start => at = find(movetext, at, b'\n'),
            b'(' => {
                depth += 1;
                at += 1;
            }
            b')' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ if ends_word(byte) => at += 1,
            _ => {
                let rest = &movetext[at..];
                let length = rest.iter().position(|&b| ends_word(b)).unwrap_or(rest.len());
                if depth == 0 && !is_readable(&rest[..length]) {
                    return Some(at..at + length);
                }
                at += length;
            }
        }
    }
    None
}

fn find(text: &[u8], from: usize, byte: u8) -> usize {
    text[from..].iter().position(|&b| b == byte).map_or(text.len(), |length| from + length)
}

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"{}();!?*".contains(&byte)
}

fn is_readable(word: &[u8]) -> bool {
    if word.starts_with(b"$") {
        return true;
    }
    let dots = word.iter().position(|&b| b != b'.' && !b.is_ascii_digit());
    let Some(dots) = dots else { return true };
    // `1.e4` is a number and a move; `1-0` and `0-0` are not.
    let bare = if word[..dots].ends_with(b".") { &word[dots..] } else { word };
    // Signs such as `+-` or `=` and capitals such as N for novelty annotate.
    if bare.len() < 2 || !bare.iter().any(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
        return true;
    }
    if [&b"1-0"[..], b"0-1", b"1/2-1/2", b"e.p.", b"ep"].contains(&bare) {
        return true;
    }
    let castling = bare.to_ascii_uppercase();
    let castling = castling.strip_suffix(b"+").or(castling.strip_suffix(b"#")).unwrap_or(&castling);
    let castling = [&b"0-0"[..], b"0-0-0", b"O-O", b"O-O-O"].contains(&castling);
    castling || !bare.is_ascii() || SanPlus::from_ascii(bare).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_pgn_is_readable() {
        let movetext =
            b"1. e4 e5 2.Nf3!? Nc6 $1 {what {ever} 3. Bb5 (3. what? (4. x9)) 3... a6 +-\n\
            4.O-O ; rest of line zz9\n% escaped xx0\n4... 0-0-0+ 5. exd6 e.p. N 5...g1=Q# 1-0 \xbd";
        assert_eq!(unreadable_word(movetext), None);
    }

    #[test]
    fn a_garbled_move_is_found() {
        for (movetext, word) in [
            ("1. e4 e5 2. Nf9 Nc6 *", "Nf9"),
            ("1. e4 e5 2. Sf3 Nc6 *", "Sf3"),
            ("once upon a time", "once"),
        ] {
            let range = unreadable_word(movetext.as_bytes()).unwrap();
            assert_eq!(&movetext[range], word);
        }
    }
}
