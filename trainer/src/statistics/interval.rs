//! The normal distribution and intervals.

use serde::{Serialize, Serializer};

/// Standard errors to each side of an interval that holds the truth in 95 of
/// 100 cases.
pub const CONFIDENCE: f64 = 1.959963984540054;

/// Bounds of a 95 % interval; infinite where there is none, which JSON knows as
/// `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    #[serde(serialize_with = "finite")]
    pub low: f64,
    #[serde(serialize_with = "finite")]
    pub high: f64,
}

impl Interval {
    pub fn around(center: f64, error: f64) -> Interval {
        Interval { low: center - CONFIDENCE * error, high: center + CONFIDENCE * error }
    }

    /// Half of its width.
    pub fn half(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// JSON has no word for infinity.
pub(super) fn finite<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    value.is_finite().then_some(*value).serialize(serializer)
}

/// The chance that a standard normal number is below `x`.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// Wilson's interval of a share: good for few trials and near 0 and 1.
pub fn wilson(successes: u64, trials: u64) -> Interval {
    if trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, z2) = (trials as f64, CONFIDENCE * CONFIDENCE);
    let share = successes as f64 / n;
    let center = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
    Interval {
        low: (center - CONFIDENCE * half).max(0.0),
        high: (center + CONFIDENCE * half).min(1.0),
    }
}
