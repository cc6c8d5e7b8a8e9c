//! Chance without state: words in, the same number out on every run.

use engine::search::Random;

/// What a random number is for, so that no two uses share one.
#[derive(Clone, Copy)]
pub enum Purpose {
    Split = 1,
    Groups,
    Block,
    Thinning,
    Mixing,
}

/// A generator that depends on nothing but its arguments and their order.
pub fn random(purpose: Purpose, words: &[u64]) -> Random {
    let start = purpose as u64;
    Random::new(words.iter().fold(start, |state, word| Random::new(state ^ word).next_u64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_their_order_matter() {
        let first = |purpose, words: &[u64]| random(purpose, words).next_u64();
        let base = first(Purpose::Block, &[1, 2]);
        assert_eq!(base, first(Purpose::Block, &[1, 2]));
        assert_ne!(base, first(Purpose::Block, &[2, 1]));
        assert_ne!(base, first(Purpose::Mixing, &[1, 2]));
    }

    #[test]
    fn a_shuffle_reaches_every_order_equally() {
        let mut seen = [0; 6];
        let mut generator = random(Purpose::Block, &[3]);
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            generator.shuffle(&mut items);
            seen[items[0] * 2 + usize::from(items[1] > items[2])] += 1;
        }
        assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");
    }
}
