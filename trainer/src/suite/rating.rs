//! The rating at which somebody solves puzzles as they were solved here.
//!
//! A puzzle is an opponent: it is solved with the chance
//! 1 / (1 + 10^((puzzle - rating) / 400)).

use crate::statistics::{CONFIDENCE, expected_score};
use serde::Serialize;
use std::f64::consts::LN_10;
use std::fmt;

/// How unlikely a result may be before a rating is ruled out by it.
const DOUBT: f64 = 0.05;

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingEstimate {
    /// The likeliest rating and its 95 % interval.
    Around { rating: f64, low: f64, high: f64 },
    /// All were solved: whoever is weaker does that in less than 5 % of cases.
    Above(f64),
    /// None was solved: whoever is stronger does that in less than 5 % of cases.
    Below(f64),
}

impl RatingEstimate {
    /// From the puzzles' ratings and whether each was solved; `None` without any.
    pub fn new(results: &[(f64, bool)]) -> Option<RatingEstimate> {
        let puzzles: Vec<f64> = results.iter().map(|(rating, _)| *rating).collect();
        let solved = results.iter().filter(|(_, solved)| *solved).count();
        match solved {
            _ if puzzles.is_empty() => None,
            0 => {
                // The scale is the same upside down.
                let mirrored: Vec<f64> = puzzles.iter().map(|rating| -rating).collect();
                Some(RatingEstimate::Below(-lowest(&mirrored)))
            }
            _ if solved == puzzles.len() => Some(RatingEstimate::Above(lowest(&puzzles))),
            _ => Some(likeliest(&puzzles, solved)),
        }
    }
}

impl fmt::Display for RatingEstimate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            RatingEstimate::Around { rating, low, high } => {
                write!(f, "{rating:.0} ({low:.0} to {high:.0})")
            }
            RatingEstimate::Above(rating) => write!(f, "above {rating:.0} (all solved)"),
            RatingEstimate::Below(rating) => write!(f, "below {rating:.0} (none solved)"),
        }
    }
}

fn chance(rating: f64, puzzle: f64) -> f64 {
    expected_score(rating - puzzle)
}

/// Where the likelihood is greatest as many are solved as one expects. The
/// interval is that of the observed information there.
fn likeliest(puzzles: &[f64], solved: usize) -> RatingEstimate {
    let odds = solved as f64 / (puzzles.len() - solved) as f64;
    let surplus =
        |rating| puzzles.iter().map(|puzzle| chance(rating, *puzzle)).sum::<f64>() - solved as f64;
    let rating = root(bracket(puzzles, odds), surplus);
    let variance = |puzzle: &f64| {
        let chance = chance(rating, *puzzle);
        chance * (1.0 - chance)
    };
    let information = (LN_10 / 400.0).powi(2) * puzzles.iter().map(variance).sum::<f64>();
    let reach = CONFIDENCE / information.sqrt();
    RatingEstimate::Around { rating, low: rating - reach, high: rating + reach }
}

/// The rating whose chance to solve all puzzles is just not too small.
fn lowest(puzzles: &[f64]) -> f64 {
    // Each of n equal puzzles would be solved with the n-th root of the doubt.
    let each = DOUBT.ln() / puzzles.len() as f64;
    let odds = each.exp() / -each.exp_m1();
    let surplus = |rating| {
        let log_chance = |puzzle: &f64| -10_f64.powf((puzzle - rating) / 400.0).ln_1p();
        puzzles.iter().map(log_chance).sum::<f64>() - DOUBT.ln()
    };
    root(bracket(puzzles, odds), surplus)
}

/// The answer lies between what it were if all puzzles were as easy as the
/// easiest, and as hard as the hardest.
fn bracket(puzzles: &[f64], odds: f64) -> (f64, f64) {
    let shift = 400.0 * odds.log10();
    let easiest = puzzles.iter().copied().fold(f64::INFINITY, f64::min);
    let hardest = puzzles.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (easiest + shift, hardest + shift)
}

