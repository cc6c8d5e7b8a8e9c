//! Against an independent computation (`tests/oracle/match_statistics.py`, by
//! generic optimizers), and the sequential test against simulated matches.

use super::*;
use engine::search::Random;
use serde::Deserialize;

const ORACLE: &str = include_str!("../../../tests/data/trainer/match_statistics.json");

#[derive(Deserialize)]
struct Oracle {
    matches: Vec<MatchCase>,
    sprt: Vec<SprtCase>,
    pools: Vec<PoolCase>,
}

#[derive(Deserialize)]
struct MatchCase {
    counts: [u64; 5],
    score: f64,
    elo: f64,
    low: f64,
    high: f64,
    normalized_elo: f64,
    los: f64,
}

#[derive(Deserialize)]
struct SprtCase {
    counts: [u64; 5],
    bounds: [f64; 2],
    model: Model,
    llr: f64,
}

#[derive(Deserialize)]
struct PoolCase {
    anchors: Vec<Option<f64>>,
    encounters: Vec<(usize, usize, [u64; 5])>,
    ratings: Vec<f64>,
    errors: Vec<f64>,
}

fn oracle() -> Oracle {
    serde_json::from_str(ORACLE).unwrap()
}

fn assert_near(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    assert!((ours - theirs).abs() <= tolerance * theirs.abs().max(1.0), "{what}: {ours}, {theirs}");
}

#[test]
fn differences_agree_with_the_oracle() {
    for case in oracle().matches {
        let ours = Comparison::new(&Pairs(case.counts)).unwrap();
        let what = format!("{:?}", case.counts);
        assert_near(ours.score, case.score, 1e-12, &what);
        assert_near(ours.elo, case.elo, 1e-9, &what);
        assert_near(ours.interval.low, case.low, 1e-9, &what);
        assert_near(ours.interval.high, case.high, 1e-9, &what);
        assert_near(ours.normalized_elo, case.normalized_elo, 1e-9, &what);
        assert_near(ours.los, case.los, 1e-9, &what);
    }
}

#[test]
fn likelihood_ratios_agree_with_the_oracle() {
    for case in oracle().sprt {
        let [elo0, elo1] = case.bounds;
        let sprt = Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model: case.model };
        let what = format!("{:?} {sprt:?}", case.counts);
        assert_near(sprt.llr(&Pairs(case.counts)), case.llr, 1e-7, &what);
    }
}

#[test]
fn ratings_agree_with_the_oracle() {
    for case in oracle().pools {
        let encounters: Vec<Encounter> = case
            .encounters
            .iter()
            .map(|(first, second, counts)| Encounter {
                first: *first,
                second: *second,
                pairs: Pairs(*counts),
            })
            .collect();
        let ours = rate(&case.anchors, &encounters);
        for (player, rating) in ours.iter().enumerate() {
            let rating = rating.unwrap();
            assert!(!rating.damped);
            assert_near(rating.elo, case.ratings[player], 1e-6, "rating");
            assert_near(rating.error, case.errors[player], 1e-6, "error");
        }
    }
}

#[test]
fn a_pool_of_two_is_a_match() {
    let pairs = Pairs([10, 25, 60, 40, 15]);
    let comparison = Comparison::new(&pairs).unwrap();
    let rated = rate(&[None, Some(2000.0)], &[Encounter { first: 0, second: 1, pairs }]);
    let rating = rated[0].unwrap();
    assert_near(rating.elo - 2000.0, comparison.elo, 1e-9, "elo");
    // The same interval but for the curve of the Elo scale.
    assert_near(CONFIDENCE * rating.error, comparison.interval.half(), 0.02, "interval");
}

#[test]
fn winners_of_everything_are_finite_and_said_to_be_damped() {
    let pairs = Pairs([0, 0, 0, 0, 20]);
    let rated = rate(&[None, Some(1500.0)], &[Encounter { first: 0, second: 1, pairs }]);
    let rating = rated[0].unwrap();
    assert!(rating.damped && rating.elo > 2000.0 && rating.elo < 2500.0, "{rating:?}");
    assert!(rating.error > 100.0, "{rating:?}");
    let comparison = Comparison::new(&pairs).unwrap();
    assert_eq!(comparison.elo, f64::INFINITY);
    assert!(comparison.interval.low > 200.0 && comparison.interval.low < 1000.0);
    assert!(comparison.los > 0.99);
    let json = serde_json::to_string(&comparison).unwrap();
    assert!(json.contains("\"elo\":null"), "{json}");
}

#[test]
fn pairs_that_are_all_alike_leave_doubt() {
    // Drawn pairs only: the rating is the opponent's, but not for certain.
    let pairs = Pairs([0, 0, 10, 0, 0]);
    let rated = rate(&[None, Some(2000.0)], &[Encounter { first: 0, second: 1, pairs }]);
    let rating = rated[0].unwrap();
    assert!((rating.elo - 2000.0).abs() < 1e-6 && rating.error > 30.0, "{rating:?}");
    // One pair won: a good sign, no more.
    let comparison = Comparison::new(&Pairs([0, 0, 0, 0, 1])).unwrap();
    assert!((0.6..0.9).contains(&comparison.los), "{comparison:?}");
    let comparison = Comparison::new(&Pairs([1, 0, 0, 0, 0])).unwrap();
    assert!((0.1..0.4).contains(&comparison.los), "{comparison:?}");
}

