//! What the network should answer: a record's labels in, target numbers out.

use super::error::DatasetError;
use crate::shards::{Outcome, Ply, Score};
use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// How labels become targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TargetSettings {
    /// Share of the policy that is spread evenly over the legal moves.
    pub policy_smoothing: f32,
    /// Above 1 flattens a soft policy, below 1 sharpens it.
    pub policy_temperature: f32,
    /// Part of what search or teacher thought in the value; the rest is the
    /// game's result. Where one of the two is unknown, the other is all.
    pub q_ratio: f32,
    /// Part of the score in centipawns in what search or teacher thought. Win,
    /// draw and loss take all that is far ahead for equally won; the score
    /// still tells such positions apart, so that won games are brought home.
    pub score_ratio: f32,
    /// The score, in centipawns, that is taken for a win by 46 %.
    pub score_scale: f32,
    /// Share of the value that is spread evenly over win, draw and loss.
    pub soften: f32,
    /// Sample weight of positions from games that somebody won.
    pub decisive_weight: f32,
    /// Whether the weights of the records count; otherwise all are 1. A
    /// position of weight 0 is left out either way.
    pub use_sample_weights: bool,
}

impl Default for TargetSettings {
    fn default() -> TargetSettings {
        TargetSettings {
            policy_smoothing: 0.0,
            policy_temperature: 1.0,
            q_ratio: 0.5,
            score_ratio: 0.0,
            score_scale: 600.0,
            soften: 0.0,
            decisive_weight: 1.0,
            use_sample_weights: true,
        }
    }
}

impl TargetSettings {
    pub fn check(&self) -> Result<(), DatasetError> {
        let shares = [
            ("targets.policy_smoothing", self.policy_smoothing),
            ("targets.q_ratio", self.q_ratio),
            ("targets.score_ratio", self.score_ratio),
            ("targets.soften", self.soften),
        ];
        for (name, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return Err(DatasetError::Setting { name, why: "is a share: 0 to 1".into() });
            }
        }
        let positive = [
            ("targets.policy_temperature", self.policy_temperature),
            ("targets.decisive_weight", self.decisive_weight),
            ("targets.score_scale", self.score_scale),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(DatasetError::Setting { name, why: "must be above 0".into() });
            }
        }
        Ok(())
    }

    /// Turns raw weights over all legal moves into a distribution; weights that
    /// sum to nothing stay as they are.
    pub fn policy(&self, weights: &mut [f32]) {
        let largest = weights.iter().copied().fold(0.0, f32::max);
        if largest <= 0.0 {
            return;
        }
        if self.policy_temperature != 1.0 {
            // Scaled to at most 1, so that no power overflows.
            let power = 1.0 / self.policy_temperature;
            weights.iter_mut().for_each(|w| *w = (*w / largest).powf(power));
        }
        let total: f32 = weights.iter().sum();
        let even = self.policy_smoothing / weights.len() as f32;
        let scale = (1.0 - self.policy_smoothing) / total;
        weights.iter_mut().for_each(|w| *w = *w * scale + even);
    }

    /// Win, draw and loss for the mover, or `None` where nothing is known.
    pub fn wdl(&self, ply: &Ply, result: Outcome, mover: Color) -> Option<[f32; 3]> {
        let searched = ply.wdl.or_else(|| ply.q.map(decided));
        let searched = match (searched, ply.score) {
            (Some(known), Some(score)) => {
                Some(mix(by_score(score, self.score_scale), known, self.score_ratio))
            }
            (known, _) => known,
        };
        let blended = match (searched, outcome(result, mover)) {
            (Some(q), Some(z)) => mix(q, z, self.q_ratio),
            (Some(known), None) | (None, Some(known)) => known,
            (None, None) => return None,
        };
        Some(mix([1.0 / 3.0; 3], blended, self.soften))
    }

    pub fn weight(&self, ply: &Ply, result: Outcome) -> f32 {
        let own = if self.use_sample_weights { ply.weight } else { 1.0 };
        match result {
            Outcome::White | Outcome::Black => own * self.decisive_weight,
            Outcome::Draw | Outcome::Unknown => own,
        }
    }
}

/// `share` of the first, the rest of the second.
fn mix(first: [f32; 3], second: [f32; 3], share: f32) -> [f32; 3] {
    std::array::from_fn(|i| share * first[i] + (1.0 - share) * second[i])
}

/// An expected result says nothing of draws: it becomes the chance to win or
/// lose that has this expectation, without draws.
fn decided(q: f32) -> [f32; 3] {
    let win = (1.0 + q.clamp(-1.0, 1.0)) / 2.0;
    [win, 0.0, 1.0 - win]
}

/// What is ahead counts as won, the more the further: `scale` centipawns by 46 %,
/// twice as many by 76 %. The rest is drawn.
fn by_score(score: Score, scale: f32) -> [f32; 3] {
    let ahead = match score {
        Score::Centipawns(centipawns) => (centipawns as f32 / (2.0 * scale)).tanh(),
        Score::Mate(moves) => (moves as f32).signum(),
    };
    [ahead.max(0.0), 1.0 - ahead.abs(), (-ahead).max(0.0)]
}