/// Where a rising function crosses zero, by halving: 50 times bring any range of
/// ratings below what matters.
fn root((mut low, mut high): (f64, f64), rising: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if rising(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::search::Random;

    fn around(results: &[(f64, bool)]) -> (f64, f64, f64) {
        match RatingEstimate::new(results) {
            Some(RatingEstimate::Around { rating, low, high }) => (rating, low, high),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn equal_puzzles_give_the_textbook_formula() {
        let results = [(1500.0, true), (1500.0, true), (1500.0, false), (1500.0, true)];
        let (rating, low, high) = around(&results);
        let reach = 1.959964 * 400.0 / LN_10 / (4.0_f64 * 0.75 * 0.25).sqrt();
        assert!((rating - (1500.0 + 400.0 * 3_f64.log10())).abs() < 1e-6, "{rating}");
        assert!((high - rating - reach).abs() < 1e-3, "{high}");
        assert!((rating - low - reach).abs() < 1e-3, "{low}");
    }

    #[test]
    fn estimates_agree_with_an_independent_computation() {
        #[derive(serde::Deserialize)]
        struct Case {
            puzzles: Vec<(f64, u8)>,
            rating: f64,
            low: f64,
            high: f64,
        }
        let oracle = include_str!("../../../tests/data/trainer/match_statistics.json");
        let oracle: serde_json::Value = serde_json::from_str(oracle).unwrap();
        let cases: Vec<Case> = serde_json::from_value(oracle["puzzles"].clone()).unwrap();
        for case in cases {
            let results: Vec<_> =
                case.puzzles.iter().map(|(r, solved)| (*r, *solved == 1)).collect();
            let (rating, low, high) = around(&results);
            for (ours, theirs) in [(rating, case.rating), (low, case.low), (high, case.high)] {
                assert!((ours - theirs).abs() < 1e-4, "{ours} {theirs}");
            }
        }
    }

    #[test]
    fn one_up_one_down_is_in_the_middle() {
        assert!((around(&[(1000.0, true), (2000.0, false)]).0 - 1500.0).abs() < 1e-6);
        assert!((around(&[(1000.0, false), (2000.0, true)]).0 - 1500.0).abs() < 1e-6);
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        let mut random = Random::new(3);
        let truth = 1700.0;
        let mut held = 0;
        for _ in 0..400 {
            let results: Vec<_> = (0..150)
                .map(|_| {
                    let puzzle = 400.0 + 2400.0 * random.unit();
                    (puzzle, random.unit() < chance(truth, puzzle))
                })
                .collect();
            let (_, low, high) = around(&results);
            held += u32::from(low <= truth && truth <= high);
        }
        assert!((368..=392).contains(&held), "{held} of 400");
    }

    #[test]
    fn all_or_none_give_a_bound() {
        let at = |rating: f64, odds: f64| rating + 400.0 * odds.log10();
        let Some(RatingEstimate::Above(one)) = RatingEstimate::new(&[(1500.0, true)]) else {
            panic!("one solved is no bound below");
        };
        assert!((one - at(1500.0, 0.05 / 0.95)).abs() < 1e-6, "{one}");
        let Some(RatingEstimate::Below(one)) = RatingEstimate::new(&[(1500.0, false)]) else {
            panic!("one unsolved is no bound above");
        };
        assert!((one - at(1500.0, 0.95 / 0.05)).abs() < 1e-6, "{one}");
        let Some(RatingEstimate::Above(many)) =
            RatingEstimate::new(&[(1400.0, true), (1500.0, true), (1900.0, true)])
        else {
            panic!("three solved are no bound below");
        };
        let product: f64 =
            [1400.0, 1500.0, 1900.0].map(|puzzle| chance(many, puzzle)).iter().product();
        assert!((product - 0.05).abs() < 1e-9, "{product}");
        assert_eq!(RatingEstimate::new(&[]), None);
    }

    #[test]
    fn it_is_written_for_people() {
        let around = RatingEstimate::Around { rating: 1500.4, low: 1449.6, high: 1551.2 };
        assert_eq!(around.to_string(), "1500 (1450 to 1551)");
        assert_eq!(RatingEstimate::Above(2900.0).to_string(), "above 2900 (all solved)");
        assert_eq!(RatingEstimate::Below(300.0).to_string(), "below 300 (none solved)");
    }
}
