//! What users get wrong, and what breaks: every command answers with a line that
//! says what to do, and leaves nothing half done.

use crate::driver::{run_in, run_ok, run_refused, trainer};
use crate::fixtures::shards;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

fn train<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["train", "--preset", "nano", "--name", "x", "--steps", "40"];
    args.extend(more);
    args
}

#[track_caller]
fn assert_says(errors: &str, words: &[&str]) {
    for word in words {
        assert!(errors.contains(word), "no {word:?} in: {errors}");
    }
}

#[test]
fn data_that_is_none() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::create_dir(folder.join("empty")).unwrap();
    fs::create_dir(folder.join("foreign")).unwrap();
    fs::write(folder.join("foreign/table.parquet"), b"PAR1 nothing like it PAR1").unwrap();
    fs::create_dir(folder.join("cut")).unwrap();
    let good = fs::read_dir(shards(folder, 300)).unwrap().next().unwrap().unwrap().path();
    let bytes = fs::read(good).unwrap();
    fs::write(folder.join("cut/half.parquet"), &bytes[..bytes.len() / 2]).unwrap();
    for (data, words) in [
        ("nowhere", vec!["nowhere"]),
        ("empty", vec!["empty"]),
        ("foreign", vec!["table.parquet"]),
        ("cut", vec!["half.parquet"]),
    ] {
        assert_says(&run_refused(folder, &train(&["--data", data])), &words);
        assert!(!folder.join("runs/x/checkpoints").exists(), "{data}");
    }
    let errors = run_refused(folder, &train(&[]));
    assert_says(&errors, &["data.sources"]);
}

#[test]
fn all_that_is_wrong_with_a_config_is_told_at_once() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let file = "preset: small\n\
                optimiser: {kind: adamw}\n\
                model: {blocks: 2, attention_blocks: 3, chanels: 8}\n\
                loss: {alpha: 7}\n\
                train: {steps: ten}\n";
    fs::write(folder.join("run.yaml"), file).unwrap();
    let errors =
        run_refused(folder, &["train", "--config", "run.yaml", "--set", "optimizer.ema=1"]);
    let words = ["optimiser", "model.attention_blocks", "chanels", "channels", "loss.alpha"];
    assert_says(&errors, &words);
    assert_says(&errors, &["train.steps", "optimizer.ema", "run.yaml"]);
    fs::write(folder.join("broken.toml"), "[train\nsteps = 1").unwrap();
    let errors = run_refused(folder, &["train", "--config", "broken.toml"]);
    assert_says(&errors, &["broken.toml"]);
    let errors = run_refused(folder, &["train", "--config", "none.toml"]);
    assert_says(&errors, &["none.toml"]);
}

#[test]
fn a_device_that_is_not_built_in_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    shards(scratch.path(), 300);
    for device in ["cuda", "wgpu"] {
        let args = train(&["--data", "shards", "--device", device]);
        assert_says(&run_refused(scratch.path(), &args), &[device, "--features", "--device cpu"]);
    }
}

#[test]
fn checkpoints_that_are_none() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("noise.safetensors"), b"noise").unwrap();
    for from in ["nowhere", "noise.safetensors"] {
        let errors = run_refused(folder, &["export-onnx", from, "--out", "net.onnx"]);
        assert_says(&errors, &[from]);
        assert!(!folder.join("net.onnx").exists());
        let errors = run_refused(folder, &["train", "--resume", from]);
        assert_says(&errors, &[from]);
    }
}

#[test]
fn a_reference_of_another_encoder_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    shards(folder, 1000);
    let run = |name: &'static str, more: &[&'static str]| {
        let mut args = vec!["train", "--preset", "nano", "--data", "shards", "--steps", "2"];
        args.extend(["--warmup", "0", "--name", name]);
        args.extend(more.iter().flat_map(|setting| ["--set", setting]));
        args
    };
    run_ok(folder, &run("first", &[]));
    let near = ["loss.kl.network=runs/first", "loss.kl.weight=0.5"];
    let output = run_ok(folder, &run("second", &near));
    assert!(output.contains("finished 2 steps"), "{output}");
    let foreign = [near[0], near[1], "model.encoder=az119"];
    assert_says(&run_refused(folder, &run("third", &foreign)), &["basic18", "az119"]);
}

/// A file-size limit stands in for a full disk: writing fails in the middle.
#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_nothing_half_written_stays() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    shards(folder, 1000);
    let limited = |args: &str| {
        let line = format!("trap '' XFSZ; ulimit -f 16; exec {} {args}", trainer().display());
        Command::new("bash").args(["-c", &line]).current_dir(folder).output().unwrap()
    };
    let output = limited("train --preset nano --data shards --steps 2 --warmup 0 --name full");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert_says(&errors, &["cannot be written"]);
    assert!(leftovers(&folder.join("runs/full/checkpoints")).is_empty());

    run_ok(
        folder,
        &[
            "train", "--preset", "nano", "--data", "shards", "--steps", "2", "--warmup", "0",
            "--name", "room",
        ],
    );
    let output = limited("export-onnx runs/room --out net.onnx");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert_says(&errors, &["net.onnx", "cannot be written"]);
    assert!(!folder.join("net.onnx").exists());
    assert!(run_in(folder, &["export-onnx", "runs/room", "--out", "net.onnx"]).status.success());
}

fn leftovers(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().to_string()).collect()
}

#[cfg(unix)]
#[test]
fn output_that_nobody_reads_ends_it_quietly() {
    let mut command = Command::new(trainer());
    command.args(["train", "--help-config"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}
