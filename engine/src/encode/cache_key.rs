//! Keys for the evaluation cache: what an encoder sees of a line in, 64 bits
//! out. Two lines with one key may share an evaluation.
//!
//! The half-move clock enters as a bucket. Its exact count barely moves an
//! evaluation while the fifty-move rule is far and would keep transpositions
//! apart; close to the limit every ply counts. Steps of 8 plies up to 39, of 4
//! up to 79, exact from 80 on.

use crate::chess::Ply;
use shakmaty::Position;

/// For an encoder without history: the position and its clock.
pub fn position(plies: &[Ply]) -> u64 {
    plies.last().map_or(0, |ply| mix(ply.key, rule50_bucket(ply.rule50())))
}

/// For an encoder that sees up to `history` boards with their repetitions and,
/// with `move_number`, the number of the move.
pub fn with_history(plies: &[Ply], history: usize, move_number: bool) -> u64 {
    let Some(last) = plies.last() else { return 0 };
    let seen = &plies[plies.len().saturating_sub(history)..];
    let mut key = position(plies);
    for ply in seen.iter().rev() {
        // Zero, once, twice or more: no encoder tells more apart.
        key = mix(key, ply.key ^ u64::from(ply.repetitions.min(2)));
    }
    if seen.len() < history {
        // Where history is made up, the en-passant square of the first
        // position shapes it even if nobody can capture; `Ply::key` has the
        // legal ones only.
        key = mix(key, seen[0].position.maybe_ep_square().map_or(64, |square| square as u64));
    }
    if move_number {
        key = mix(key, u64::from(last.position.fullmoves().get()));
    }
    key
}

fn rule50_bucket(plies: u32) -> u64 {
    u64::from(match plies {
        0..40 => plies / 8,
        40..80 => 5 + (plies - 40) / 4,
        _ => 15 + (plies - 80),
    })
}

/// Folds `word` into `key`; order matters, and for a given key it is one to one.
fn mix(key: u64, word: u64) -> u64 {
    let product = (key.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_widen_only_while_the_clock_is_low() {
        assert_eq!(rule50_bucket(0), rule50_bucket(7));
        assert_ne!(rule50_bucket(7), rule50_bucket(8));
        assert_eq!(rule50_bucket(40), rule50_bucket(43));
        assert_ne!(rule50_bucket(43), rule50_bucket(44));
        for plies in 79..160 {
            assert_eq!(rule50_bucket(plies + 1), rule50_bucket(plies) + 1);
        }
        for plies in 0..79 {
            assert!(rule50_bucket(plies + 1) - rule50_bucket(plies) <= 1);
        }
    }
}
