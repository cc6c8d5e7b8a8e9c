//! A player for tests that answers from a table.

use crate::players::{Fault, GameLine, Player, Thought};
use crate::uci::Limit;
use engine::chess::{parse_fen, parse_move};
use shakmaty::Chess;
use std::sync::{Arc, Mutex};

/// What each thought is said to have cost.
pub const NODES: u64 = 100;

/// Knows moves in UCI notation for some positions, whatever their counters say.
/// Where it has none, or no legal one, that word is its fault; it must not be
/// asked after that.
pub struct Scripted {
    table: Vec<(Chess, String)>,
    faulted: bool,
    in_game: bool,
    /// The seeds of its games.
    pub seeds: Arc<Mutex<Vec<u64>>>,
}

impl Scripted {
    pub fn new(table: &[(&str, &str)]) -> Scripted {
        let entry = |(fen, m): &(&str, &str)| (parse_fen(fen, false).unwrap(), m.to_string());
        Scripted {
            table: table.iter().map(entry).collect(),
            faulted: false,
            in_game: false,
            seeds: Arc::default(),
        }
    }
}

impl Player for Scripted {
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        assert!(!self.faulted, "asked again after a fault");
        self.in_game = true;
        self.seeds.lock().unwrap().push(seed);
        Ok(())
    }

    fn think(&mut self, game: &GameLine, _: Limit) -> Result<Thought, Fault> {
        assert!(self.in_game && !self.faulted, "asked before its game or after a fault");
        let known = self.table.iter().find(|(position, _)| position == game.position());
        let word = known.map_or("unknown", |(_, word)| word);
        match parse_move(game.position(), word) {
            Some(best) => Ok(Thought { best, score: None, depth: None, nodes: Some(NODES) }),
            None => {
                self.faulted = true;
                Err(Fault::Crash(word.to_string()))
            }
        }
    }
}
