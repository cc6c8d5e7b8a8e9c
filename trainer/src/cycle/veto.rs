//! What a loop does when a new network is worse: measures that grow with every
//! veto in a row, and end with the next network that is accepted.

use serde::{Deserialize, Serialize};

/// How training and self-play differ from what the config says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Share of the window, the oldest games, that training leaves out.
    pub dropped: f64,
    pub reset_optimizer: bool,
    /// So much more of every batch is supervised, where there is such data,
    pub more_supervised: f64,
    /// and at least this much.
    pub least_supervised: f64,
    pub rate: f64,
    /// Share of self-play games by the network that was vetoed.
    pub current: f64,
}

impl Default for Measures {
    fn default() -> Measures {
        Measures {
            dropped: 0.0,
            reset_optimizer: false,
            more_supervised: 0.0,
            least_supervised: 0.0,
            rate: 1.0,
            current: 0.0,
        }
    }
}

impl Measures {
    /// The supervised share, where the config says `share`.
    pub fn supervised(&self, share: f64) -> f64 {
        (share + self.more_supervised).min(MOST_SUPERVISED.max(share)).max(self.least_supervised)
    }
}

/// Self-play always has a part, a small one only where the config says so.
const MOST_SUPERVISED: f64 = 0.9;

/// After so many vetoes in a row.
pub fn measures(vetoes: u32) -> Measures {
    let mut measures = Measures::default();
    if vetoes >= 1 {
        measures.dropped = 0.25;
        measures.reset_optimizer = true;
        measures.more_supervised = 0.25;
    }
    if vetoes >= 2 {
        measures.rate = 0.5;
    }
    if vetoes >= 3 {
        measures.current = 0.25;
    }
    if vetoes >= 4 {
        measures.dropped = 0.5;
        measures.least_supervised = 0.8;
    }
    measures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_grow_with_every_veto() {
        assert_eq!(measures(0), Measures::default());
        let [one, two, three, four] = [1, 2, 3, 4].map(measures);
        assert!(one.reset_optimizer && one.dropped == 0.25 && one.rate == 1.0);
        assert_eq!((one.supervised(0.3), one.supervised(0.95)), (0.55, 0.95));
        assert!(two.rate == 0.5 && two.current == 0.0);
        assert!(three.current > 0.0 && three.dropped == 0.25);
        assert!(four.dropped == 0.5 && four.supervised(0.1) == 0.8);
        assert_eq!(measures(9), four);
    }
}
