//! Ratings of many players from who beat whom.
//!
//! The model is Bradley and Terry's on the Elo scale, a draw counting as half a
//! win and half a loss. This keeps the ratings on the scale of the expected
//! score, on which anchors such as Stockfish's levels are given; models with a
//! parameter for draws stretch it. That games are drawn shows in the errors
//! instead: they are computed from the observed spread of pairs, not from the
//! model (the sandwich estimator), so that two players' difference has the
//! interval that [`Comparison`](super::Comparison) gives it.

use super::matrix::{invert, solve};
use super::{Pairs, expected_score};
use serde::Serialize;
use std::f64::consts::LN_10;

/// The pairs that two players have played; counts in the first one's view.
#[derive(Clone, Copy, Debug)]
pub struct Encounter {
    pub first: usize,
    pub second: usize,
    pub pairs: Pairs,
}

/// Each player's fixed rating, if it has one. With no anchor at all, the mean of
/// the rated players is 0.
pub type Anchors = [Option<f64>];

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    pub elo: f64,
    /// Standard error; 0 for an anchor.
    pub error: f64,
    pub anchored: bool,
    /// Somebody won or lost everything, so that there is no finite best
    /// estimate: every encounter was given one more drawn game.
    pub damped: bool,
}

/// Natural logarithm of the odds per point of Elo.
const SCALE: f64 = LN_10 / 400.0;
/// More than ever needed; every step lowers the error or ends the search.
const MOST_STEPS: usize = 500;
/// Elo that one step may change a rating by.
const LONGEST_STEP: f64 = 200.0;

/// The players' ratings; `None` for those who cannot be compared with the
/// anchors (or, without any, with the largest group).
pub fn rate(anchors: &Anchors, encounters: &[Encounter]) -> Vec<Option<Rating>> {
    let met: Vec<Encounter> =
        encounters.iter().copied().filter(|encounter| encounter.pairs.count() > 0).collect();
    let group = comparable(anchors, &met);
    let met: Vec<Encounter> = met.into_iter().filter(|encounter| group[encounter.first]).collect();
    let damped = !has_finite_estimate(anchors, &group, &met);
    let fit = Fit::new(anchors, &group, &met, damped);
    let elos = fit.maximize();
    let errors = fit.errors(&elos);
    let rating = |player: usize| Rating {
        elo: elos[player],
        error: errors[player],
        anchored: anchors[player].is_some(),
        damped: damped && anchors[player].is_none(),
    };
    (0..anchors.len()).map(|player| group[player].then(|| rating(player))).collect()
}

/// Who is connected by games with an anchor, or belongs to the largest group.
fn comparable(anchors: &Anchors, met: &[Encounter]) -> Vec<bool> {
    let reach = |start: Vec<bool>| {
        spread(start, met, |encounter| {
            [(encounter.first, encounter.second), (encounter.second, encounter.first)].into()
        })
    };
    if anchors.iter().any(Option::is_some) {
        return reach(anchors.iter().map(Option::is_some).collect());
    }
    let from = |player: usize| reach((0..anchors.len()).map(|other| other == player).collect());
    let size = |group: &Vec<bool>| group.iter().filter(|member| **member).count();
    let groups = (0..anchors.len()).map(from);
    // The first of the largest, so that the answer does not depend on chance.
    groups
        .rev()
        .max_by_key(size)
        .filter(|group| size(group) > 1)
        .unwrap_or(vec![false; anchors.len()])
}

/// Whether points went both ways between any two parts of the group; otherwise
/// a part is infinitely stronger than another.
fn has_finite_estimate(anchors: &Anchors, group: &[bool], met: &[Encounter]) -> bool {
    let anchored = anchors.iter().any(Option::is_some);
    let start: Vec<bool> = match anchored {
        true => anchors.iter().map(Option::is_some).collect(),
        false => {
            (0..group.len()).map(|player| Some(player) == group.iter().position(|g| *g)).collect()
        }
    };
    // Along points won, and against their direction.
    let scored = |pairs: &Pairs| pairs.0[1..].iter().any(|count| *count > 0);
    let gains = |encounter: &Encounter, won: bool| {
        let (a, b) = (encounter.first, encounter.second);
        let mut ways = Vec::new();
        if scored(&encounter.pairs) {
            ways.push(if won { (a, b) } else { (b, a) });
        }
        if scored(&encounter.pairs.reversed()) {
            ways.push(if won { (b, a) } else { (a, b) });
        }
        ways
    };
    [true, false].iter().all(|won| {
        let reached = spread(start.clone(), met, |encounter| gains(encounter, *won));
        (0..group.len()).all(|player| reached[player] || !group[player])
    })
}

/// Everybody who can be reached from `start` along `ways`.
fn spread(
    mut start: Vec<bool>,
    met: &[Encounter],
    ways: impl Fn(&Encounter) -> Vec<(usize, usize)>,
) -> Vec<bool> {
    let ways: Vec<(usize, usize)> = met.iter().flat_map(ways).collect();
    while let Some((_, to)) = ways.iter().find(|(from, to)| start[*from] && !start[*to]) {
        start[*to] = true;
    }
    start
}

