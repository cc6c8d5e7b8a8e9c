//! What goes wrong, and how it is told.

use super::games::{folder, games, settings, source, write};
use crate::dataset::{Dataset, DatasetError, DatasetSettings, SourceSettings, ValidationSet};
use crate::shards::{Ply, PolicyTarget, SearchKind};
use engine::chess::PackedMove;
use engine::encode::Encoder;
use std::fs;

fn first_error(settings: &DatasetSettings) -> DatasetError {
    let mut dataset = match Dataset::open(settings, Encoder::Basic18, None) {
        Ok(dataset) => dataset,
        Err(error) => return error,
    };
    for _ in 0..1000 {
        if let Err(error) = dataset.next_batch() {
            assert!(matches!(dataset.next_batch(), Err(DatasetError::Stopped)));
            return error;
        }
    }
    panic!("no error in 1000 batches");
}

#[test]
fn an_illegal_record_is_named_and_never_sampled() {
    let mut records = games(0..20);
    records[13].plies[4] = Ply::played(PackedMove(0));
    // The group alone is the mark: its value is known, the others' is not.
    records.iter_mut().for_each(|record| record.result = crate::shards::Outcome::Unknown);
    records[13].result = crate::shards::Outcome::Draw;
    let folder = folder(&records);
    let settings = settings(vec![source(&folder, 1.0)]);
    let mut dataset = Dataset::open(&settings, Encoder::Basic18, None).unwrap();
    let error = loop {
        match dataset.next_batch() {
            Ok(batch) => assert!(batch.value_weight.iter().all(|weight| *weight == 0.0)),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("games.parquet: row 13: ply 4: "), "{error}");
    assert!(error.contains("not legal"), "{error}");
}

#[test]
fn bad_targets_are_named() {
    type Change = (&'static str, fn(&mut Ply));
    let changes: [Change; 5] = [
        ("policy move a1a1 is not legal", |ply| ply.policy = vec![target(0, 1.0)]),
        ("policy weight NaN", |ply| ply.policy = vec![target(ply.played.unwrap().0, f32::NAN)]),
        ("policy weight -1", |ply| ply.policy = vec![target(ply.played.unwrap().0, -1.0)]),
        ("wdl", |ply| ply.wdl = Some([f32::NAN, 0.0, 0.0])),
        ("weight NaN", |ply| ply.weight = f32::NAN),
    ];
    for (message, change) in changes {
        let mut records = games(0..10);
        change(&mut records[8].plies[2]);
        let folder = folder(&records);
        let error = first_error(&settings(vec![source(&folder, 1.0)])).to_string();
        assert!(error.contains("row 8: ply 2: "), "{error}");
        assert!(error.contains(message), "{error}");
    }
}

fn target(code: u16, weight: f32) -> PolicyTarget {
    PolicyTarget { m: PackedMove(code), weight, visits: None, prior: None, value: None }
}

#[test]
fn a_bad_shard_is_named() {
    let folder = folder(&games(0..20));
    let path = folder.path().join("games.parquet");
    let mut bytes = fs::read(&path).unwrap();
    for byte in &mut bytes[200..400] {
        *byte = !*byte;
    }
    fs::write(&path, &bytes).unwrap();
    let error = first_error(&settings(vec![source(&folder, 1.0)])).to_string();
    assert!(error.contains("games.parquet"), "{error}");
    fs::write(&path, &bytes[..300]).unwrap();
    let error = first_error(&settings(vec![source(&folder, 1.0)])).to_string();
    assert!(error.contains("games.parquet: truncated"), "{error}");
}

#[test]
fn an_empty_dataset_says_which_setting_did_it() {
    let folder = folder(&games(0..20));
    let base = settings(vec![source(&folder, 1.0)]);
    let causes: [(&str, DatasetSettings); 4] = [
        ("`validation`", DatasetSettings { validation: 1.0, ..base.clone() }),
        ("`min_ply`", DatasetSettings { min_ply: Some(500), ..base.clone() }),
        ("`kinds`", DatasetSettings { kinds: Some(vec![SearchKind::Book]), ..base.clone() }),
        ("`sample_rate`", DatasetSettings { sample_rate: 1e-9, ..base.clone() }),
    ];
    for (cause, settings) in causes {
        let error = first_error(&settings).to_string();
        assert!(error.contains("no positions left for training"), "{error}");
        assert!(error.contains(cause), "{error}");
        assert!(error.contains(folder.path().to_str().unwrap()), "{error}");
    }
    let mut set = ValidationSet::open(&base, Encoder::Basic18, 100).unwrap();
    let error = set.next_batch().unwrap_err().to_string();
    assert!(error.contains("for validation") && error.contains("`validation`"), "{error}");
    write(&folder.path().join("games.parquet"), &[]);
    let error = first_error(&base).to_string();
    assert!(error.contains("hold no positions"), "{error}");
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let folder = folder(&games(0..1));
    let base = settings(vec![source(&folder, 1.0)]);
    let with = |change: fn(&mut DatasetSettings)| {
        let mut settings = base.clone();
        change(&mut settings);
        first_error(&settings).to_string()
    };
    assert!(with(|s| s.sources.clear()).starts_with("sources "));
    assert!(with(|s| s.sources[0].weight = 0.0).starts_with("sources.weight "));
    assert!(with(|s| s.batch_size = 0).starts_with("batch_size"));
    assert!(with(|s| s.validation = 1.5).starts_with("validation "));
    assert!(with(|s| s.sample_rate = 0.0).starts_with("sample_rate "));
    assert!(with(|s| s.window = Some(0)).starts_with("window "));
    assert!(with(|s| s.kinds = Some(Vec::new())).starts_with("kinds "));
    assert!(with(|s| s.targets.soften = -0.1).starts_with("targets.soften "));
    assert!(with(|s| s.targets.policy_temperature = 0.0).starts_with("targets.policy_temp"));
    assert!(with(|s| s.sources[0].paths = vec!["/nowhere".into()]).contains("/nowhere"));
}

#[test]
fn unknown_settings_are_refused() {
    let read = |text| serde_json::from_str::<DatasetSettings>(text);
    let read_settings = read(r#"{"sources": [{"paths": ["a"]}], "targets": {"soften": 0.1}}"#);
    let expected = SourceSettings { paths: vec!["a".into()], weight: 1.0 };
    let read_settings = read_settings.unwrap();
    assert_eq!(read_settings.sources, [expected]);
    assert_eq!(read_settings.targets.soften, 0.1);
    for text in [
        r#"{"shufle": 1}"#,
        r#"{"targets": {"sotfen": 1}}"#,
        r#"{"sources": [{"paths": [], "wait": 1}]}"#,
    ] {
        assert!(read(text).unwrap_err().to_string().contains("unknown field"));
    }
}
