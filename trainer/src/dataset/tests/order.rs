//! Order, mixture and resumption.

use super::games::{folder, games, settings, source, write};
use crate::dataset::{Batch, Cursor, Dataset, DatasetSettings, ValidationSet};
use engine::encode::Encoder;
use std::collections::HashMap;
use std::time::{Duration, Instant};

fn batches(settings: &DatasetSettings, cursor: Option<&Cursor>, count: usize) -> Vec<Batch> {
    let mut dataset = Dataset::open(settings, Encoder::Basic18, cursor).unwrap();
    (0..count).map(|_| dataset.next_batch().unwrap()).collect()
}

/// How often each position occurs, by its planes.
fn count(batches: &[Batch]) -> HashMap<Vec<u32>, usize> {
    let mut counts = HashMap::new();
    for batch in batches {
        for planes in batch.planes.chunks(18 * 64) {
            *counts.entry(planes.iter().map(|x| x.to_bits()).collect()).or_default() += 1;
        }
    }
    counts
}

/// Thinned, an epoch of the first has about 1,000 positions: several blocks.
fn two_sources() -> (Vec<tempfile::TempDir>, DatasetSettings) {
    let folders = vec![folder(&games(0..60)), folder(&games(60..90))];
    let settings = settings(vec![source(&folders[0], 2.0), source(&folders[1], 1.0)]);
    (folders, DatasetSettings { sample_rate: 0.7, ..settings })
}

#[test]
fn resuming_anywhere_gives_the_same_batches() {
    let (_folders, settings) = two_sources();
    let whole = batches(&settings, None, 150);
    let mut dataset = Dataset::open(&settings, Encoder::Basic18, None).unwrap();
    let mut resumed_at = Vec::new();
    for (taken, expected) in whole.iter().enumerate() {
        if taken % 19 == 0 {
            let text = serde_json::to_string(dataset.cursor()).unwrap();
            let cursor: Cursor = serde_json::from_str(&text).unwrap();
            assert_eq!(cursor.batch, taken as u64);
            let end = (taken + 40).min(whole.len());
            assert_eq!(batches(&settings, Some(&cursor), end - taken), whole[taken..end]);
            resumed_at.push(cursor.sources[0].place);
        }
        assert_eq!(dataset.next_batch().unwrap(), *expected);
    }
    // The places tried lie in several epochs and blocks.
    assert!(resumed_at.iter().any(|place| place.epoch > 1), "{resumed_at:?}");
    assert!(resumed_at.iter().any(|place| place.group > 0), "{resumed_at:?}");
}

#[test]
fn threads_and_prefetch_do_not_matter() {
    let (_folders, settings) = two_sources();
    let one = DatasetSettings { workers: 1, prefetch: 1, ..settings.clone() };
    let many = DatasetSettings { workers: 5, prefetch: 9, ..settings };
    assert_eq!(batches(&one, None, 80), batches(&many, None, 80));
}

#[test]
fn recycled_memory_changes_nothing() {
    let (_folders, settings) = two_sources();
    let mut dataset = Dataset::open(&settings, Encoder::Basic18, None).unwrap();
    for expected in batches(&settings, None, 30) {
        let batch = dataset.next_batch().unwrap();
        assert_eq!(batch, expected);
        dataset.recycle(batch);
    }
}

#[test]
fn an_epoch_has_every_position_once_and_the_next_another_order() {
    let records = games(0..40);
    let positions: usize = records.iter().map(|record| record.plies.len()).sum();
    let folder = folder(&records);
    let settings = DatasetSettings { batch_size: 1, ..settings(vec![source(&folder, 1.0)]) };
    let all = batches(&settings, None, 2 * positions);
    let (first, second) = all.split_at(positions);
    assert_eq!(count(first), count(second));
    assert_ne!(first, second);
    // Neighbors in a game are no neighbors here.
    let in_order = first.windows(2).filter(|w| w[0].moves_left[0] == w[1].moves_left[0] + 1.0);
    assert!(in_order.count() < positions / 10);
    let other = DatasetSettings { seed: 8, ..settings };
    assert_ne!(first, batches(&other, None, positions));
}