/// Points won, of so many games, in the view of `first`.
struct Score {
    first: usize,
    second: usize,
    games: f64,
    points: f64,
    /// As they are, for the spread.
    pairs: Pairs,
}

struct Fit<'a> {
    anchors: &'a Anchors,
    /// Players with a rating to be found.
    free: Vec<usize>,
    scores: Vec<Score>,
    /// Without an anchor the ratings may move together; their sum is held at 0.
    floating: bool,
    damped: bool,
}

impl<'a> Fit<'a> {
    fn new(anchors: &'a Anchors, group: &[bool], met: &[Encounter], damped: bool) -> Fit<'a> {
        let free: Vec<usize> = (0..anchors.len())
            .filter(|player| group[*player] && anchors[*player].is_none())
            .collect();
        let more = f64::from(u8::from(damped));
        let scores = met.iter().map(|encounter| {
            let (mean, _) = encounter.pairs.moments();
            let games = 2.0 * encounter.pairs.count() as f64;
            Score {
                first: encounter.first,
                second: encounter.second,
                games: games + more,
                points: mean * games + more / 2.0,
                pairs: encounter.pairs,
            }
        });
        let floating = anchors.iter().all(Option::is_none);
        Fit { anchors, free, scores: scores.collect(), floating, damped }
    }

    /// Newton's method on the (concave) likelihood.
    fn maximize(&self) -> Vec<f64> {
        let known: Vec<f64> = self.anchors.iter().flatten().copied().collect();
        let middle = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let mut elos: Vec<f64> =
            self.anchors.iter().map(|anchor| anchor.unwrap_or(middle)).collect();
        for _ in 0..MOST_STEPS {
            let gradient = self.gradient(&elos);
            let Some(step) = solve(&self.information(&elos), &gradient) else { break };
            let longest = step.iter().fold(0.0_f64, |longest, change| longest.max(change.abs()));
            let shrink = (LONGEST_STEP / longest).min(1.0);
            for (player, change) in self.free.iter().zip(&step) {
                elos[*player] += change * shrink;
            }
            if longest < 1e-9 {
                break;
            }
        }
        elos
    }

    /// Per point of Elo, for the free players.
    fn gradient(&self, elos: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; elos.len()];
        for score in &self.scores {
            let expected = expected_score(elos[score.first] - elos[score.second]);
            let surplus = SCALE * (score.points - score.games * expected);
            gradient[score.first] += surplus;
            gradient[score.second] -= surplus;
        }
        self.free.iter().map(|player| gradient[*player]).collect()
    }

    /// Negative second derivatives.
    fn information(&self, elos: &[f64]) -> Vec<Vec<f64>> {
        self.laplacian(self.floating, |score| {
            let expected = expected_score(elos[score.first] - elos[score.second]);
            SCALE * SCALE * score.games * expected * (1.0 - expected)
        })
    }

    /// The matrix of a weight for each encounter, over the free players.
    fn laplacian(&self, floating: bool, weight: impl Fn(&Score) -> f64) -> Vec<Vec<f64>> {
        let n = self.anchors.len();
        // Pulling the sum to zero changes no difference, and makes the matrix
        // one that can be inverted.
        let pull = if floating { SCALE * SCALE } else { 0.0 };
        let mut matrix = vec![vec![pull; n]; n];
        for score in &self.scores {
            let weight = weight(score);
            let (a, b) = (score.first, score.second);
            matrix[a][a] += weight;
            matrix[b][b] += weight;
            matrix[a][b] -= weight;
            matrix[b][a] -= weight;
        }
        let row = |i: &usize| self.free.iter().map(|j| matrix[*i][*j]).collect();
        self.free.iter().map(row).collect()
    }

    /// Standard errors by the sandwich: inverse information on both sides of the
    /// observed spread of the pairs' gradients.
    fn errors(&self, elos: &[f64]) -> Vec<f64> {
        let mut errors = vec![0.0; self.anchors.len()];
        let Some(inverse) = invert(&self.information(elos)) else { return errors };
        let spread = self.laplacian(false, |score| {
            let expected = expected_score(elos[score.first] - elos[score.second]);
            if score.pairs.0.iter().filter(|count| **count > 0).count() == 1 {
                // All alike: no spread to be seen, so that of the model.
                return SCALE * SCALE * score.games * expected * (1.0 - expected);
            }
            let squares =
                score.pairs.0.iter().zip(Pairs::SCORES).map(|(count, points)| {
                    *count as f64 * (2.0 * SCALE * (points - expected)).powi(2)
                });
            squares.sum()
        });
        for (i, player) in self.free.iter().enumerate() {
            let row = &inverse[i];
            let sandwich: f64 = (0..row.len())
                .map(|a| (0..row.len()).map(|b| row[a] * spread[a][b] * row[b]).sum::<f64>())
                .sum();
            // One-sided results have no spread to speak of: there the model's own,
            // without what the pull towards zero adds to it.
            let pulled = if self.floating { (SCALE * row.len() as f64).powi(-2) } else { 0.0 };
            let variance = if self.damped { sandwich.max(row[i] - pulled) } else { sandwich };
            errors[*player] = variance.max(0.0).sqrt();
        }
        errors
    }
}
