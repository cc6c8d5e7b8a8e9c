//! What the attempts at a suite came to.

use super::{Attempt, Problem, RatingEstimate, Share};
use crate::statistics::Mean;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Narrow enough to show where a player's strength ends, which on this scale
/// takes some 400 points; wide enough for a table of one screen.
const BAND: i64 = 200;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    #[serde(flatten)]
    pub share: Share,
    /// From the problems that have a rating.
    pub rating: Option<RatingEstimate>,
    /// Points a move, from the problems whose moves have values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_away: Option<Mean>,
    /// Attempts that ended in a fault of the player; they count as unsolved.
    pub faults: usize,
    /// Of the attempts where the player told.
    pub nodes_per_problem: Option<f64>,
    /// Spent thinking, all threads together.
    pub seconds: f64,
    /// Easiest first.
    pub bands: Vec<Band>,
    /// Those with the most problems first.
    pub themes: Vec<Theme>,
    /// The ids of the problems that were not solved, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsolved: Option<Vec<String>>,
}

/// The problems rated from `from` to below `below`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Band {
    pub from: i64,
    pub below: i64,
    #[serde(flatten)]
    pub share: Share,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Theme {
    pub name: String,
    #[serde(flatten)]
    pub share: Share,
}

impl Report {
    /// The attempts are those at the first problems, as `run` returns them.
    pub fn new(problems: &[Problem], attempts: &[Attempt]) -> Report {
        let pairs = || problems.iter().zip(attempts);
        let rated: Vec<(f64, bool)> = pairs()
            .filter_map(|(problem, attempt)| Some((problem.rating?, attempt.solved)))
            .collect();
        let themes = pairs().flat_map(|(problem, attempt)| {
            problem.themes.iter().map(|theme| (theme.as_str(), attempt.solved))
        });
        let nodes: Vec<u64> = attempts.iter().filter_map(|attempt| attempt.nodes).collect();
        Report {
            share: Share::of(attempts.iter().map(|attempt| attempt.solved)),
            rating: RatingEstimate::new(&rated),
            given_away: Mean::of(
                &attempts.iter().filter_map(|attempt| attempt.given_away).collect::<Vec<_>>(),
            ),
            faults: attempts.iter().filter(|attempt| attempt.fault.is_some()).count(),
            nodes_per_problem: (!nodes.is_empty())
                .then(|| nodes.iter().sum::<u64>() as f64 / nodes.len() as f64),
            seconds: attempts.iter().map(|attempt| attempt.seconds).sum(),
            bands: bands(&rated),
            themes: by_theme(themes),
            unsolved: None,
        }
    }

    /// Adds the list of what was not solved.
    pub fn with_unsolved(self, attempts: &[Attempt]) -> Report {
        let missed = attempts.iter().filter(|attempt| !attempt.solved);
        Report { unsolved: Some(missed.map(|attempt| attempt.id.clone()).collect()), ..self }
    }
}

fn bands(rated: &[(f64, bool)]) -> Vec<Band> {
    let band = |rating: f64| (rating / BAND as f64).floor() as i32;
    group(rated.iter().map(|(rating, solved)| (band(*rating), *solved)))
        .map(|(index, share)| {
            let from = i64::from(index) * BAND;
            Band { from, below: from + BAND, share }
        })
        .collect()
}

fn by_theme<'a>(themes: impl Iterator<Item = (&'a str, bool)>) -> Vec<Theme> {
    let mut themes: Vec<Theme> =
        group(themes).map(|(name, share)| Theme { name: name.to_string(), share }).collect();
    // Stable: themes of equal size stay in the order of their names.
    themes.sort_by_key(|theme| std::cmp::Reverse(theme.share.total));
    themes
}

fn group<K: Ord>(results: impl Iterator<Item = (K, bool)>) -> impl Iterator<Item = (K, Share)> {
    let mut groups = BTreeMap::<K, Vec<bool>>::new();
    for (key, solved) in results {
        groups.entry(key).or_default().push(solved);
    }
    groups.into_iter().map(|(key, solved)| (key, Share::of(solved)))
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} to {}", self.from, self.below - 1)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Share { total, solved, .. } = self.share;
        writeln!(f, "{:<28}{solved} of {total}", "solved")?;
        if let Some(rating) = self.rating {
            writeln!(f, "{:<28}{rating}", "puzzle rating")?;
        }
        if let Some(Mean { mean, error }) = self.given_away {
            let [mean, error] = [mean, error].map(|points| 100.0 * points);
            writeln!(f, "{:<28}{mean:.2} +/- {error:.2} % of a point", "given away by a move")?;
        }
        writeln!(f, "{:<28}{}", "faults of the player", self.faults)?;
        if let Some(nodes) = self.nodes_per_problem {
            writeln!(f, "{:<28}{nodes:.0}", "nodes per problem")?;
        }
        let mean = self.seconds / total.max(1) as f64;
        writeln!(f, "{:<28}{mean:.3}, {:.1} in all", "seconds per problem", self.seconds)?;
        let bands = self.bands.iter().map(|band| (band.to_string(), band.share)).collect();
        let themes = self.themes.iter().map(|theme| (theme.name.clone(), theme.share)).collect();
        let all = vec![("all".to_string(), self.share)];
        for (heading, rows) in [("", all), ("rating", bands), ("theme", themes)] {
            section(f, heading, &rows)?;
        }
        for (index, id) in self.unsolved.iter().flatten().enumerate() {
            let heading = if index == 0 { "\nunsolved\n" } else { "" };
            writeln!(f, "{heading}  {id}")?;
        }
        Ok(())
    }
}

