//! Where games begin: a book, random moves, positions of shards, or the start.

use crate::openings::Book;
use crate::shards::{Reader, Replay, find_shards};
use engine::chess::{Line, PackedMove, parse_fen};
use engine::search::Random;
use engine::selfplay::protocol::GameReport;
use serde::{Deserialize, Serialize};
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, Position};
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error;

/// Positions that are kept in memory of shards to begin from.
const MOST_POSITIONS: usize = 200_000;

/// Half-moves without a capture or a pawn's move after which a game is a draw.
const FIFTY_MOVES: u32 = 100;

/// Attempts to find a random opening that is not over.
const ATTEMPTS: usize = 20;

/// `start`, `book`, `book:FILE`, `random:PLIES` or `shards:PATH`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum OpeningSettings {
    #[default]
    Start,
    /// The built-in book, or a file.
    Book(Option<PathBuf>),
    /// Up to so many random moves.
    Random(u32),
    /// Any position of these shards.
    Shards(PathBuf),
}

#[derive(Debug, Error)]
pub enum OpeningsError {
    #[error("{0:?} is no choice of openings: start, book, book:FILE, random:PLIES or shards:PATH")]
    Choice(String),
    #[error(transparent)]
    Book(#[from] crate::openings::BookError),
    #[error(transparent)]
    Shards(#[from] crate::shards::ShardError),
    #[error(transparent)]
    Find(#[from] crate::shards::FindError),
    #[error("{}: no position in it to begin from", .0.display())]
    NoPositions(PathBuf),
}

impl FromStr for OpeningSettings {
    type Err = OpeningsError;

    fn from_str(text: &str) -> Result<OpeningSettings, OpeningsError> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(n, r)| (n, Some(r)));
        match (name, rest) {
            ("start", None) => Ok(OpeningSettings::Start),
            ("book", file) => Ok(OpeningSettings::Book(file.map(PathBuf::from))),
            ("random", Some(plies)) => {
                let plies = plies.parse().map_err(|_| OpeningsError::Choice(text.to_string()))?;
                Ok(OpeningSettings::Random(plies))
            }
            ("shards", Some(path)) => Ok(OpeningSettings::Shards(path.into())),
            _ => Err(OpeningsError::Choice(text.to_string())),
        }
    }
}

impl TryFrom<String> for OpeningSettings {
    type Error = OpeningsError;

    fn try_from(text: String) -> Result<OpeningSettings, OpeningsError> {
        text.parse()
    }
}

impl From<OpeningSettings> for String {
    fn from(settings: OpeningSettings) -> String {
        match settings {
            OpeningSettings::Start => "start".to_string(),
            OpeningSettings::Book(None) => "book".to_string(),
            OpeningSettings::Book(Some(path)) => format!("book:{}", path.display()),
            OpeningSettings::Random(plies) => format!("random:{plies}"),
            OpeningSettings::Shards(path) => format!("shards:{}", path.display()),
        }
    }
}

/// How a game begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beginning {
    /// The usual start if left out.
    pub fen: Option<String>,
    pub chess960: bool,
    pub moves: Vec<u16>,
}

impl Beginning {
    /// How a game began that is over: all that was played before the first search.
    pub fn of(report: &GameReport) -> Beginning {
        let unsearched = report.plies.iter().take_while(|ply| ply.search.is_none());
        Beginning {
            fen: Some(report.start_fen.clone()),
            chess960: report.chess960,
            moves: unsearched.map(|ply| ply.played).collect(),
        }
    }

    /// The position before the moves.
    pub fn start(&self) -> Chess {
        let read = |fen: &String| parse_fen(fen, self.chess960).ok();
        self.fen.as_ref().and_then(read).unwrap_or_default()
    }

    pub fn start_fen(&self) -> String {
        Fen::from_position(&self.start(), EnPassantMode::Legal).to_string()
    }
}

pub enum Openings {
    Start,
    Book(Vec<Beginning>),
    Random(u32),
    Positions(Vec<Beginning>),
}

