//! What is played, and how.

use super::{Adjudication, ArenaError, Format};
use crate::openings::Book;
use crate::players::{PlayerSpec, TimeControl};
use crate::statistics::Sprt;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that has a say in the results, and how many of them to get.
#[derive(Debug)]
pub struct MatchSettings {
    pub players: Vec<PlayerSpec>,
    pub format: Format,
    /// Pairs of games that each pairing plays.
    pub pairs: u64,
    pub time: TimeControl,
    /// Overstepping of the time that is forgiven.
    pub margin: Duration,
    pub openings: OpeningSettings,
    pub seed: u64,
    pub sprt: Option<Sprt>,
    pub adjudication: Adjudication,
}

#[derive(Debug)]
pub struct OpeningSettings {
    pub book: Book,
    pub shuffle: bool,
}

/// What has no say in the results.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// The folder of the match.
    pub out: PathBuf,
    /// Games at the same time; `None` for as many as there are processors for.
    pub concurrency: Option<usize>,
    /// How long a player may be silent beyond its time.
    pub patience: Duration,
    /// The command line, for the record.
    pub command: Vec<String>,
    pub progress: bool,
}

impl MatchSettings {
    /// Names everything that makes no sense.
    pub fn check(&self) -> Result<(), ArenaError> {
        let refuse = |cause: String| Err(ArenaError::Settings(cause));
        let count = self.players.len();
        if count < 2 {
            return refuse(format!("{count} player: a match needs at least two"));
        }
        if self.format == Format::Match && count != 2 {
            return refuse(format!(
                "{count} players in a match of two; choose --format gauntlet or round-robin"
            ));
        }
        let mut names = HashSet::new();
        if let Some(twice) = self.players.iter().find(|player| !names.insert(player.name.as_str()))
        {
            return refuse(format!(
                "two players are called `{}`; tell them apart with ?name=...",
                twice.name
            ));
        }
        if self.pairs == 0 {
            return refuse("no games to play".to_string());
        }
        match self.sprt {
            Some(_) if count != 2 => refuse("a sequential test is for two players".to_string()),
            Some(sprt) => sprt.problem().map_or(Ok(()), refuse),
            None => Ok(()),
        }
    }

    /// What must be the same for a match to go on. The number of pairs is not in
    /// it: a match may be made longer.
    pub fn identity(&self) -> Value {
        json!({
            "players": self.players,
            "format": self.format,
            "time": self.time,
            "margin_ms": self.margin.as_millis() as u64,
            "openings": {
                "book": self.openings.book.name,
                "sha256": self.openings.book.sha256,
                "count": self.openings.book.openings.len(),
                "shuffle": self.openings.shuffle,
            },
            "seed": self.seed,
            "sprt": self.sprt,
            "adjudication": self.adjudication,
        })
    }

    pub fn index(&self, name: &str) -> Option<usize> {
        self.players.iter().position(|player| player.name == name)
    }
}
