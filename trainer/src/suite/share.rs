//! A share of successes and how sure it is.

use crate::statistics::wilson;
use serde::Serialize;
use std::fmt;

/// `solved` of `total`, as a fraction, with the 95 % interval of Wilson: unlike
/// the normal one it stays between 0 and 1 and is no point when all are solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    pub total: usize,
    pub solved: usize,
    pub share: f64,
    pub low: f64,
    pub high: f64,
}

impl Share {
    /// Of nothing, the share is 0 and may be anything.
    pub fn new(solved: usize, total: usize) -> Share {
        let interval = wilson(solved as u64, total as u64);
        let share = solved as f64 / total.max(1) as f64;
        Share { total, solved, share, low: interval.low, high: interval.high }
    }

    /// How many of those given are solved.
    pub fn of(solved: impl IntoIterator<Item = bool>) -> Share {
        let (mut count, mut total) = (0, 0);
        for solved in solved {
            total += 1;
            count += usize::from(solved);
        }
        Share::new(count, total)
    }
}

/// One row of a table: total, solved, percent and interval.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [share, low, high] = [self.share, self.low, self.high].map(|part| 100.0 * part);
        write!(f, "{:>9}{:>9}{share:>9.1}   {low:>5.1} to {high:>5.1}", self.total, self.solved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        for (solved, total, low, high) in [
            (8, 10, 0.490162, 0.943318),
            (0, 10, 0.0, 0.277533),
            (10, 10, 0.722467, 1.0),
            (1, 2, 0.094531, 0.905469),
        ] {
            let share = Share::new(solved, total);
            assert!((share.low - low).abs() < 1e-6, "{share:?}");
            assert!((share.high - high).abs() < 1e-6, "{share:?}");
        }
        assert_eq!(Share::new(0, 0).high, 1.0);
    }

    #[test]
    fn successes_are_counted() {
        assert_eq!(Share::of([true, false, true, true]), Share::new(3, 4));
    }
}
