//! Random numbers that depend on the seed and on what they are for, not on
//! what was drawn before: the same on every run, in any number of processes.

use engine::search::Random;
use shakmaty::{Chess, Move, Position};

/// What a number is drawn for.
#[derive(Clone, Copy)]
pub enum Purpose {
    Offset,
    Sample,
    Disturb,
    Game,
    Follow,
}

/// The numbers for the `index`-th thing of its kind.
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> Random {
    let key = index ^ (purpose as u64) << 56;
    // Two rounds: neighboring keys would give shifted copies of one stream.
    Random::new(seed ^ Random::new(key).next_u64())
}

/// `None` when there is no legal move.
pub fn random_move(position: &Chess, random: &mut Random) -> Option<Move> {
    let moves = position.legal_moves();
    moves.get((random.unit() * moves.len() as f64) as usize).copied()
}

/// A position of a random game, after 1 to `LONGEST` plies, that is not over.
pub fn random_position(random: &mut Random) -> Chess {
    const LONGEST: f64 = 100.0;
    loop {
        let plies = 1 + (random.unit() * LONGEST) as usize;
        if let Some(position) = play_randomly(&Chess::default(), plies, random) {
            return position;
        }
    }
}

/// `None` when the game is over by then.
pub fn play_randomly(start: &Chess, plies: usize, random: &mut Random) -> Option<Chess> {
    let mut position = start.clone();
    for _ in 0..plies {
        position.play_unchecked(random_move(&position, random)?);
    }
    (!position.is_game_over()).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn streams_repeat_and_do_not_overlap() {
        let draw = |seed, purpose, index| -> Vec<u64> {
            let mut random = stream(seed, purpose, index);
            (0..20).map(|_| random.next_u64()).collect()
        };
        assert_eq!(draw(1, Purpose::Game, 5), draw(1, Purpose::Game, 5));
        let mut seen = HashSet::new();
        for seed in 0..4 {
            for purpose in [Purpose::Sample, Purpose::Game, Purpose::Follow] {
                for index in 0..50 {
                    for number in draw(seed, purpose, index) {
                        assert!(seen.insert(number));
                    }
                }
            }
        }
    }

    #[test]
    fn random_positions_are_of_all_lengths_and_can_be_played_on() {
        let mut lengths = HashSet::new();
        for index in 0..200 {
            let position = random_position(&mut stream(3, Purpose::Game, index));
            assert!(!position.legal_moves().is_empty());
            lengths.insert(position.fullmoves());
        }
        assert!(lengths.len() > 30);
    }
}
