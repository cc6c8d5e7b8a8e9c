//! Seeded choice. In: a seed and a game. Out: random numbers for one move.

use crate::players::GameLine;
use engine::search::Random;

/// A game's seed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chance(pub u64);

impl Chance {
    /// The generator for the current move. It is derived afresh from seed and
    /// game, not carried along, so that a game can be taken up anywhere. The
    /// length sets positions apart that repeat, lest a player cycle forever.
    pub fn for_move(self, game: &GameLine) -> Random {
        let line = game.line();
        let mut seed = Random::new(self.0.wrapping_add(line.len() as u64));
        Random::new(seed.next_u64() ^ line.last().key)
    }
}

/// One of `items`, each as likely; `None` if there are none.
pub fn pick<T: Copy>(random: &mut Random, items: &[T]) -> Option<T> {
    items.get(random.below(items.len())).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_are_even() {
        let mut random = Random::new(3);
        let mut hits = [0; 5];
        for _ in 0..10_000 {
            hits[pick(&mut random, &[0, 1, 2, 3, 4]).unwrap()] += 1;
        }
        assert!(hits.iter().all(|n| (1850..2150).contains(n)), "{hits:?}");
        assert_eq!(pick::<u8>(&mut random, &[]), None);
    }

    #[test]
    fn every_order_is_as_likely() {
        let mut random = Random::new(3);
        let mut hits = std::collections::BTreeMap::new();
        for _ in 0..6_000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            *hits.entry(items).or_insert(0) += 1;
        }
        assert_eq!(hits.len(), 6);
        assert!(hits.values().all(|n| (880..1120).contains(n)), "{hits:?}");
    }
}
