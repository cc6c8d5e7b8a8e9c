//! The tags of one game: those the record has fields for, and the rest.

use super::filter::Variant;
use crate::shards::{Outcome, Record};
use engine::chess::{FenError, parse_fen};
use pgn_reader::RawTag;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, Position};

/// What the tags of a game say.
#[derive(Debug, Default)]
pub struct Headers {
    /// Whether there was any tag at all.
    pub any: bool,
    pub white: Option<String>,
    pub black: Option<String>,
    pub white_elo: Option<u16>,
    pub black_elo: Option<u16>,
    pub result: Option<Outcome>,
    pub termination: String,
    eco: Option<String>,
    opening: Option<String>,
    variation: Option<String>,
    fen: Option<String>,
    variant: String,
    /// Everything else, in its order.
    other: Vec<(String, String)>,
}

impl Headers {
    pub fn add(&mut self, name: &[u8], value: RawTag<'_>) {
        // Other things than tags stand in brackets, JSON for one.
        if !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            return;
        }
        self.any = true;
        let value = text(&value.decode());
        match name {
            b"White" => self.white = known(value),
            b"Black" => self.black = known(value),
            b"WhiteElo" => self.white_elo = value.trim().parse().ok(),
            b"BlackElo" => self.black_elo = value.trim().parse().ok(),
            b"Result" => self.result = Outcome::parse(value.trim()),
            b"Termination" => self.termination = value,
            b"ECO" => self.eco = known(value),
            b"Opening" => self.opening = known(value),
            b"Variation" => self.variation = known(value),
            b"FEN" => self.fen = known(value),
            b"Variant" => self.variant = value,
            // Says that there is a FEN, which one sees.
            b"SetUp" => {}
            _ => self.other.extend(known(value).map(|value| (text(name), value))),
        }
    }

    /// The rules the tags name; `None` for those of another game.
    pub fn variant(&self) -> Option<Variant> {
        Variant::parse(&self.variant)
    }

    /// Where the game starts. A FEN that only Chess960 can have makes it that.
    pub fn start(&self) -> Result<Chess, FenError> {
        match &self.fen {
            Some(fen) => parse_fen(fen, self.variant() == Some(Variant::Chess960)),
            None => Ok(Chess::default()),
        }
    }

    /// The record of a game from `start`, with no moves yet.
    pub fn into_record(self, start: &Chess) -> Record {
        let names: Vec<String> = [self.opening, self.variation].into_iter().flatten().collect();
        let names = (!names.is_empty()).then(|| names.join(", "));
        let opening: Vec<String> = [self.eco, names].into_iter().flatten().collect();
        Record {
            start_fen: Fen::from_position(start, EnPassantMode::Legal).to_string(),
            chess960: start.castles().mode().is_chess960(),
            termination: self.termination,
            white: self.white,
            black: self.black,
            white_elo: self.white_elo,
            black_elo: self.black_elo,
            opening: (!opening.is_empty()).then(|| opening.join(" ")),
            tags: self.other,
            ..Record::default()
        }
    }
}

/// UTF-8, or else Latin-1, which PGN once prescribed.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// Leaves out what PGN writes for the unknown.
fn known(value: String) -> Option<String> {
    let unknown = value.trim().is_empty() || value.chars().all(|c| matches!(c, '?' | '.' | '-'));
    (!unknown).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(tags: &[(&str, &[u8])]) -> Headers {
        let mut headers = Headers::default();
        for (name, value) in tags {
            headers.add(name.as_bytes(), RawTag(value));
        }
        headers
    }

    #[test]
    fn tags_find_their_fields() {
        let record = headers(&[
            ("Event", b"Club \\\"Rook\\\""),
            ("Date", b"????.??.??"),
            ("Round", b"-"),
            ("White", b"M\xfcller"),
            ("Black", "Łukasz".as_bytes()),
            ("WhiteElo", b"2100"),
            ("BlackElo", b"?"),
            ("ECO", b"B90"),
            ("Opening", b"Sicilian"),
            ("Variation", b"Najdorf"),
        ])
        .into_record(&Chess::default());
        assert_eq!(record.white.as_deref(), Some("Müller"));
        assert_eq!(record.black.as_deref(), Some("Łukasz"));
        assert_eq!((record.white_elo, record.black_elo), (Some(2100), None));
        assert_eq!(record.opening.as_deref(), Some("B90 Sicilian, Najdorf"));
        assert_eq!(record.tags, [("Event".to_string(), "Club \"Rook\"".to_string())]);
    }

    #[test]
    fn a_fen_may_make_it_chess960() {
        let fen = b"bqrnnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQRNNKRB w GCgc - 0 1";
        let start = headers(&[("FEN", fen)]).start().unwrap();
        let record = Headers::default().into_record(&start);
        assert!(record.chess960);
        let again = parse_fen(&record.start_fen, record.chess960).unwrap();
        assert_eq!(again, start);
        assert!(headers(&[("FEN", b"nonsense")]).start().is_err());
    }
}
