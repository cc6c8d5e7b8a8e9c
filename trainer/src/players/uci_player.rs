//! A UCI engine as a player.

use super::{Fault, GameLine, Player, Thought};
use crate::uci::{Engine, EngineCommand, Limit, UciError};
use engine::chess::parse_move;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub struct UciPlayer {
    engine: Engine,
    /// What `UCI_Chess960` is set to.
    chess960: bool,
}

impl UciPlayer {
    /// Starts the engine and sets its options. `patience` is how long it may be
    /// silent beyond its time; a raised `stop` ends its thinking.
    pub fn start(
        command: &EngineCommand,
        options: &[(String, String)],
        patience: Duration,
        stop: Arc<AtomicBool>,
    ) -> Result<UciPlayer, UciError> {
        let mut engine = Engine::start(command, patience)?;
        engine.stop_at(stop);
        for (name, value) in options {
            if !engine.set_option(name, value)? {
                return Err(UciError::NoOption {
                    engine: engine.name().to_string(),
                    name: name.clone(),
                });
            }
        }
        engine.ready()?;
        Ok(UciPlayer { engine, chess960: false })
    }

    fn search(&mut self, game: &GameLine, limit: Limit) -> Result<Thought, UciError> {
        let chess960 = game.castling().is_chess960();
        if chess960 != self.chess960 {
            if !self.engine.set_option("UCI_Chess960", &chess960.to_string())? {
                let engine = self.engine.name().to_string();
                return Err(UciError::NoOption { engine, name: "UCI_Chess960".to_string() });
            }
            self.chess960 = chess960;
        }
        let answer = self.engine.search(game.start_fen(), game.moves(), limit)?;
        let best = parse_move(game.position(), &answer.best).ok_or_else(|| UciError::Nonsense {
            to: "go".to_string(),
            answer: format!("bestmove {}", answer.best),
        })?;
        let line = answer.lines.first();
        Ok(Thought {
            best,
            score: line.map(|line| line.score),
            depth: line.and_then(|line| line.depth),
            nodes: line.and_then(|line| line.nodes),
        })
    }
}

impl Player for UciPlayer {
    fn new_game(&mut self, _seed: u64) -> Result<(), Fault> {
        Ok(self.engine.new_game()?)
    }

    fn think(&mut self, game: &GameLine, limit: Limit) -> Result<Thought, Fault> {
        Ok(self.search(game, limit)?)
    }
}

impl From<UciError> for Fault {
    fn from(error: UciError) -> Fault {
        match error {
            UciError::Nonsense { answer, .. } => Fault::Illegal(answer),
            UciError::Stopped => Fault::Stopped,
            UciError::NoOption { .. } | UciError::Value { .. } => Fault::Refused(error.to_string()),
            UciError::Silent { .. } => Fault::Hang(error.to_string()),
            error => Fault::Crash(match std::error::Error::source(&error) {
                Some(source) => format!("{error}: {source}"),
                None => error.to_string(),
            }),
        }
    }
}
