//! Runs that are killed, stopped or wrong: nothing finished is lost.

use crate::driver::{interrupt, run_in, run_ok, run_refused, trainer};
use crate::fixtures::shards;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A run of a few seconds that saves often.
const SETTINGS: [&str; 6] = [
    "data.batch_size=64",
    "train.steps=60",
    "train.checkpoint_every=10",
    "train.log_every=2",
    "train.validate_every=30",
    "train.validation_positions=256",
];

/// `more` settings count over these.
fn command<'a>(name: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["train", "--preset", "nano", "--data", "shards", "--name", name];
    args.extend(SETTINGS.iter().chain(more).flat_map(|setting| ["--set", setting]));
    args
}

fn start(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(trainer());
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Each line's step and values, without the times.
fn curve(folder: &Path, name: &str) -> Vec<(u64, serde_json::Value)> {
    let text = fs::read_to_string(folder.join("runs").join(name).join("metrics.jsonl")).unwrap();
    let parse = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        let timed = |name: &str| name.starts_with("speed/") || name == "wall_time";
        line.as_object_mut().unwrap().retain(|name, _| !timed(name));
        (line["step"].as_u64().unwrap(), line)
    };
    text.lines().map(parse).collect()
}

fn checkpoints(folder: &Path, name: &str) -> Vec<PathBuf> {
    let folder = folder.join("runs").join(name).join("checkpoints");
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "safetensors"));
    files.sort();
    files
}

fn final_weights(folder: &Path, name: &str) -> trainer::model::Weights {
    let newest = checkpoints(folder, name).pop().unwrap();
    assert!(newest.ends_with("step-000000060.safetensors"), "{}", newest.display());
    trainer::train::Checkpoint::load(&newest).unwrap().weights
}

fn lines(folder: &Path, name: &str) -> usize {
    let path = folder.join("runs").join(name).join("metrics.jsonl");
    fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn a_killed_run_goes_on_as_if_nothing_had_been() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    shards(folder, 4000);
    run_ok(folder, &command("whole", &[]));
    for kill_at in [3, 8, 17, 26] {
        let mut child = start(folder, &command("killed", &[]));
        let deadline = Instant::now() + Duration::from_secs(60);
        while lines(folder, "killed") < kill_at && Instant::now() < deadline {
            assert!(child.try_wait().unwrap().is_none(), "ended before it could be killed");
            sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    run_ok(folder, &command("killed", &[]));
    assert_eq!(curve(folder, "whole"), curve(folder, "killed"));
    assert_eq!(final_weights(folder, "whole"), final_weights(folder, "killed"));
    let losses = curve(folder, "whole");
    let loss = |at: usize| losses[at].1["train/loss"].as_f64().unwrap();
    assert!(loss(losses.len() - 1) < loss(0), "nothing was learned: {losses:?}");
}

#[test]
fn ctrl_c_saves_and_exits_with_130() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    shards(folder, 2000);
    let args = command("stopped", &["train.checkpoint_every=100000"]);
    let mut child = start(folder, &args);
    while lines(folder, "stopped") < 4 {
        assert!(child.try_wait().unwrap().is_none(), "ended before it could be stopped");
        sleep(Duration::from_millis(2));
    }
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(checkpoints(folder, "stopped").len(), 1);
    let output = run_in(folder, &["train", "--resume", "runs/stopped"]);
    let [progress, result] =
        [output.stderr, output.stdout].map(|text| String::from_utf8(text).unwrap());
    assert!(progress.contains("going on after step"), "{progress}");
    assert!(result.contains("finished 60 steps"), "{result}");
}

#[test]
fn divergence_stops_and_names_the_last_good_checkpoint() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    shards(folder, 2000);
    let wild = [
        "schedule.learning_rate=1e9",
        "schedule.warmup=0",
        "optimizer.gradient_clip=0",
        "train.checkpoint_every=1",
    ];
    let errors = run_refused(folder, &command("wild", &wild));
    assert!(errors.contains("diverged at step"), "{errors}");
    assert!(errors.contains("the last good checkpoint is runs/wild/checkpoints"), "{errors}");
    let last = checkpoints(folder, "wild").pop().unwrap();
    trainer::train::Checkpoint::load(&last).unwrap();
}

#[test]
fn a_run_under_the_same_name_must_have_the_same_settings() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    shards(folder, 2000);
    let short = ["schedule.warmup=0", "train.steps=2"];
    run_ok(folder, &command("mine", &short));
    let errors = run_refused(folder, &command("mine", &["schedule.warmup=0", "train.steps=3"]));
    assert!(errors.contains("begun with other settings"), "{errors}");
    // What is finished is told, not repeated.
    let output = run_ok(folder, &command("mine", &short));
    assert!(output.contains("finished 2 steps"), "{output}");
    // A checkpoint is not a run.
    let errors = run_refused(
        folder,
        &["train", "--resume", "runs/mine/checkpoints/step-000000002.safetensors"],
    );
    assert!(errors.contains("takes the run's folder"), "{errors}");
    for file in ["config.toml", "run.json", "metrics.jsonl"] {
        assert!(folder.join("runs/mine").join(file).exists(), "{file}");
    }
}

#[test]
fn a_run_starts_from_anothers_weights() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    shards(folder, 2000);
    run_ok(folder, &command("first", &[]));
    let start = "train.start_from=runs/first";
    run_ok(folder, &command("second", &[start, "run.seed=5", "schedule.learning_rate=0.0005"]));
    let loss = |name: &str, at: usize| curve(folder, name)[at].1["train/loss"].as_f64().unwrap();
    let (fresh, learned, warm) = (loss("first", 0), loss("first", 29), loss("second", 0));
    assert!(warm < (fresh + learned) / 2.0, "{fresh} {learned}, then {warm}");

    let errors = run_refused(folder, &command("third", &[start, "model.channels=24"]));
    assert!(errors.contains("train.start_from") && errors.contains("instead of"), "{errors}");
    let errors = run_refused(folder, &command("fourth", &["train.start_from=runs/none"]));
    assert!(errors.contains("train.start_from") && errors.contains("runs/none"), "{errors}");
}
