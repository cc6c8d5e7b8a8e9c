//! Names of openings: a table of lines, found again by position, so that
//! transpositions are named as well.

use super::Opening;
use engine::chess::Line;
use shakmaty::Chess;
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

const TABLE: &str = include_str!("../../../openings/eco.tsv");

/// Moves beyond the longest line of the table have no names of their own.
const LONGEST: usize = 40;

/// A code of the Encyclopedia of Chess Openings and a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    pub code: &'static str,
    pub name: &'static str,
    /// As the table has them, in SAN.
    pub moves: &'static str,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.code, self.name)
    }
}

/// An opening's name without its code and its variations.
pub fn family_of(name: &str) -> &str {
    let is_code =
        |word: &str| word.len() == 3 && word.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    let bare =
        name.split_once(' ').filter(|(code, _)| is_code(code)).map_or(name, |(_, rest)| rest);
    bare.split(':').next().unwrap_or(bare)
}

/// The name of the last position of the line that has one. Only games from the
/// usual start position have names.
pub fn name_of(line: &Line) -> Option<Named> {
    let first = line.plies().first()?;
    if first.key != Line::new(Chess::default()).last().key {
        return None;
    }
    line.plies().iter().take(LONGEST).rev().find_map(|ply| positions().get(&ply.key).copied())
}

/// All lines of the table, in its order.
pub fn lines() -> impl Iterator<Item = Named> {
    TABLE.lines().skip(1).filter_map(|line| {
        let mut columns = line.split('\t');
        Some(Named { code: columns.next()?, name: columns.next()?, moves: columns.next()? })
    })
}

fn positions() -> &'static HashMap<u64, Named> {
    static POSITIONS: OnceLock<HashMap<u64, Named>> = OnceLock::new();
    POSITIONS.get_or_init(|| {
        let key = |named: &Named| Some(Opening::from_san(named.moves)?.line().line().last().key);
        lines().filter_map(|named| Some((key(&named)?, named))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn named(moves: &str) -> Option<Named> {
        name_of(Opening::from_san(moves).unwrap().line().line())
    }

    #[test]
    fn every_line_of_the_table_is_sound() {
        let mut seen = HashSet::new();
        let mut count = 0;
        for named in lines() {
            let opening = Opening::from_san(named.moves);
            let line = opening.unwrap_or_else(|| panic!("illegal: {named:?}")).line();
            let line = line.line();
            assert!(line.len() > 1 && line.len() <= LONGEST, "{named:?}");
            assert!(seen.insert(line.last().key), "the same position twice: {named:?}");
            let code = named.code.as_bytes();
            assert!(code.len() == 3 && (b'A'..=b'E').contains(&code[0]), "{named:?}");
            assert!(code[1..].iter().all(u8::is_ascii_digit), "{named:?}");
            assert!(!named.name.is_empty() && named.name.trim() == named.name, "{named:?}");
            count += 1;
        }
        assert!(count >= 300, "{count}");
        assert_eq!(count, TABLE.lines().count() - 1, "lines without three columns");
    }

    #[test]
    fn the_deepest_name_counts_and_transpositions_are_found() {
        let najdorf = named("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 h3").unwrap();
        assert!(najdorf.name.contains("Najdorf") && najdorf.code == "B90", "{najdorf}");
        let transposed = named("Nf3 d5 d4 Nf6 c4 e6").unwrap();
        assert!(transposed.name.starts_with("Queen's Gambit Declined"), "{transposed}");
        assert!(name_of(&Line::new(Chess::default())).is_none());
    }
}
