//! The samples of one row group: records in, positions with their legal moves
//! and targets out, ready to be encoded.

use super::filter::{Filter, LeftOut, RecordKey};
use super::targets::TargetSettings;
use crate::shards::{Outcome, PolicyTarget, Record, Replay, Step};
use engine::chess::{PackedMove, Ply};
use engine::encode::Encoder;
use shakmaty::{MoveList, Position};

/// What to make of records.
pub struct Recipe {
    pub filter: Filter,
    pub targets: TargetSettings,
    pub encoder: Encoder,
}

/// Samples share the positions of their records: each sees a stretch of them.
#[derive(Default)]
pub struct Part {
    pub samples: Vec<Sample>,
    positions: Vec<Ply>,
    moves: Vec<u16>,
    policy: Vec<f32>,
    pub left_out: LeftOut,
}

pub struct Sample {
    positions: (u32, u32),
    moves: (u32, u32),
    /// For the mover.
    pub wdl: Option<[f32; 3]>,
    /// Plies to the end of the game; -1 when unknown.
    pub moves_left: f32,
    pub weight: f32,
}

impl Part {
    /// Adds what the filter takes of a record; the complaint names the ply.
    pub fn add(&mut self, record: &Record, key: RecordKey, recipe: &Recipe) -> Result<(), String> {
        let picked = recipe.filter.pick(record, key, &mut self.left_out);
        let Some(last) = picked.last().copied() else { return Ok(()) };
        let mut picked = picked.into_iter().peekable();
        // For all encoders alike: of the time that `basic18` batches take, what
        // it does not need of a line, keys and repetitions, is about 2 %.
        let mut replay = Replay::new(record).map_err(|error| error.to_string())?;
        // Positions of the line that are copied already, or not wanted.
        let mut done = 0;
        while let Some(step) = replay.advance().map_err(|error| error.to_string())? {
            if picked.next_if_eq(&step.index).is_some() {
                let added = self
                    .add_sample(&step, record, recipe, done)
                    .map_err(|reason| format!("ply {}: {reason}", step.index))?;
                if added {
                    done = step.line.len();
                }
            }
            if step.index == last {
                break;
            }
        }
        Ok(())
    }

    /// The positions an encoder looks at, the sample's own last.
    pub fn positions(&self, sample: &Sample) -> &[Ply] {
        &self.positions[sample.positions.0 as usize..sample.positions.1 as usize]
    }

    /// Policy indices of the legal moves.
    pub fn moves(&self, sample: &Sample) -> &[u16] {
        &self.moves[sample.moves.0 as usize..sample.moves.1 as usize]
    }

    /// The target for each legal move.
    pub fn policy(&self, sample: &Sample) -> &[f32] {
        &self.policy[sample.moves.0 as usize..sample.moves.1 as usize]
    }

    /// Whether there was something to learn from the position.
    fn add_sample(
        &mut self,
        step: &Step,
        record: &Record,
        recipe: &Recipe,
        done: usize,
    ) -> Result<bool, String> {
        let position = &step.line.last().position;
        let legal = position.legal_moves();
        if legal.is_empty() {
            self.left_out.no_moves += 1;
            return Ok(false);
        }
        let targets = &recipe.targets;
        let wdl = targets.wdl(step.ply, record.result, position.turn());
        if step.ply.played.is_none() && step.ply.policy.is_empty() && wdl.is_none() {
            self.left_out.no_target += 1;
            return Ok(false);
        }
        let weight = targets.weight(step.ply, record.result);
        if wdl.is_some_and(|wdl| wdl.iter().any(|part| !(0.0..=1.0).contains(part))) {
            return Err(format!("wdl {:?} and q {:?} are no value", step.ply.wdl, step.ply.q));
        }
        if !weight.is_finite() {
            return Err(format!("weight {} is not a number", step.ply.weight));
        }
        let first_move = self.moves.len();
        let policy = recipe.encoder.policy();
        let index = |m| policy.index(m, position) as u16;
        self.moves.extend(legal.iter().map(|m| index(*m)));
        self.policy.resize(self.moves.len(), 0.0);
        let weights = &mut self.policy[first_move..];
        lay_out(&step.ply.policy, step.ply.played, &legal, weights)?;
        targets.policy(weights);
        let positions = self.add_positions(step.line.plies(), recipe.encoder.history(), done);
        self.samples.push(Sample {
            positions,
            moves: (first_move as u32, self.moves.len() as u32),
            wdl,
            moves_left: moves_left(record, step.index),
            weight,
        });
        Ok(true)
    }

    /// Copies the end of a line as far as an encoder sees; what is here from
    /// the sample before, up to `done`, is shared.
    fn add_positions(&mut self, line: &[Ply], history: usize, done: usize) -> (u32, u32) {
        let first = line.len().saturating_sub(history);
        self.positions.extend_from_slice(&line[first.max(done)..]);
        let end = self.positions.len();
        ((end - (line.len() - first)) as u32, end as u32)
    }
}

/// Raw weights for the legal moves: the policy's, else all on the played move.
fn lay_out(
    policy: &[PolicyTarget],
    played: Option<PackedMove>,
    legal: &MoveList,
    weights: &mut [f32],
) -> Result<(), String> {
    let place = |m: PackedMove| legal.iter().position(|known| PackedMove::new(*known) == m);
    for target in policy {
        let (from, to) = (target.m.from(), target.m.to());
        let at = place(target.m).ok_or(format!("policy move {from}{to} is not legal"))?;
        if !(target.weight >= 0.0 && target.weight.is_finite()) {
            return Err(format!("policy weight {} of {from}{to} is no weight", target.weight));
        }
        weights[at] += target.weight;
    }
    if policy.is_empty()
        && let Some(at) = played.and_then(place)
    {
        weights[at] = 1.0;
    }
    Ok(())
}

/// Known for games, which have a result and more than one position; a labeled
/// position does not tell how far its game's end was.
fn moves_left(record: &Record, index: usize) -> f32 {
    if record.result == Outcome::Unknown || record.plies.len() < 2 {
        return -1.0;
    }
    let unplayed = record.plies.last().is_some_and(|ply| ply.played.is_none());
    (record.plies.len() - usize::from(unplayed) - index) as f32
}
