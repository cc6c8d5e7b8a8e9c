//! Who plays whom, with which opening and color: every game has a number, and
//! everything about it follows from that.

use engine::search::Random;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Two players.
    Match,
    /// The first player against each of the others.
    Gauntlet,
    /// Everybody against everybody.
    RoundRobin,
}

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    pub game: u64,
    pub white: usize,
    pub black: usize,
    /// Index into the book.
    pub opening: usize,
    /// For what is random in the players.
    pub seed: u64,
}

/// All games of a match. Rounds follow each other; in a round every pairing
/// plays one opening with both colors, the same opening in all pairings. More
/// rounds leave the numbers of the earlier games as they are.
#[derive(Clone, Debug)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    /// The book's openings in the order they are played.
    order: Vec<usize>,
    rounds: u64,
    seed: u64,
}

impl Schedule {
    pub fn new(format: Format, players: usize, rounds: u64, seed: u64) -> Schedule {
        let pairings = match format {
            Format::Match => vec![(0, 1)],
            Format::Gauntlet => (1..players).map(|other| (0, other)).collect(),
            Format::RoundRobin => {
                (0..players).flat_map(|a| (a + 1..players).map(move |b| (a, b))).collect()
            }
        };
        Schedule { pairings, order: vec![0], rounds, seed }
    }

    /// With the openings of a book, in its order or shuffled by the seed.
    pub fn with_openings(mut self, count: usize, shuffle: bool) -> Schedule {
        self.order = (0..count.max(1)).collect();
        if shuffle {
            Random::new(self.seed).shuffle(&mut self.order);
        }
        self
    }

    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    pub fn games(&self) -> u64 {
        self.rounds * self.pairings.len() as u64 * 2
    }

    /// Rounds that have an opening of their own.
    pub fn distinct_rounds(&self) -> u64 {
        self.order.len() as u64
    }

    pub fn job(&self, game: u64) -> Job {
        let pair = game / 2;
        let (first, second) = self.pairings[(pair % self.pairings.len() as u64) as usize];
        let round = pair / self.pairings.len() as u64;
        let (white, black) = if game.is_multiple_of(2) { (first, second) } else { (second, first) };
        Job {
            game,
            white,
            black,
            opening: self.order[(round % self.order.len() as u64) as usize],
            seed: Random::new(self.seed ^ Random::new(game).next_u64()).next_u64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn every_pairing_plays_every_opening_with_both_colors() {
        for (format, pairings) in [(Format::RoundRobin, 6), (Format::Gauntlet, 3)] {
            let schedule = Schedule::new(format, 4, 5, 7).with_openings(5, true);
            assert_eq!(schedule.games(), pairings * 5 * 2);
            let mut seen = HashSet::new();
            let mut colors: HashMap<usize, i32> = HashMap::new();
            for game in 0..schedule.games() {
                let job = schedule.job(game);
                assert!(seen.insert((job.white, job.black, job.opening)), "{job:?}");
                *colors.entry(job.white).or_default() += 1;
                *colors.entry(job.black).or_default() -= 1;
                let partner = schedule.job(game ^ 1);
                assert_eq!((partner.white, partner.opening), (job.black, job.opening));
                assert_ne!(partner.seed, job.seed);
            }
            assert!(colors.values().all(|balance| *balance == 0));
        }
    }

    #[test]
    fn a_longer_match_begins_as_the_shorter_one() {
        let schedule = |rounds| Schedule::new(Format::Match, 2, rounds, 1).with_openings(9, true);
        for game in 0..schedule(3).games() {
            assert_eq!(schedule(3).job(game), schedule(20).job(game));
        }
    }

    #[test]
    fn the_seed_shuffles() {
        let order = |seed, shuffle| {
            Schedule::new(Format::Match, 2, 9, seed).with_openings(50, shuffle).order
        };
        assert_eq!(order(1, true), order(1, true));
        assert_ne!(order(1, true), order(2, true));
        assert_eq!(order(1, false), (0..50).collect::<Vec<_>>());
        assert_eq!(order(1, true).into_iter().collect::<HashSet<_>>().len(), 50);
    }
}
