//! Engine scores in PGN comments.
//!
//! Read are `[%eval 0.35]`, `[%eval 0.35,20]` (with depth) and `[%eval #-3]`, and
//! TCEC's `wv=0.35`, `wv=-M12`: all of them White's view, in pawns or moves to
//! mate, and all of them about the position after the move they follow.

use crate::shards::Score;
use shakmaty::Color;

/// Scores beyond this mean nothing more; in centipawns.
const LARGEST: f64 = 100_000.0;

/// The comment's score in White's view; the last one when there are several.
pub fn white_score(comment: &[u8]) -> Option<Score> {
    // The bytes that start a score, looked for first: most comments have none.
    let text = std::str::from_utf8(comment).ok()?;
    let command = text.rfind("[%eval ").map(|at| &text[at + 7..]);
    let command = command.or_else(|| text.rfind("wv=").map(|at| &text[at + 3..]))?;
    let value = command.trim_start();
    let end = value.find([',', ']', ' ', '\t', '\r', '\n', ';', '}']).unwrap_or(value.len());
    parse(&value[..end])
}

/// The same score as the side to move sees it.
pub fn seen_by(mover: Color, white: Score) -> Score {
    match (mover, white) {
        (Color::White, score) => score,
        (Color::Black, Score::Centipawns(centipawns)) => Score::Centipawns(-centipawns),
        (Color::Black, Score::Mate(moves)) => Score::Mate(-moves),
    }
}

fn parse(value: &str) -> Option<Score> {
    let (sign, size) = match value.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, value.strip_prefix('+').unwrap_or(value)),
    };
    if let Some(moves) = size.strip_prefix(['#', 'M', 'm']) {
        let moves: i32 = moves.parse().ok()?;
        // Mate in 0 does not say whose.
        return (moves != 0).then_some(Score::Mate(sign * moves));
    }
    let pawns: f64 = size.parse().ok().filter(|pawns: &f64| pawns.is_finite())?;
    let centipawns = (pawns * 100.0).round().clamp(-LARGEST, LARGEST);
    Some(Score::Centipawns(sign * centipawns as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read() {
        for (comment, score) in [
            ("[%eval 0.35]", Some(Score::Centipawns(35))),
            ("[%eval -1.07] [%clk 0:03:00]", Some(Score::Centipawns(-107))),
            ("good! [%clk 0:03:00][%eval 0.35,20]", Some(Score::Centipawns(35))),
            ("[%eval #3]", Some(Score::Mate(3))),
            ("[%eval #-3]", Some(Score::Mate(-3))),
            ("[%eval 250000]", Some(Score::Centipawns(100_000))),
            ("d=31, pd=Nf3, wv=0.29, R50=50", Some(Score::Centipawns(29))),
            ("d=31, wv=-M12, R50=50", Some(Score::Mate(-12))),
            ("[%eval #0]", None),
            ("[%eval ]", None),
            ("[%eval nan]", None),
            ("[%eval x]", None),
            ("an even position", None),
        ] {
            assert_eq!(white_score(comment.as_bytes()), score, "{comment}");
        }
    }

    #[test]
    fn black_sees_the_opposite() {
        assert_eq!(seen_by(Color::Black, Score::Mate(3)), Score::Mate(-3));
        assert_eq!(seen_by(Color::Black, Score::Centipawns(-5)), Score::Centipawns(5));
        assert_eq!(seen_by(Color::White, Score::Centipawns(-5)), Score::Centipawns(-5));
    }
}
