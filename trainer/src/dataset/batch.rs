//! A batch: samples in, the flat arrays that a network trains on out.

use super::stream::Pick;
use engine::encode::Encoder;

/// Widths are multiples of this, so that few shapes of batches occur.
const WIDTH_STEP: usize = 8;

/// All arrays hold one stretch per position, in the same order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    pub size: usize,
    /// `encoder.planes() * 64` numbers for each position.
    pub planes: Vec<f32>,
    /// Room for legal moves of each position: as many as the position with the
    /// most has, rounded up.
    pub width: usize,
    /// `width` indices of the encoder's policy; those of legal moves, then 0.
    pub moves: Vec<i32>,
    /// `width` flags: 1 for a legal move, then 0.
    pub legal: Vec<f32>,
    /// `width` target shares for these moves, in sum 1, or 0 without a target.
    pub policy: Vec<f32>,
    /// Three shares: win, draw and loss for the mover; 0 when unknown.
    pub wdl: Vec<f32>,
    /// 1 where a value is known, else 0.
    pub value_weight: Vec<f32>,
    /// Plies to the end of the game; -1 when unknown.
    pub moves_left: Vec<f32>,
    pub weight: Vec<f32>,
}

impl Batch {
    /// Overwrites the batch; its memory is used again.
    pub fn fill(&mut self, picks: &[Pick], encoder: Encoder) {
        let samples = || picks.iter().map(|(block, at)| block.sample(*at));
        let widest = samples().map(|(part, sample)| part.moves(sample).len()).max().unwrap_or(0);
        self.size = picks.len();
        self.width = widest.next_multiple_of(WIDTH_STEP);
        self.clear();
        let planes = encoder.planes() * 64;
        self.planes.resize(self.size * planes, 0.0);
        for ((part, sample), planes) in samples().zip(self.planes.chunks_exact_mut(planes)) {
            encoder.encode(part.positions(sample), planes);
            let moves = part.moves(sample);
            self.moves.extend(moves.iter().map(|index| i32::from(*index)));
            self.legal.extend(moves.iter().map(|_| 1.0));
            self.policy.extend_from_slice(part.policy(sample));
            let end = self.moves.len() + self.width - moves.len();
            self.moves.resize(end, 0);
            self.legal.resize(end, 0.0);
            self.policy.resize(end, 0.0);
            self.wdl.extend(sample.wdl.unwrap_or_default());
            self.value_weight.push(if sample.wdl.is_some() { 1.0 } else { 0.0 });
            self.moves_left.push(sample.moves_left);
            self.weight.push(sample.weight);
        }
    }

    /// Empties all arrays but the planes, which every encoder overwrites.
    fn clear(&mut self) {
        self.moves.clear();
        for array in [
            &mut self.legal,
            &mut self.policy,
            &mut self.wdl,
            &mut self.value_weight,
            &mut self.moves_left,
            &mut self.weight,
        ] {
            array.clear();
        }
    }
}