fn section(f: &mut fmt::Formatter, heading: &str, rows: &[(String, Share)]) -> fmt::Result {
    if !rows.is_empty() {
        let [total, solved, share] = ["problems", "solved", "percent"];
        writeln!(f, "\n{heading:<22}{total:>9}{solved:>9}{share:>9}   95 % interval")?;
    }
    rows.iter().try_for_each(|(name, share)| writeln!(f, "{name:<22}{share}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::read;

    /// Puzzles of these ratings and themes.
    fn problems(rows: &[(&str, &str)]) -> Vec<Problem> {
        let mut text = String::from("PuzzleId,FEN,Moves,Rating,Themes\n");
        for (index, (rating, themes)) in rows.iter().enumerate() {
            let fen = "6k1/4Rppp/8/8/8/8/5K2/8 b - - 0 1";
            text += &format!("p{index},{fen},h7h6 e7e8,{rating},{themes}\n");
        }
        read("csv", text.as_bytes(), false).unwrap().problems
    }

    fn attempt(problem: &Problem, solved: bool) -> Attempt {
        Attempt {
            id: problem.id.clone(),
            solved,
            given_away: None,
            played: Vec::new(),
            expected: problem.expected(),
            nodes: solved.then_some(300),
            seconds: 0.5,
            fault: (!solved).then(|| "crash".to_string()),
        }
    }

    fn sample() -> Report {
        let problems = problems(&[
            ("1399", "fork mate"),
            ("1400", "mate"),
            ("399.5", "pin"),
            ("", "mate fork"),
            ("1200", ""),
            ("2000", "untried"),
        ]);
        let solved = [true, false, true, true, false];
        let attempts: Vec<_> =
            problems.iter().zip(solved).map(|(problem, solved)| attempt(problem, solved)).collect();
        Report::new(&problems, &attempts).with_unsolved(&attempts)
    }

    #[test]
    fn attempts_are_counted_by_band_and_theme() {
        let report = sample();
        assert_eq!(report.share, Share::new(3, 5));
        let band = |from, solved, total| Band {
            from,
            below: from + 200,
            share: Share::new(solved, total),
        };
        assert_eq!(report.bands, [band(200, 1, 1), band(1200, 1, 2), band(1400, 0, 1)]);
        let theme = |name: &str, solved, total| Theme {
            name: name.into(),
            share: Share::new(solved, total),
        };
        assert_eq!(report.themes, [theme("mate", 2, 3), theme("fork", 2, 2), theme("pin", 1, 1)]);
        assert_eq!((report.faults, report.nodes_per_problem), (2, Some(300.0)));
        assert!((report.seconds - 2.5).abs() < 1e-9);
        assert_eq!(report.unsolved, Some(vec!["p1".to_string(), "p4".to_string()]));
        let rated = [(1399.0, true), (1400.0, false), (399.5, true), (1200.0, false)];
        assert_eq!(report.rating, RatingEstimate::new(&rated));
    }

    #[test]
    fn the_table_is_aligned() {
        let text = sample().to_string();
        let expected = "\
solved                      3 of 5
puzzle rating               1208 (780 to 1636)
faults of the player        2
nodes per problem           300
seconds per problem         0.500, 2.5 in all

                       problems   solved  percent   95 % interval
all                           5        3     60.0    23.1 to  88.2

rating                 problems   solved  percent   95 % interval
200 to 399                    1        1    100.0    20.7 to 100.0
1200 to 1399                  2        1     50.0     9.5 to  90.5
1400 to 1599                  1        0      0.0     0.0 to  79.3

theme                  problems   solved  percent   95 % interval
mate                          3        2     66.7    20.8 to  93.9
fork                          2        2    100.0    34.2 to 100.0
pin                           1        1    100.0    20.7 to 100.0

unsolved
  p1
  p4
";
        assert_eq!(text, expected);
    }

    #[test]
    fn json_names_every_number() {
        let json = serde_json::to_value(sample()).unwrap();
        assert_eq!((&json["total"], &json["solved"]), (&5.into(), &3.into()));
        assert_eq!(json["bands"][1]["from"], 1200);
        assert_eq!(json["themes"][0]["name"], "mate");
        assert_eq!(json["themes"][0]["solved"], 2);
        assert!(json["rating"]["around"]["low"].is_f64());
        assert_eq!(json["unsolved"][1], "p4");
    }

    #[test]
    fn nothing_done_is_no_failure() {
        let report = Report::new(&problems(&[("1500", "")]), &[]);
        assert_eq!((report.share, report.rating), (Share::new(0, 0), None));
        assert!(report.to_string().contains("0 of 0"));
        let json = serde_json::to_value(report).unwrap();
        assert!(json["share"].is_f64() && json.get("unsolved").is_none());
    }
}
