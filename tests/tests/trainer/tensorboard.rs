//! The event files of a run, read by TensorBoard itself.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use trainer::metrics::Recorder;

use crate::driver::root;
use crate::python::python_with;

const TENSORBOARD: &str = "tensorboard==2.21.0";

/// Records steps 1 to 5, resumes after step 3 and records 4 to 6 again.
fn record(folder: &Path) {
    let weights: Vec<f32> = (-500..500).map(|i| i as f32 / 100.0).collect();
    let mut recorder = Recorder::open(folder, None).unwrap();
    recorder.text("config", "    steps: 6").unwrap();
    for step in 1..=5 {
        recorder.scalar("train/loss", 10.0 / step as f64);
        recorder.histogram("weights/stem", &weights);
        recorder.finish_step(step, step * 256).unwrap();
    }
    let mut recorder = Recorder::open(folder, Some(3)).unwrap();
    for step in 4..=6 {
        recorder.scalar("train/loss", 100.0 / step as f64);
        recorder.finish_step(step, step * 256).unwrap();
    }
}

/// Everything that TensorBoard finds in a folder; `None` where it cannot be had.
pub fn read_by_tensorboard(folder: &Path) -> Option<Value> {
    let Some(python) = python_with(&[TENSORBOARD]) else {
        println!("skipped: no Python with {TENSORBOARD}, and none could be made");
        return None;
    };
    let script = root().join("tests/python/read_tensorboard.py");
    let output = Command::new(python).arg(script).arg(folder).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn tensorboard_reads_scalars_histograms_and_text_across_a_resume() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    let Some(read) = read_by_tensorboard(folder.path()) else { return };

    let losses = [10.0, 5.0, 10.0f32 / 3.0, 25.0, 20.0, 100.0f32 / 6.0];
    let expected: Vec<Value> =
        losses.iter().zip(1..).map(|(&loss, step)| json!([step, f64::from(loss)])).collect();
    assert_eq!(read["scalars"], json!({ "train/loss": expected }));
    assert_eq!(read["text"], json!({ "config": "    steps: 6" }));

    let histograms = read["histograms"]["weights/stem"].as_array().unwrap();
    let steps: Vec<&Value> = histograms.iter().map(|entry| &entry["step"]).collect();
    assert_eq!(steps, [1, 2, 3]);
    for entry in histograms {
        assert_eq!(entry["num"], 1000.0);
        assert_eq!((&entry["min"], &entry["max"]), (&json!(-5.0), &json!(f64::from(4.99f32))));
        let limits: Vec<f64> = serde_json::from_value(entry["limits"].clone()).unwrap();
        let counts: Vec<f64> = serde_json::from_value(entry["counts"].clone()).unwrap();
        assert!(limits.is_sorted());
        assert_eq!(counts.iter().sum::<f64>(), 1000.0);
        let below_zero = limits.iter().zip(&counts).filter(|(limit, _)| **limit < 0.0);
        assert_eq!(below_zero.map(|(_, count)| count).sum::<f64>(), 500.0);
    }

    let log = std::fs::read_to_string(folder.path().join(Recorder::LOG)).unwrap();
    let line = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let logged: Vec<(Value, Value)> = log
        .lines()
        .map(|text| (line(text)["step"].clone(), line(text)["positions"].clone()))
        .collect();
    let expected: Vec<(Value, Value)> = (1..=6).map(|s| (json!(s), json!(s * 256))).collect();
    assert_eq!(logged, expected);
}
