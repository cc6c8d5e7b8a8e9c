//! What stands in the batches.

use super::games::{START, folder, game, games, settings, source};
use crate::dataset::{Batch, Dataset, DatasetSettings, TargetSettings};
use crate::shards::{Outcome, Ply, PolicyTarget, Record, Replay, SearchKind};
use engine::chess::{PackedMove, parse_fen, parse_move};
use engine::encode::{Encoder, PolicyMap};
use shakmaty::Position;
use std::collections::HashSet;

/// One epoch, a position per batch.
fn epoch(
    records: &[Record],
    encoder: Encoder,
    change: impl FnOnce(&mut DatasetSettings),
) -> Vec<Batch> {
    let folder = folder(records);
    let mut settings = settings(vec![source(&folder, 1.0)]);
    settings.batch_size = 1;
    change(&mut settings);
    let mut dataset = Dataset::open(&settings, encoder, None).unwrap();
    let mut batches = Vec::new();
    loop {
        let batch = dataset.next_batch().unwrap();
        let cursor = &dataset.cursor().sources[0];
        if cursor.place.epoch > 1 || cursor.place.epoch == 1 && cursor.taken > 0 {
            return batches;
        }
        batches.push(batch);
    }
}

fn record(fen: &str, plies: Vec<Ply>) -> Record {
    Record { start_fen: fen.to_string(), plies, source: "test".into(), ..Record::default() }
}

fn packed(fen: &str, text: &str) -> PackedMove {
    PackedMove::new(parse_move(&parse_fen(fen, false).unwrap(), text).unwrap())
}

fn target(m: PackedMove, weight: f32) -> PolicyTarget {
    PolicyTarget { m, weight, visits: None, prior: None, value: None }
}

/// The target of a move, by its index.
fn share(batch: &Batch, index: usize) -> f32 {
    batch.moves.iter().position(|m| *m == index as i32).map_or(f32::NAN, |at| batch.policy[at])
}

