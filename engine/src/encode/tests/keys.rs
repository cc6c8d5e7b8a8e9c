//! Cache keys differ exactly where the encoder sees a difference.

use super::lines::{line, planes, random_play};
use crate::chess::{Line, Ply};
use crate::encode::Encoder;
use std::collections::HashMap;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Which encoders give two lines different keys, in the order of `ALL`.
fn differ(one: &[Ply], other: &[Ply]) -> [bool; 7] {
    Encoder::ALL.map(|encoder| encoder.cache_key(one) != encoder.cache_key(other))
}

fn fens_differ(one: &str, other: &str) -> [bool; 7] {
    differ(line(one, "").plies(), line(other, "").plies())
}

#[test]
fn transpositions_share_a_key_without_history_only() {
    let one = line(START, "g1f3 g8f6 b1c3 b8c6");
    let other = line(START, "b1c3 b8c6 g1f3 g8f6");
    assert_eq!(differ(one.plies(), other.plies()), [false, true, true, true, false, false, false]);
}

#[test]
fn history_counts_as_far_as_it_is_seen() {
    // The rook went another way, six and seven plies ago: beyond nmp72's four
    // boards, within the eight of the others.
    let fen = "4k3/8/8/8/8/8/8/R3K2N w - - 0 1";
    let one = line(fen, "a1a2 e8e7 a2a1 e7e8 e1d1 e8d8 d1d2 d8d7");
    let other = line(fen, "a1b1 e8e7 b1a1 e7e8 e1d1 e8d8 d1d2 d8d7");
    assert_eq!(differ(one.plies(), other.plies()), [false, true, false, true, false, false, false]);
}

#[test]
fn the_clock_is_coarse_low_and_exact_high() {
    let fen = |clock| format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} 60");
    assert_eq!(fens_differ(&fen(0), &fen(7)), [false; 7]);
    assert_eq!(fens_differ(&fen(0), &fen(8)), [true; 7]);
    assert_eq!(fens_differ(&fen(90), &fen(91)), [true; 7]);
}

#[test]
fn move_numbers_count_where_they_are_seen() {
    let fen = |number| format!("4k3/8/8/8/8/8/8/R3K3 w - - 0 {number}");
    assert_eq!(fens_differ(&fen(30), &fen(31)), [false, true, true, false, false, false, false]);
}

#[test]
fn repetitions_count_where_they_are_seen() {
    let plies = line(START, "g1f3 g8f6 f3g1 f6g8").plies().to_vec();
    let mut fresh = plies.clone();
    for ply in &mut fresh {
        ply.repetitions = 0;
    }
    assert_eq!(differ(&plies, &fresh), [false, true, true, true, false, false, false]);
}

#[test]
fn what_shapes_made_up_history_counts() {
    // Nobody can take on e3, so position and legal moves are the same.
    let one = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    let other = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    assert!(fens_differ(one, other)[3]);
    assert!(!fens_differ(one, other)[0]);
}

/// The planes but the half-move clock's, which keys know in steps only.
fn seen(encoder: Encoder, line: &Line) -> Vec<u32> {
    let clock = match encoder {
        Encoder::Basic18 | Encoder::Rich | Encoder::Tactics => Some(17),
        // Its steps are no finer than those of the keys.
        Encoder::Threats => None,
        Encoder::Az119 => Some(118),
        Encoder::Nmp72 => Some(55),
        Encoder::Lc0 => Some(109),
    };
    let mut planes = planes(encoder, line);
    if let Some(clock) = clock {
        planes[clock * 64..][..64].fill(0.0);
    }
    planes.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn one_key_never_stands_for_two_inputs() {
    for encoder in Encoder::ALL {
        let mut by_key: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut shared = 0;
        random_play(3_000, false, |line| {
            let seen = seen(encoder, line);
            match by_key.get(&encoder.cache_key(line.plies())) {
                Some(before) => {
                    shared += 1;
                    assert!(*before == seen, "{}", encoder.name());
                }
                None => {
                    by_key.insert(encoder.cache_key(line.plies()), seen);
                }
            }
        });
        assert!(shared > 10, "{}: games share their first positions", encoder.name());
    }
}
