//! A classical player: negamax with alpha-beta pruning to a fixed depth. In: a
//! game. Out: one of its best moves, and their score.

use super::chance::{Chance, pick};
use super::game_over;
use super::ordering::order;
use super::quiescence::{MATE, Window, quiescence};
use super::rules::{Ending, ending, is_repetition};
use crate::players::{Fault, GameLine, Player, Thought};
use crate::shards::Score;
use crate::uci::Limit;
use engine::chess::Line;
use serde::Serialize;
use shakmaty::Move;
use std::ops::RangeInclusive;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlphaBetaSettings {
    /// Plies before captures are played out.
    pub depth: u32,
}

impl Default for AlphaBetaSettings {
    fn default() -> Self {
        AlphaBetaSettings { depth: 3 }
    }
}

/// Each ply takes about four times as long as the one before; eight take tens of
/// seconds a move.
pub const DEPTHS: RangeInclusive<u32> = 1..=8;

pub struct AlphaBeta {
    settings: AlphaBetaSettings,
    chance: Chance,
}

impl AlphaBeta {
    pub fn new(settings: AlphaBetaSettings) -> AlphaBeta {
        AlphaBeta { settings, chance: Chance::default() }
    }
}

impl Player for AlphaBeta {
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.chance = Chance(seed);
        Ok(())
    }

    /// A limit of depth takes the place of the setting, within [`DEPTHS`].
    fn think(&mut self, game: &GameLine, limit: Limit) -> Result<Thought, Fault> {
        let depth = if let Limit::Depth(depth) = limit { depth } else { self.settings.depth };
        let depth = depth.clamp(*DEPTHS.start(), *DEPTHS.end());
        let mut search = Search::new(game.line());
        let (moves, score) = search.best_moves(depth);
        let best = pick(&mut self.chance.for_move(game), &moves).ok_or_else(game_over)?;
        let score = Some(report(score));
        Ok(Thought { best, score, depth: Some(depth), nodes: Some(search.nodes) })
    }
}

/// One search: the game so far with the moves under consideration on top.
struct Search {
    line: Line,
    root_len: usize,
    /// Moves made, those of captures included.
    nodes: u64,
}

impl Search {
    fn new(line: &Line) -> Search {
        Search { line: line.clone(), root_len: line.len(), nodes: 0 }
    }

    /// All moves with the best score, and that score.
    fn best_moves(&mut self, depth: u32) -> (Vec<Move>, i32) {
        let mut moves = self.line.legal_moves();
        order(&mut moves, self.line.last().turn());
        let mut best = Vec::new();
        let mut highest = Window::FULL.alpha;
        for &m in &moves {
            // One below the best so far: a move as good must be told from one
            // that is merely no better, which pruning does not at the bound.
            let window = Window { alpha: highest - 1, ..Window::FULL };
            let score = self.score_after(m, depth, window);
            if score > highest {
                highest = score;
                best.clear();
            }
            if score == highest {
                best.push(m);
            }
        }
        (best, highest)
    }

    /// The score of a move, in view of the side that makes it.
    fn score_after(&mut self, m: Move, depth: u32, window: Window) -> i32 {
        let len = self.line.len();
        self.line.push(m);
        self.nodes += 1;
        let score = -self.negamax(depth - 1, window.flipped());
        self.line.truncate(len);
        score
    }

    /// The score of the current position, in view of the side to move: exact
    /// within the window, a bound outside.
    fn negamax(&mut self, depth: u32, mut window: Window) -> i32 {
        let plies = self.line.len() - self.root_len;
        let ply = plies as i32;
        if is_repetition(&self.line, plies) {
            return 0;
        }
        if depth == 0 {
            return quiescence(&self.line.last().position, ply, window, &mut self.nodes);
        }
        let mut moves = self.line.legal_moves();
        match ending(&self.line.last().position, !moves.is_empty()) {
            Some(Ending::Mate) => return ply - MATE,
            Some(Ending::Draw) => return 0,
            None => order(&mut moves, self.line.last().turn()),
        }
        let mut best = ply - MATE;
        for &m in &moves {
            best = best.max(self.score_after(m, depth, window));
            if best >= window.beta {
                break;
            }
            window.alpha = window.alpha.max(best);
        }
        best
    }
}

/// Scores this near to a mate are mates: no evaluation comes close.
const MATE_PLIES: i32 = 1000;

fn report(score: i32) -> Score {
    let plies = MATE - score.abs();
    if plies > MATE_PLIES {
        return Score::Centipawns(score);
    }
    Score::Mate(score.signum() * ((plies + 1) / 2))
}

#[cfg(test)]
mod tests;
