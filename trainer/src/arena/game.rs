//! One game: ask, check, play, until somebody has won.

use super::clock::Clock;
use super::judge::{Judge, won_by};
use super::record::{Ending, GameRecord, MoveRecord, OpeningRecord};
use crate::interrupt;
use crate::openings::Opening;
use crate::players::{Fault, GameLine, Player};
use crate::provenance;
use crate::shards::{Outcome, Score};
use shakmaty::{ByColor, Color, Position};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Who plays, from where.
pub struct Setting<'a> {
    pub game: u64,
    pub names: ByColor<&'a str>,
    pub opening: &'a Opening,
    pub seed: u64,
}

/// A finished game, and the player who is not to be used again.
pub struct Played {
    pub record: GameRecord,
    pub failed: Option<Color>,
}

/// Plays to the end; `None` when `stop` was raised before.
pub fn play(
    setting: &Setting,
    players: &mut ByColor<Box<dyn Player>>,
    clock: Clock,
    judge: Judge,
    stop: &AtomicBool,
) -> Option<Played> {
    let started = (provenance::now(), Instant::now());
    let opening = setting.opening.line();
    let mut table = Table { line: opening.clone(), clock, judge, moves: Vec::new() };
    let end = table.play(setting, players, stop)?;
    let record = GameRecord {
        game: setting.game,
        white: setting.names.white.to_string(),
        black: setting.names.black.to_string(),
        opening: OpeningRecord {
            name: setting.opening.title(),
            fen: opening.start_fen().to_string(),
            chess960: opening.castling().is_chess960(),
            moves: opening.moves().to_vec(),
        },
        moves: table.moves,
        result: end.result,
        ending: end.ending,
        fault: end.fault,
        started: started.0,
        seconds: started.1.elapsed().as_secs_f64(),
    };
    Some(Played { record, failed: end.failed })
}

struct End {
    result: Outcome,
    ending: Ending,
    fault: Option<String>,
    failed: Option<Color>,
}

impl End {
    /// The player of that color failed.
    fn failure(color: Color, fault: &Fault) -> End {
        let ending = match fault {
            Fault::Illegal(_) => Ending::IllegalMove,
            Fault::Hang(_) => Ending::Hang,
            Fault::Crash(_) | Fault::Refused(_) | Fault::Stopped => Ending::Crash,
        };
        let (result, fault) = (won_by(!color), Some(fault.to_string()));
        End { result, ending, fault, failed: Some(color) }
    }
}

/// Whether the match ends here. The signal itself counts: the flag follows it a
/// moment later.
fn stopped(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed) || interrupt::requested()
}

struct Table<'a> {
    line: GameLine,
    clock: Clock,
    judge: Judge<'a>,
    moves: Vec<MoveRecord>,
}

impl Table<'_> {
    fn play(
        &mut self,
        setting: &Setting,
        players: &mut ByColor<Box<dyn Player>>,
        stop: &AtomicBool,
    ) -> Option<End> {
        for color in Color::ALL {
            // Two copies of one player are not to play alike.
            let seed = setting.seed ^ u64::from(color.is_black());
            if let Err(fault) = players[color].new_game(seed) {
                return (!stopped(stop)).then(|| End::failure(color, &fault));
            }
        }
        while !stopped(stop) {
            if let Some((result, ending)) = self.judge.verdict(&self.line) {
                return Some(End { result, ending, fault: None, failed: None });
            }
            let mover = self.line.position().turn();
            if let Some(end) = self.half_move(mover, players[mover].as_mut()) {
                // A signal may have gone to the players as well.
                return (!stopped(stop)).then_some(end);
            }
        }
        None
    }

    /// One move; the end of the game when it cannot be made.
    fn half_move(&mut self, mover: Color, player: &mut dyn Player) -> Option<End> {
        let limit = self.clock.limit(mover);
        let asked = Instant::now();
        let thought = player.think(&self.line, limit);
        let time = asked.elapsed();
        let thought = match thought {
            Ok(thought) => thought,
            Err(fault) => return Some(End::failure(mover, &fault)),
        };
        let left = self.clock.left(mover);
        if !self.clock.spend(mover, time) {
            let late = format!("{:.3} s of {:.3} s", time.as_secs_f64(), left.as_secs_f64());
            let result = won_by(!mover);
            return Some(End { result, ending: Ending::TimeLoss, fault: Some(late), failed: None });
        }
        let (cp, mate) = match thought.score {
            Some(Score::Centipawns(cp)) => (Some(cp), None),
            Some(Score::Mate(moves)) => (None, Some(moves)),
            None => (None, None),
        };
        self.judge.note(mover, thought.score);
        self.moves.push(MoveRecord {
            m: thought.best.to_uci(self.line.castling()).to_string(),
            cp,
            mate,
            depth: thought.depth,
            nodes: thought.nodes,
            us: time.as_micros() as u64,
        });
        self.line.push(thought.best);
        None
    }
}
