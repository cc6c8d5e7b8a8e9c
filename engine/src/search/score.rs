//! The value of a node in four bytes: a mean, or a proof.
//!
//! Scores are from the view of the side that *moved into* the node, so the
//! better child has the higher score.

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Score {
    /// Mean of all evaluations below, -1..=1.
    Estimate(f32),
    /// Forced win in so many plies after this node.
    Win(u16),
    /// Forced loss in so many plies after this node.
    Loss(u16),
    Draw,
}

/// Distances from here on come from tablebases: won, but the mate was not seen.
pub const TABLEBASE_PLIES: u16 = 4096;

const ONE: i32 = 1 << 30;
const DRAW: i32 = i32::MIN;

impl Score {
    pub fn is_proven(self) -> bool {
        !matches!(self, Score::Estimate(_))
    }

    /// Expected result, -1..=1.
    pub fn q(self) -> f32 {
        match self {
            Score::Estimate(q) => q,
            Score::Win(_) => 1.0,
            Score::Loss(_) => -1.0,
            Score::Draw => 0.0,
        }
    }

    /// The same fact one ply up, from the other side's view.
    pub fn for_parent(self) -> Score {
        match self {
            Score::Estimate(q) => Score::Estimate(-q),
            Score::Win(plies) => Score::Loss(plies.saturating_add(1)),
            Score::Loss(plies) => Score::Win(plies.saturating_add(1)),
            Score::Draw => Score::Draw,
        }
    }

    /// Fixed point with 30 fractional bits; values beyond one carry the proofs.
    pub fn encode(self) -> u32 {
        let raw = match self {
            Score::Estimate(q) => to_fixed(q),
            Score::Win(plies) => ONE + 1 + i32::from(plies),
            Score::Loss(plies) => -(ONE + 1 + i32::from(plies)),
            Score::Draw => DRAW,
        };
        raw as u32
    }

    pub fn decode(word: u32) -> Score {
        let raw = word as i32;
        if raw == DRAW {
            Score::Draw
        } else if raw > ONE {
            Score::Win((raw - ONE - 1) as u16)
        } else if raw < -ONE {
            Score::Loss((-raw - ONE - 1) as u16)
        } else {
            Score::Estimate(from_fixed(raw))
        }
    }
}

pub fn to_fixed(x: f32) -> i32 {
    (f64::from(x.clamp(-1.0, 1.0)) * f64::from(ONE)) as i32
}

pub fn from_fixed(raw: i32) -> f32 {
    raw as f32 / ONE as f32
}

/// The mean after its `count`-th sample.
pub fn next_mean(mean: i32, sample: i32, count: u32) -> i32 {
    let step = (f64::from(sample) - f64::from(mean)) / f64::from(count.max(1));
    // Rounding half away from zero, spelled out: `round` is a function call on
    // older processors. It must not carry a mean past one, where proofs live.
    (mean + (step + 0.5_f64.copysign(step)) as i32).clamp(-ONE, ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_survives_coding() {
        for score in [
            Score::Win(0),
            Score::Win(TABLEBASE_PLIES),
            Score::Win(u16::MAX),
            Score::Loss(7),
            Score::Loss(u16::MAX),
            Score::Draw,
            Score::Estimate(1.0),
            Score::Estimate(-1.0),
            Score::Estimate(0.25),
        ] {
            assert_eq!(Score::decode(score.encode()), score);
        }
    }

    #[test]
    fn a_mean_of_millions_stays_true() {
        let mut mean = 0;
        for n in 1..=4_000_000u32 {
            let sample = if n % 4 == 0 { -1.0 } else { 1.0 };
            mean = next_mean(mean, to_fixed(sample), n);
        }
        assert!((from_fixed(mean) - 0.5).abs() < 1e-5);
    }

    #[test]
    fn mate_distance_grows_towards_the_root() {
        assert_eq!(Score::Win(0).for_parent(), Score::Loss(1));
        assert_eq!(Score::Loss(1).for_parent(), Score::Win(2));
    }
}
