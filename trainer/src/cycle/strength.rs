//! How strong each generation is, from all matches of a loop together.

use super::state::{Generation, MatchResult};
use crate::statistics::{Encounter, Interval, Rating, rate};

/// Ratings of the generations that have played, on a common scale.
pub struct Strengths {
    /// The player that has rating 0.
    pub anchor: String,
    pub points: Vec<Strength>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    pub generation: u32,
    pub elo: f64,
    /// 95 %.
    pub interval: Interval,
}

/// Who plays in a loop: its generations, and players that do not learn.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Player {
    Generation(u32),
    Other(String),
}

impl Player {
    fn name(&self) -> String {
        match self {
            Player::Generation(0) => "the start".to_string(),
            Player::Generation(number) => format!("generation {number}"),
            Player::Other(name) => name.clone(),
        }
    }
}

/// Gates, older generations and fixed opponents make one pool, in which even a
/// generation that beats every fixed opponent has its place. The start counts
/// as 0, or, where nobody has met it, the first opponent of all.
pub fn strengths(history: &[Generation]) -> Option<Strengths> {
    let mut pool: Vec<Player> = vec![Player::Generation(0)];
    let mut place = |player: Player| {
        pool.iter().position(|known| *known == player).unwrap_or_else(|| {
            pool.push(player);
            pool.len() - 1
        })
    };
    let mut encounters = Vec::new();
    for generation in history {
        for result in generation.matches().filter(|result| result.pairs.count() > 0) {
            let first = place(Player::Generation(generation.number));
            let second = place(opponent(result));
            if first != second {
                encounters.push(Encounter { first, second, pairs: result.pairs });
            }
        }
    }
    let is_met = encounters.iter().any(|met| met.second == 0);
    let anchor = if is_met { 0 } else { encounters.first()?.second };
    let anchors: Vec<Option<f64>> =
        (0..pool.len()).map(|at| (at == anchor).then_some(0.0)).collect();
    let ratings = rate(&anchors, &encounters);
    let points = pool.iter().zip(ratings).filter_map(|(player, rating)| match player {
        Player::Generation(number) => rating.map(|rating| strength(*number, &rating)),
        Player::Other(_) => None,
    });
    let mut points: Vec<Strength> = points.collect();
    points.sort_by_key(|point| point.generation);
    Some(Strengths { anchor: pool[anchor].name(), points })
}

fn opponent(result: &MatchResult) -> Player {
    match result.against {
        Some(number) => Player::Generation(number),
        None => Player::Other(result.opponent.clone()),
    }
}

fn strength(generation: u32, rating: &Rating) -> Strength {
    let interval = Interval::around(rating.elo, rating.error);
    Strength { generation, elo: rating.elo, interval }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Pairs;

    fn result(opponent: &str, against: Option<u32>, pairs: [u64; 5]) -> MatchResult {
        let opponent = opponent.to_string();
        let (elo, low, high) = (None, None, None);
        let pairs = Pairs(pairs);
        MatchResult {
            opponent,
            against,
            games: 2 * pairs.count(),
            score: 0.5,
            pairs,
            elo,
            low,
            high,
        }
    }

    fn generation(number: u32, watch: Vec<MatchResult>) -> Generation {
        Generation { number, watch, ..Generation::default() }
    }

    #[test]
    fn a_chain_of_matches_reaches_beyond_every_fixed_opponent() {
        // Each scores three quarters against the one before, and all of them
        // win every game against random moves.
        let better = [0, 10, 20, 30, 40];
        let history = [
            generation(1, vec![result("random", None, [0, 0, 0, 0, 50])]),
            generation(
                2,
                vec![result("older", Some(1), better), result("random", None, [0, 0, 0, 0, 50])],
            ),
            generation(3, vec![result("gate", Some(2), better)]),
        ];
        let found = strengths(&history).unwrap();
        assert_eq!(found.anchor, "random");
        let elo: Vec<f64> = found.points.iter().map(|point| point.elo).collect();
        assert_eq!(
            found.points.iter().map(|point| point.generation).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        assert!(elo[1] - elo[0] > 100.0 && elo[2] - elo[1] > 100.0, "{elo:?}");
        for point in &found.points {
            assert!(point.interval.low.is_finite() && point.interval.low < point.elo, "{point:?}");
        }
    }

    #[test]
    fn the_start_is_zero_where_somebody_has_met_it() {
        let even = [5, 10, 20, 10, 5];
        let history = [
            generation(1, vec![result("start", Some(0), even)]),
            generation(2, vec![result("random", None, even), result("older", Some(1), even)]),
        ];
        let found = strengths(&history).unwrap();
        assert_eq!((found.anchor.as_str(), found.points[0].elo), ("the start", 0.0));
        assert_eq!(found.points.len(), 3);
        assert!(found.points.iter().all(|point| point.elo.abs() < 1.0), "{:?}", found.points);
    }

    #[test]
    fn without_matches_there_are_no_ratings() {
        assert!(strengths(&[generation(1, Vec::new())]).is_none());
    }
}
