//! The players of one thread: started when they are needed, kept between games,
//! replaced when they fail.

use super::ArenaError;
use crate::players::{Fault, Player, PlayerSpec};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Starts in a row before a player is given up, and the pause between: a lack
/// of memory may pass.
const STARTS: usize = 3;
const PAUSE: Duration = Duration::from_millis(500);

pub struct Seats<'a> {
    specs: &'a [PlayerSpec],
    patience: Duration,
    stop: &'a Arc<AtomicBool>,
    seated: Vec<(usize, Box<dyn Player>)>,
}

impl<'a> Seats<'a> {
    pub fn new(
        specs: &'a [PlayerSpec],
        patience: Duration,
        stop: &'a Arc<AtomicBool>,
    ) -> Seats<'a> {
        Seats { specs, patience, stop, seated: Vec::new() }
    }

    /// The two players of a game. Others leave: they would keep their memory.
    pub fn take(&mut self, players: [usize; 2]) -> Result<[Box<dyn Player>; 2], ArenaError> {
        self.seated.retain(|(index, _)| players.contains(index));
        Ok([self.seat(players[0])?, self.seat(players[1])?])
    }

    /// After a game. One who failed is not to come back.
    pub fn put_back(&mut self, index: usize, player: Box<dyn Player>) {
        self.seated.push((index, player));
    }

    fn seat(&mut self, index: usize) -> Result<Box<dyn Player>, ArenaError> {
        if let Some(place) = self.seated.iter().position(|(seated, _)| *seated == index) {
            return Ok(self.seated.swap_remove(place).1);
        }
        let spec = &self.specs[index];
        let mut outcome = spec.start(self.patience, self.stop);
        for _ in 1..STARTS {
            let passing = matches!(outcome, Err(Fault::Crash(_) | Fault::Hang(_)));
            if !passing || self.stop.load(Ordering::Relaxed) {
                break;
            }
            thread::sleep(PAUSE);
            outcome = spec.start(self.patience, self.stop);
        }
        outcome.map_err(|fault| ArenaError::Start {
            player: spec.name.clone(),
            cause: fault.to_string(),
        })
    }
}