impl Openings {
    pub fn open(settings: &OpeningSettings) -> Result<Openings, OpeningsError> {
        Ok(match settings {
            OpeningSettings::Start => Openings::Start,
            OpeningSettings::Random(plies) => Openings::Random(*plies),
            OpeningSettings::Book(file) => {
                let path = file.clone().unwrap_or_else(|| PathBuf::from("book"));
                let book = Book::open(&path, None)?;
                Openings::Book(book.openings.iter().map(of_opening).collect())
            }
            OpeningSettings::Shards(path) => {
                let positions = positions(path)?;
                if positions.is_empty() {
                    return Err(OpeningsError::NoPositions(path.clone()));
                }
                Openings::Positions(positions)
            }
        })
    }

    /// The beginning of the game with this seed.
    pub fn pick(&self, seed: u64) -> Beginning {
        let mut random = Random::new(seed ^ 0x6f70_656e_696e_6773);
        match self {
            Openings::Start => Beginning::default(),
            Openings::Random(plies) => random_moves(*plies, &mut random),
            Openings::Book(list) | Openings::Positions(list) => {
                list.get(random.below(list.len())).cloned().unwrap_or_default()
            }
        }
    }

    /// Whether the moves before the first search were drawn by lot.
    pub fn is_random(&self) -> bool {
        matches!(self, Openings::Random(_))
    }
}

fn fen_of(position: &Chess) -> Option<String> {
    (*position != Chess::default())
        .then(|| Fen::from_position(position, EnPassantMode::Legal).to_string())
}

fn of_opening(opening: &crate::openings::Opening) -> Beginning {
    Beginning {
        fen: fen_of(&opening.start),
        chess960: opening.start.castles().mode().is_chess960(),
        moves: opening.moves.iter().map(|m| PackedMove::new(*m).0).collect(),
    }
}

fn random_moves(plies: u32, random: &mut Random) -> Beginning {
    for _ in 0..ATTEMPTS {
        let mut line = Line::new(Chess::default());
        let mut moves = Vec::new();
        for _ in 0..random.below(plies as usize + 1) {
            let legal = line.legal_moves();
            let Some(m) = legal.get(random.below(legal.len())) else { break };
            moves.push(PackedMove::new(*m).0);
            line.push(*m);
        }
        if !line.last().position.is_game_over() {
            return Beginning { moves, ..Beginning::default() };
        }
    }
    Beginning::default()
}

/// Positions of shards, thinned out evenly where there are too many.
fn positions(path: &PathBuf) -> Result<Vec<Beginning>, OpeningsError> {
    let mut found: Vec<Beginning> = Vec::new();
    let (mut every, mut seen) = (1, 0_usize);
    for shard in find_shards(std::slice::from_ref(path))? {
        for record in Reader::open(&shard)?.records()? {
            let record = record?;
            let Ok(mut replay) = Replay::new(&record) else { continue };
            while let Ok(Some(step)) = replay.advance() {
                seen += 1;
                let position = &step.line.last().position;
                let is_over = position.is_game_over() || position.halfmoves() >= FIFTY_MOVES;
                if seen % every != 0 || is_over {
                    continue;
                }
                let fen = fen_of(position);
                found.push(Beginning { fen, chess960: record.chess960, moves: Vec::new() });
                if found.len() == MOST_POSITIONS {
                    let mut keep = false;
                    found.retain(|_| {
                        keep = !keep;
                        keep
                    });
                    every *= 2;
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_and_written() {
        for text in ["start", "book", "book:a b.epd", "random:8", "shards:x/y"] {
            let settings: OpeningSettings = text.parse().unwrap();
            assert_eq!(String::from(settings), text);
        }
        for text in ["", "random", "random:x", "shards", "Book", "start:1"] {
            assert!(text.parse::<OpeningSettings>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_seed_picks_the_same_beginning_and_seeds_differ() {
        let book = Openings::open(&OpeningSettings::Book(None)).unwrap();
        assert_eq!(book.pick(3), book.pick(3));
        let different: std::collections::BTreeSet<Vec<u16>> =
            (0..100).map(|seed| book.pick(seed).moves).collect();
        assert!(different.len() > 90);
        let random = Openings::Random(6);
        assert!((0..200).all(|seed| random.pick(seed).moves.len() <= 6));
        assert!((0..200).any(|seed| random.pick(seed).moves.len() == 6));
        assert_eq!(Openings::Start.pick(1), Beginning::default());
    }
}