#[test]
fn every_encoder_sees_what_a_full_replay_shows() {
    let mut records = games(0..6);
    // Knights go to and fro, so that positions repeat.
    let tour = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(3);
    let mut position = parse_fen(START, false).unwrap();
    let mut plies = Vec::new();
    for text in tour {
        let m = parse_move(&position, text).unwrap();
        plies.push(Ply::played(PackedMove::new(m)));
        position.play_unchecked(m);
    }
    records.push(record(START, plies));
    for encoder in Encoder::ALL {
        let mut expected = HashSet::new();
        for record in &records {
            let mut replay = Replay::new(record).unwrap();
            while let Some(step) = replay.advance().unwrap() {
                let mut planes = vec![0.0; encoder.planes() * 64];
                encoder.encode(step.line.plies(), &mut planes);
                expected.insert(planes.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
            }
        }
        for rate in [1.0, 0.4] {
            let batches = epoch(&records, encoder, |settings| settings.sample_rate = rate);
            let seen: HashSet<Vec<u32>> =
                batches.iter().map(|b| b.planes.iter().map(|x| x.to_bits()).collect()).collect();
            assert!(seen.is_subset(&expected), "{}", encoder.name());
            assert!(rate < 1.0 || seen == expected, "{}", encoder.name());
        }
    }
}

#[test]
fn moves_are_the_legal_ones_padded() {
    let records = games(0..4);
    let folder = folder(&records);
    let settings = settings(vec![source(&folder, 1.0)]);
    let batch = Dataset::open(&settings, Encoder::Basic18, None).unwrap().next_batch().unwrap();
    assert_eq!(batch.size, 32);
    assert_eq!(batch.planes.len(), 32 * 18 * 64);
    assert_eq!(batch.width % 8, 0);
    let mut widest = 0;
    for row in 0..batch.size {
        let of = row * batch.width..(row + 1) * batch.width;
        let legal = &batch.legal[of.clone()];
        let count = legal.iter().filter(|flag| **flag == 1.0).count();
        widest = widest.max(count);
        assert!(legal[..count].iter().all(|flag| *flag == 1.0));
        assert!(legal[count..].iter().all(|flag| *flag == 0.0));
        assert!(batch.moves[of.clone()][count..].iter().all(|index| *index == 0));
        let distinct: HashSet<i32> = batch.moves[of.clone()][..count].iter().copied().collect();
        assert_eq!(distinct.len(), count);
        assert_eq!(batch.policy[of].iter().sum::<f32>(), 1.0);
    }
    assert_eq!(batch.width, widest.next_multiple_of(8));
    assert_eq!(batch.moves.len(), batch.size * batch.width);
}

#[test]
fn the_policy_comes_from_the_target_else_the_move() {
    let (e2e4, d2d4) = (packed(START, "e2e4"), packed(START, "d2d4"));
    let soft = Ply { policy: vec![target(e2e4, 30.0), target(d2d4, 10.0)], ..Ply::played(d2d4) };
    let start = parse_fen(START, false).unwrap();
    let index = |m: PackedMove| PolicyMap::Az4672.index(m.unpack(&start), &start);
    let batches = epoch(&[record(START, vec![soft])], Encoder::Basic18, |_| {});
    assert_eq!(share(&batches[0], index(e2e4)), 0.75);
    assert_eq!(share(&batches[0], index(d2d4)), 0.25);
    let batches = epoch(&[record(START, vec![Ply::played(d2d4)])], Encoder::Basic18, |settings| {
        settings.targets = TargetSettings { policy_smoothing: 0.2, ..TargetSettings::default() };
    });
    assert!((share(&batches[0], index(d2d4)) - 0.81).abs() < 1e-6);
    assert!((share(&batches[0], index(e2e4)) - 0.01).abs() < 1e-6);
    let value = Ply { q: Some(0.0), ..Ply::default() };
    let batches = epoch(&[record(START, vec![value])], Encoder::Basic18, |_| {});
    assert!(batches[0].policy.iter().all(|share| *share == 0.0));
    assert_eq!((batches[0].value_weight[0], batches[0].moves_left[0]), (1.0, -1.0));
}

#[test]
fn moves_are_those_of_the_encoders_policy() {
    // On the left half of the board, where left and right are swapped: rook takes
    // a guarded knight, which loses, or steps aside.
    let fen = "r5k1/5pp1/4p3/3n4/8/8/1P6/2KR4 w - - 0 30";
    let position = parse_fen(fen, false).unwrap();
    let (losing, quiet) = (packed(fen, "d1d5"), packed(fen, "d1d2"));
    let index = |m: PackedMove| PolicyMap::Exchange.index(m.unpack(&position), &position);
    assert_eq!((index(losing), index(quiet)), (118 + 1858, 106));
    let soft = Ply { policy: vec![target(losing, 1.0), target(quiet, 3.0)], ..Ply::played(quiet) };
    let batch = epoch(&[record(fen, vec![soft])], Encoder::Threats, |_| {}).remove(0);
    assert_eq!((share(&batch, index(losing)), share(&batch, index(quiet))), (0.25, 0.75));
    let moves = batch.moves.iter().zip(&batch.legal).filter(|(_, legal)| **legal == 1.0);
    let found: HashSet<i32> = moves.map(|(index, _)| *index).collect();
    let legal = position.legal_moves();
    let wanted = legal.iter().map(|m| PolicyMap::Exchange.index(*m, &position) as i32);
    assert_eq!(found, wanted.collect());
}

#[test]
fn values_are_the_movers_view() {
    let e2e4 = packed(START, "e2e4");
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let mut game = record(START, vec![Ply::played(e2e4), Ply::played(packed(after, "e7e5"))]);
    game.plies[1].wdl = Some([0.6, 0.4, 0.0]);
    game.result = Outcome::White;
    let mut batches = epoch(&[game], Encoder::Basic18, |settings| settings.targets.q_ratio = 0.5);
    batches.sort_by_key(|batch| batch.moves_left[0] as i32);
    let [black, white] = batches.as_slice() else { panic!("{} positions", batches.len()) };
    assert_eq!((white.wdl.as_slice(), white.moves_left[0]), (&[1.0, 0.0, 0.0][..], 2.0));
    assert_eq!((black.wdl.as_slice(), black.moves_left[0]), (&[0.3, 0.2, 0.5][..], 1.0));
}

#[test]
fn a_position_and_its_mirror_are_one_sample() {
    let white = "4k3/8/8/3p4/8/5N2/4P3/4K3 w - - 3 9";
    let black = "4k3/4p3/5n2/8/3P4/8/8/4K3 b - - 3 9";
    let mut plies = vec![Ply::played(packed(white, "f3d4"))];
    plies.push(Ply::default());
    let mut first = record(white, plies);
    first.result = Outcome::White;
    let mut second = record(black, vec![Ply::played(packed(black, "f6d5")), Ply::default()]);
    second.result = Outcome::Black;
    let only_first = |settings: &mut DatasetSettings| settings.max_ply = Some(0);
    let sorted = |mut batch: Batch| {
        let mut moves: Vec<(i32, u32)> =
            batch.moves.drain(..).zip(batch.policy.drain(..).map(f32::to_bits)).collect();
        moves.sort_unstable();
        (batch, moves)
    };
    let first = epoch(&[first], Encoder::Basic18, only_first).remove(0);
    let second = epoch(&[second], Encoder::Basic18, only_first).remove(0);
    assert_eq!(sorted(first), sorted(second));
}

#[test]
fn positions_without_moves_or_targets_are_left_out() {
    // Checkmated; a value is known, but there is nothing to play.
    let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let mut mate = record(mated, vec![Ply { q: Some(-1.0), ..Ply::default() }]);
    mate.result = Outcome::Black;
    // Nothing known at all; and a weight of 0.
    let nothing = record(START, vec![Ply::default()]);
    let muted = record(START, vec![Ply { weight: 0.0, ..Ply::played(packed(START, "e2e4")) }]);
    let kept = record(START, vec![Ply::played(packed(START, "d2d4"))]);
    let batches = epoch(&[mate, nothing, muted, kept], Encoder::Basic18, |_| {});
    assert_eq!(batches.len(), 1);
    assert_eq!((batches[0].value_weight[0], batches[0].weight[0]), (0.0, 1.0));
}

#[test]
fn the_window_keeps_the_newest_generations() {
    let mut records = games(0..12);
    for (number, record) in records.iter_mut().enumerate() {
        record.generation = (number > 0).then_some(number as u32);
        let mark = number as f32 + 1.0;
        record.plies.iter_mut().for_each(|ply| ply.weight = mark);
    }
    let of = |change: &dyn Fn(&mut DatasetSettings)| {
        let batches = epoch(&records, Encoder::Basic18, change);
        let mut seen: Vec<i32> = batches.iter().map(|batch| batch.weight[0] as i32 - 1).collect();
        seen.sort_unstable();
        seen.dedup();
        seen
    };
    assert_eq!(of(&|_| {}), (0..12).collect::<Vec<_>>());
    assert_eq!(of(&|settings| settings.window = Some(3)), [0, 9, 10, 11]);
    assert_eq!(of(&|settings| settings.window = Some(99)), (0..12).collect::<Vec<_>>());
}

#[test]
fn filters_of_ply_and_kind() {
    let mut game = game(3);
    let count = game.plies.len();
    game.result = Outcome::Draw;
    game.plies[2].kind = SearchKind::Full;
    game.plies[5].kind = SearchKind::Human;
    let left = |change: &dyn Fn(&mut DatasetSettings)| {
        let batches = epoch(std::slice::from_ref(&game), Encoder::Basic18, change);
        let mut left: Vec<usize> =
            batches.iter().map(|batch| count - batch.moves_left[0] as usize).collect();
        left.sort_unstable();
        left
    };
    let plies = left(&|settings| (settings.min_ply, settings.max_ply) = (Some(3), Some(6)));
    assert_eq!(plies, [3, 4, 5, 6]);
    let kinds = Some(vec![SearchKind::Full, SearchKind::Human]);
    assert_eq!(left(&|settings| settings.kinds = kinds.clone()), [2, 5]);
}
