//! `trainer nets` on the repository's own networks.

use super::driver::{root, run_in, run_ok, run_refused, trainer};
use serde_json::Value;
use std::fs;
use std::process::Command;

#[test]
fn the_repository_s_networks_are_listed() {
    let report = run_ok(&root(), &["nets", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let tiny = report["networks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|network| network["path"] == "nets/tiny-basic18.onnx")
        .unwrap();
    assert_eq!(tiny["network"], "se-resnet 2x16");
    assert_eq!(tiny["encoder"], "basic18");
    assert_eq!(tiny["policy"], "az4672");
    assert_eq!(tiny["value"], "wdl");
    assert_eq!(tiny["precision"], "f32");
    assert_eq!(tiny["provenance"]["recipe"], "random weights, seed 1");
    let bytes = fs::metadata(root().join("nets/tiny-basic18.onnx")).unwrap().len();
    assert_eq!(tiny["bytes"], bytes);
    assert_eq!(tiny["sha256"].as_str().unwrap().len(), 64);
    // Nearly all of the file is weights of four bytes each.
    let parameters = tiny["parameters"].as_u64().unwrap();
    assert!(parameters * 4 < bytes && parameters * 4 > bytes * 9 / 10, "{parameters}");
    // Where there is no ONNX Runtime, there is no speed.
    if let Some(speed) = tiny["speed"].as_object() {
        assert!(speed["batch1"].as_f64().unwrap() > 10.0);
        assert!(speed["batch16"].as_f64().unwrap() > 10.0);
    }
}

#[test]
fn the_table_has_a_row_for_each_network() {
    let table = run_ok(&root(), &["nets", "--no-speed"]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("file") && lines[0].ends_with("batch 16"), "{table}");
    let row = lines.iter().find(|line| line.starts_with("nets/tiny-basic18.onnx")).unwrap();
    assert!(row.contains("basic18 az4672 wdl") && row.ends_with("-"), "{table}");
    assert!(table.contains("recipe: random weights, seed 1"), "{table}");
}

#[test]
fn unreadable_files_are_listed_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join("nets/tiny-basic18.onnx"), folder.path().join("good.onnx")).unwrap();
    fs::write(folder.path().join("bad.onnx"), "version https://git-lfs.github.com/spec/v1\n")
        .unwrap();
    fs::write(folder.path().join("notes.txt"), "not a network").unwrap();
    let table = run_ok(folder.path(), &["nets", ".", "--no-speed"]);
    assert!(table.contains("good.onnx") && !table.contains("notes.txt"), "{table}");
    assert!(table.contains("bad.onnx is a pointer of Git LFS"), "{table}");
    assert!(table.contains("git lfs pull"), "{table}");
    let json = run_ok(folder.path(), &["nets", ".", "--no-speed", "--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["networks"].as_array().unwrap().len(), 1);
    assert_eq!(report["networks"][0]["speed"], Value::Null);
    assert_eq!(report["unreadable"][0]["path"], "./bad.onnx");
}

#[test]
fn without_onnx_runtime_there_is_no_speed() {
    let output = Command::new(trainer())
        .args(["nets", "--json"])
        .current_dir(root())
        .env("ORT_DYLIB_PATH", "/nowhere/libonnxruntime.so")
        .output()
        .unwrap();
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["networks"][0]["speed"], Value::Null);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.starts_with("warning: speeds are not measured: "), "{errors}");
    assert!(errors.contains("/nowhere/libonnxruntime.so"), "{errors}");
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = run_refused(folder.path(), &["nets"]);
    assert_eq!(error, "error: no folder nets: name the folders that hold your networks\n");
    fs::create_dir(folder.path().join("nets")).unwrap();
    assert_eq!(run_ok(folder.path(), &["nets"]).trim(), "no networks (.onnx files) in nets");
    let unknown = run_in(folder.path(), &["nets", "--unknown"]);
    assert_eq!(unknown.status.code(), Some(2));
}
