//! `trainer evaluate`: networks on positions that were kept from training.

use crate::driver::{root, run_ok, run_refused};
use crate::fixtures::shards;

#[test]
fn a_trained_network_knows_held_out_positions_as_its_training_said() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    shards(folder, 4000);
    let settings = [
        "data.validation=0.2",
        "data.targets.q_ratio=0.75",
        "data.batch_size=64",
        "model.encoder=tactics",
        "optimizer.kind=muon",
        "train.steps=80",
        "train.validate_every=80",
        "train.validation_positions=100000",
    ];
    let mut train = vec!["train", "--preset", "nano", "--data", "shards", "--name", "net"];
    train.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    run_ok(folder, &train);
    run_ok(folder, &["export-onnx", "runs/net", "--out", "net.onnx"]);
    let tiny = root().join("nets/tiny-basic18.onnx").display().to_string();
    let text = run_ok(
        folder,
        &["evaluate", "net.onnx", &tiny, "--data", "shards", "--validation", "0.2", "--json"],
    );
    let rows: serde_json::Value = serde_json::from_str(&text).unwrap();
    let [ours, random] = [&rows[0], &rows[1]];
    assert!(ours["positions"].as_u64().unwrap() > 300, "{rows}");
    assert_eq!(ours["positions"], random["positions"]);

    // The same positions as the last validation, so the same answer.
    let metrics = std::fs::read_to_string(folder.join("runs/net/metrics.jsonl")).unwrap();
    let last: serde_json::Value = serde_json::from_str(metrics.lines().last().unwrap()).unwrap();
    for name in ["policy_loss", "policy_top1", "policy_top5", "value_loss", "value_sign"] {
        let told = last[format!("validation/{name}")].as_f64().unwrap();
        let found = ours[name].as_f64().unwrap();
        assert!((told - found).abs() < 0.02, "{name}: {told} in training, {found} now");
    }
    for name in ["policy_loss", "value_loss", "value_error", "value_rms_error"] {
        let [trained, random] = [ours, random].map(|row| row[name].as_f64().unwrap());
        assert!(trained < random, "{name}: {trained} trained, {random} random");
    }

    let table =
        run_ok(folder, &["evaluate", "net.onnx", "--data", "shards", "--validation", "0.2"]);
    assert!(table.lines().count() == 2 && table.contains("net.onnx, shards"), "{table}");
}

#[test]
fn what_is_missing_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let tiny = root().join("nets/tiny-basic18.onnx").display().to_string();
    let errors = run_refused(folder, &["evaluate", &tiny, "--data", "nowhere"]);
    assert!(errors.contains("nowhere"), "{errors}");
    let errors = run_refused(folder, &["evaluate", "no.onnx", "--data", "nowhere"]);
    assert!(errors.contains("no.onnx"), "{errors}");
    let errors =
        run_refused(folder, &["evaluate", &tiny, "--data", "nowhere", "--backend", "abacus"]);
    assert!(errors.contains("abacus"), "{errors}");
}