fn outcome(result: Outcome, mover: Color) -> Option<[f32; 3]> {
    let winner = match result {
        Outcome::White => Color::White,
        Outcome::Black => Color::Black,
        Outcome::Draw => return Some([0.0, 1.0, 0.0]),
        Outcome::Unknown => return None,
    };
    Some(if winner == mover { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: &[f32], right: &[f32]) {
        let near =
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| (l - r).abs() < 1e-6);
        assert!(near, "{left:?} is not {right:?}");
    }

    fn with(change: impl FnOnce(&mut TargetSettings)) -> TargetSettings {
        let mut settings = TargetSettings::default();
        change(&mut settings);
        settings
    }

    #[test]
    fn smoothing_spreads_over_the_legal_moves() {
        let mut weights = [0.0, 2.0, 0.0, 0.0];
        with(|s| s.policy_smoothing = 0.2).policy(&mut weights);
        close(&weights, &[0.05, 0.85, 0.05, 0.05]);
    }

    #[test]
    fn temperature_sharpens_and_flattens() {
        let mut sharp = [30.0, 10.0, 0.0];
        with(|s| s.policy_temperature = 0.5).policy(&mut sharp);
        close(&sharp, &[0.9, 0.1, 0.0]);
        let mut flat = [16.0, 4.0];
        with(|s| s.policy_temperature = 2.0).policy(&mut flat);
        close(&flat, &[2.0 / 3.0, 1.0 / 3.0]);
    }

    #[test]
    fn no_target_stays_none() {
        let mut weights = [0.0; 3];
        with(|s| s.policy_smoothing = 0.5).policy(&mut weights);
        assert_eq!(weights, [0.0; 3]);
    }

    #[test]
    fn search_and_result_blend() {
        let ply = Ply { wdl: Some([0.5, 0.3, 0.2]), ..Ply::default() };
        let targets = with(|s| s.q_ratio = 0.25);
        let value = |ply: &Ply, result| targets.wdl(ply, result, Color::White);
        close(&value(&ply, Outcome::White).unwrap(), &[0.875, 0.075, 0.05]);
        close(&value(&ply, Outcome::Draw).unwrap(), &[0.125, 0.825, 0.05]);
        close(&value(&ply, Outcome::Unknown).unwrap(), &[0.5, 0.3, 0.2]);
        close(&value(&Ply::default(), Outcome::Black).unwrap(), &[0.0, 0.0, 1.0]);
        assert_eq!(value(&Ply::default(), Outcome::Unknown), None);
    }

    #[test]
    fn a_bare_expectation_has_no_draws() {
        let ply = Ply { q: Some(0.5), ..Ply::default() };
        let targets = with(|s| s.q_ratio = 0.5);
        close(&targets.wdl(&ply, Outcome::Unknown, Color::White).unwrap(), &[0.75, 0.0, 0.25]);
        close(&targets.wdl(&ply, Outcome::Draw, Color::White).unwrap(), &[0.375, 0.5, 0.125]);
    }

    #[test]
    fn the_score_tells_won_positions_apart() {
        let targets = with(|s| (s.score_ratio, s.score_scale) = (0.25, 500.0));
        let won = |score| {
            let ply = Ply { wdl: Some([1.0, 0.0, 0.0]), score: Some(score), ..Ply::default() };
            targets.wdl(&ply, Outcome::Unknown, Color::White).unwrap()
        };
        let ahead = 0.5f32.tanh();
        let part = [0.75 + 0.25 * ahead, 0.25 * (1.0 - ahead), 0.0];
        close(&won(Score::Centipawns(500)), &part);
        assert!(won(Score::Centipawns(900))[0] > part[0]);
        close(&won(Score::Mate(3)), &[1.0, 0.0, 0.0]);
        let lost = Ply {
            wdl: Some([0.0, 0.0, 1.0]),
            score: Some(Score::Centipawns(-500)),
            ..Ply::default()
        };
        let value = targets.wdl(&lost, Outcome::Unknown, Color::White).unwrap();
        close(&value, &[part[2], part[1], part[0]]);
        // Where search or teacher said nothing of win and loss, the result is all.
        let bare = Ply { score: Some(Score::Centipawns(500)), ..Ply::default() };
        let value = targets.wdl(&bare, Outcome::Black, Color::White).unwrap();
        close(&value, &[0.0, 0.0, 1.0]);
    }

    #[test]
    fn the_result_turns_with_the_mover() {
        let value = |result, mover| TargetSettings::default().wdl(&Ply::default(), result, mover);
        assert_eq!(value(Outcome::White, Color::White), Some([1.0, 0.0, 0.0]));
        assert_eq!(value(Outcome::White, Color::Black), Some([0.0, 0.0, 1.0]));
        assert_eq!(value(Outcome::Black, Color::Black), Some([1.0, 0.0, 0.0]));
        assert_eq!(value(Outcome::Draw, Color::Black), Some([0.0, 1.0, 0.0]));
    }

    #[test]
    fn softening_mixes_with_uniform() {
        let value = with(|s| s.soften = 0.3).wdl(&Ply::default(), Outcome::White, Color::White);
        close(&value.unwrap(), &[0.8, 0.1, 0.1]);
    }

    #[test]
    fn weights_multiply() {
        let ply = Ply { weight: 0.5, ..Ply::default() };
        let targets = with(|s| s.decisive_weight = 3.0);
        assert_eq!(targets.weight(&ply, Outcome::Black), 1.5);
        assert_eq!(targets.weight(&ply, Outcome::Draw), 0.5);
        assert_eq!(with(|s| s.use_sample_weights = false).weight(&ply, Outcome::Draw), 1.0);
    }
}