#[test]
fn thinning_takes_its_share_and_others_each_epoch() {
    let records = games(0..60);
    let positions: usize = records.iter().map(|record| record.plies.len()).sum();
    let folder = folder(&records);
    let settings = DatasetSettings {
        batch_size: 1,
        sample_rate: 0.3,
        shuffle: 100_000,
        ..settings(vec![source(&folder, 1.0)])
    };
    let mut dataset = Dataset::open(&settings, Encoder::Basic18, None).unwrap();
    let mut epochs = [Vec::new(), Vec::new()];
    loop {
        let batch = dataset.next_batch().unwrap();
        let place = dataset.cursor().sources[0].place;
        // The last sample of a block leaves the cursor at the next one.
        let epoch = (place.epoch - u64::from(dataset.cursor().sources[0].taken == 0)) as usize;
        let Some(epoch) = epochs.get_mut(epoch) else { break };
        epoch.push(batch);
    }
    for epoch in &epochs {
        let share = epoch.len() as f64 / positions as f64;
        assert!((0.25..0.35).contains(&share), "{share}");
    }
    let (first, second) = (count(&epochs[0]), count(&epochs[1]));
    let both = first.keys().filter(|planes| second.contains_key(*planes)).count();
    assert!(both * 2 < first.len(), "{both} of {}", first.len());
    let estimate = dataset.positions_per_epoch().unwrap() as f64 / positions as f64;
    assert!((0.25..0.35).contains(&estimate), "{estimate}");
}

#[test]
fn sources_mix_by_weight() {
    // Draws here, decided games there: the value tells the source.
    let mut drawn = games(0..30);
    drawn.iter_mut().for_each(|record| record.result = crate::shards::Outcome::Draw);
    let mut won = games(30..60);
    won.iter_mut().for_each(|record| record.result = crate::shards::Outcome::White);
    let folders = [folder(&drawn), folder(&won)];
    let settings = settings(vec![source(&folders[0], 3.0), source(&folders[1], 1.0)]);
    let all = batches(&settings, None, 200);
    let draws: f32 = all.iter().flat_map(|batch| batch.wdl.chunks(3)).map(|wdl| wdl[1]).sum();
    // 6,400 samples: four standard deviations are 139.
    assert!((4660.0..4940.0).contains(&draws), "{draws}");
}

#[test]
fn validation_is_disjoint_whole_and_the_same_for_every_seed() {
    let records = games(0..80);
    let positions: usize = records.iter().map(|record| record.plies.len()).sum();
    let folder = folder(&records);
    let settings = DatasetSettings {
        validation: 0.25,
        batch_size: 7,
        min_ply: Some(6), // the first moves occur in many games
        ..settings(vec![source(&folder, 1.0)])
    };
    let validation = |settings: &DatasetSettings, limit| {
        let mut set = ValidationSet::open(settings, Encoder::Basic18, limit).unwrap();
        let mut all = Vec::new();
        while let Some(batch) = set.next_batch().unwrap() {
            all.push(batch);
        }
        all
    };
    let kept = validation(&settings, usize::MAX);
    let size: usize = kept.iter().map(|batch| batch.size).sum();
    assert!((positions / 10..positions * 4 / 10).contains(&size), "{size} of {positions}");
    let trained = count(&batches(&settings, None, 2 * positions / 7));
    let held_out = count(&kept);
    assert!(held_out.keys().all(|planes| !trained.contains_key(planes)));
    // Together they are everything.
    let whole = DatasetSettings { validation: 0.0, ..settings.clone() };
    let distinct = count(&batches(&whole, None, 2 * positions / 7)).len();
    assert_eq!(trained.len() + held_out.len(), distinct);

    let other_seed = DatasetSettings { seed: 99, workers: 1, ..settings.clone() };
    assert_eq!(validation(&other_seed, usize::MAX), kept);
    let some = validation(&settings, 30);
    assert_eq!(some.iter().map(|batch| batch.size).collect::<Vec<_>>(), [7, 7, 7, 7, 2]);
    assert_eq!(some[..4], kept[..4]);
    assert!(validation(&settings, 0).is_empty());
}

#[test]
fn new_shards_start_a_new_epoch() {
    let folder = folder(&games(0..40));
    let settings = settings(vec![source(&folder, 1.0)]);
    let mut dataset = Dataset::open(&settings, Encoder::Basic18, None).unwrap();
    dataset.next_batch().unwrap();
    let cursor = dataset.cursor().clone();
    write(&folder.path().join("more.parquet"), &games(40..50));
    let mut dataset = Dataset::open(&settings, Encoder::Basic18, Some(&cursor)).unwrap();
    let place = dataset.cursor().sources[0].place;
    assert_eq!((dataset.cursor().batch, place.epoch, place.group), (1, 1, 0));
    assert_eq!(dataset.next_batch().unwrap().size, 32);
}

#[test]
fn dropping_ends_all_threads_at_once() {
    let folder = folder(&games(0..60));
    let settings = DatasetSettings { prefetch: 50, ..settings(vec![source(&folder, 1.0)]) };
    let mut dataset = Dataset::open(&settings, Encoder::Az119, None).unwrap();
    dataset.next_batch().unwrap();
    assert!(dataset.wait() > Duration::ZERO);
    // Joins every thread.
    let before = Instant::now();
    drop(dataset);
    assert!(before.elapsed() < Duration::from_secs(2), "{:?}", before.elapsed());
}
