//! Two players before the same problems: differences, problem by problem, have
//! far smaller errors than the two results.

use super::Attempt;
use crate::statistics::Mean;
use serde::Serialize;
use std::fmt;

/// How much more the first player did than the second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Share of the problems.
    pub solved: Option<Mean>,
    /// Points a move, where moves have values; below 0 the first is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_away: Option<Mean>,
}

impl Comparison {
    /// Attempts at the same problems, in the same order.
    pub fn new(first: &[Attempt], second: &[Attempt]) -> Comparison {
        let pairs = || first.iter().zip(second);
        let solved: Vec<f64> = pairs()
            .map(|(a, b)| f64::from(u8::from(a.solved)) - f64::from(u8::from(b.solved)))
            .collect();
        let given_away: Vec<f64> =
            pairs().filter_map(|(a, b)| Some(a.given_away? - b.given_away?)).collect();
        Comparison { solved: Mean::of(&solved), given_away: Mean::of(&given_away) }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rows = [("solved", self.solved), ("given away", self.given_away)];
        let mut rest = "";
        for (name, difference) in rows {
            let Some(Mean { mean, error }) = difference else { continue };
            write!(f, "{rest}{name} {:+.2} +/- {:.2} %", 100.0 * mean, 100.0 * error)?;
            rest = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(solved: bool, given_away: Option<f64>) -> Attempt {
        let (id, expected) = (String::new(), String::new());
        let (played, nodes, seconds, fault) = (Vec::new(), None, 0.0, None);
        Attempt { id, solved, given_away, played, expected, nodes, seconds, fault }
    }

    #[test]
    fn differences_are_taken_problem_by_problem() {
        let first = [attempt(true, Some(0.0)), attempt(false, Some(0.3))];
        let second = [attempt(false, Some(0.1)), attempt(false, Some(0.4))];
        let comparison = Comparison::new(&first, &second);
        assert_eq!(comparison.solved.unwrap(), Mean { mean: 0.5, error: 0.5 });
        let given_away = comparison.given_away.unwrap();
        assert!((given_away.mean + 0.1).abs() < 1e-9 && given_away.error < 1e-9);
        let text = comparison.to_string();
        assert_eq!(text, "solved +50.00 +/- 50.00 %, given away -10.00 +/- 0.00 %");
        let none = Comparison::new(&first[..1], &second[..1]);
        assert_eq!(none.to_string(), "");
    }
}