#[test]
fn a_single_drawn_pair_says_little() {
    let comparison = Comparison::new(&Pairs([0, 0, 1, 0, 0])).unwrap();
    assert_eq!((comparison.elo, comparison.normalized_elo, comparison.los), (0.0, 0.0, 0.5));
    assert!(comparison.interval.low < -400.0 && comparison.interval.high > 400.0);
    assert_eq!(Comparison::new(&Pairs::default()), None);
}

#[test]
fn who_never_met_cannot_be_compared() {
    let pairs = Pairs([1, 2, 3, 2, 1]);
    let met = [Encounter { first: 0, second: 1, pairs }];
    let rated = rate(&[None, None, None], &met);
    assert!(rated[0].is_some() && rated[1].is_some() && rated[2].is_none());
    let rated = rate(&[None, None, Some(1500.0)], &met);
    assert!(rated[0].is_none() && rated[2].unwrap().anchored);
    assert!(rate(&[None, None], &[]).iter().all(Option::is_none));
}

#[test]
fn bounds_are_those_of_wald() {
    let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Logistic };
    let (lower, upper) = sprt.bounds();
    // As every testing framework prints them.
    assert_eq!(format!("{lower:.2} {upper:.2}"), "-2.94 2.94");
    assert_eq!(sprt.llr(&Pairs::default()), 0.0);
    assert!(sprt.problem().is_none());
    assert!(Sprt { elo1: 0.0, ..sprt }.problem().is_some());
    assert!(Sprt { alpha: 0.5, ..sprt }.problem().is_some());
}

#[test]
fn wilson_of_few_trials() {
    // Worked by hand from Wilson's formula for 8 of 10.
    let interval = wilson(8, 10);
    assert_near(interval.low, 0.490162, 1e-5, "low");
    assert_near(interval.high, 0.943318, 1e-5, "high");
    assert_eq!(wilson(0, 0), Interval { low: 0.0, high: 1.0 });
}

/// One game of a player who is stronger by `elo`, from an opening that favors
/// the player by `bias`; draws as common as between good engines.
fn game(elo: f64, bias: f64, random: &mut Random) -> GameResult {
    let threshold = 190.0;
    let win = expected_score(elo + bias - threshold);
    let loss = expected_score(-elo - bias - threshold);
    match random.unit() {
        x if x < win => GameResult::Win,
        x if x < win + loss => GameResult::Loss,
        _ => GameResult::Draw,
    }
}

/// The Elo parameter of [`game`] at which the expected score is that of `elo`.
fn true_strength(elo: f64) -> f64 {
    let score = |x: f64| {
        let of = |bias: f64| {
            let win = expected_score(x + bias - 190.0);
            let loss = expected_score(-x - bias - 190.0);
            win + (1.0 - win - loss) / 2.0
        };
        (of(BIAS) + of(-BIAS)) / 2.0
    };
    let (mut low, mut high) = (-1000.0, 1000.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if score(middle) < expected_score(elo) { low = middle } else { high = middle }
    }
    low
}

/// How much openings favor a side, in the simulation.
const BIAS: f64 = 60.0;

/// How many of 200 matches end in favor of H1, and how long they are.
fn simulate(sprt: Sprt, elo: f64) -> (u32, f64) {
    let strength = true_strength(elo);
    let (mut accepted, mut pairs_played) = (0, 0);
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut pairs = Pairs::default();
        let decision = loop {
            // The opening favors the player in one game and the opponent in the
            // other.
            let games = [BIAS, -BIAS].map(|bias| game(strength, bias, &mut random));
            pairs.add(games);
            if let Some(decision) = sprt.decision(&pairs) {
                break decision;
            }
            assert!(pairs.count() < 100_000, "no decision");
        };
        accepted += u32::from(decision == Decision::H1);
        pairs_played += pairs.count();
    }
    (accepted, pairs_played as f64 / 200.0)
}

#[test]
fn simulated_matches_are_decided_rightly() {
    let sprt = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, model: Model::Logistic };
    let (wrong, _) = simulate(sprt, 0.0);
    assert!(wrong <= 20, "H1 accepted in {wrong} of 200 matches of equals");
    let (right, _) = simulate(sprt, 20.0);
    assert!(right >= 180, "H1 accepted in only {right} of 200 matches");
    // At the bounds themselves the errors are those that were asked for, 5 %.
    let (at_bound, _) = simulate(sprt, 10.0);
    assert!((180..200).contains(&at_bound), "{at_bound}");
}

#[test]
fn the_normalized_test_decides_rightly_too() {
    let sprt = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, model: Model::Normalized };
    let (wrong, _) = simulate(sprt, 0.0);
    assert!(wrong <= 20, "{wrong}");
    let (right, _) = simulate(sprt, 20.0);
    assert!(right >= 180, "{right}");
}
