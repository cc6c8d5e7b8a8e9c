//! Fetches a wheel with pip, checks it, and puts its library into the cache.
//!
//! pip rather than a download of our own: it knows the user's mirrors, proxies
//! and certificates. A wheel is a zip archive, which Python can unpack.

use crate::wheel::{ABI, PYTHON, VERSION, Wheel};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Leaves `folder` with the library and its license, or as it was.
pub fn into_cache(wheel: &Wheel, folder: &Path) -> Result<(), String> {
    // Beside `folder`, which Cargo watches after a failure, not in it.
    let work = folder.with_file_name(format!("fetch-{}", std::process::id()));
    let fetched = fs::create_dir_all(&work)
        .map_err(|e| format!("cannot write {}: {e}", work.display()))
        .and_then(|()| fetch(wheel, &work, folder));
    let _ = fs::remove_dir_all(&work);
    fetched
}

fn fetch(wheel: &Wheel, work: &Path, folder: &Path) -> Result<(), String> {
    let python = download(wheel, work)?;
    let file = only_wheel(work)?;
    let bytes = fs::read(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let hash: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
    if hash != wheel.sha256 {
        return Err(format!(
            "the wheel that pip fetched has the SHA-256 {hash} instead of {}; fetch it from \
             another package index and build again",
            wheel.sha256
        ));
    }
    let mut unpack = Command::new(python);
    unpack.args(["-m", "zipfile", "-e"]).arg(&file).arg(work);
    run(&mut unpack).map_err(Option::unwrap_or_default)?;
    let inside = work.join("onnxruntime");
    for text in ["LICENSE", "ThirdPartyNotices.txt"] {
        let _ = fs::rename(inside.join(text), folder.join(text));
    }
    // The library last, and by renaming: where it is, it is whole.
    fs::rename(inside.join("capi").join(wheel.library), folder.join(wheel.library))
        .map_err(|e| format!("the wheel has no {}: {e}", wheel.library))
}

/// Runs pip under the first Python that has it, and returns that Python.
fn download(wheel: &Wheel, work: &Path) -> Result<&'static str, String> {
    let mut failure = None;
    for python in ["python3", "python", "py"] {
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:"])
            .args(["--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1"])
            .args(["--python-version", PYTHON, "--implementation", "cp", "--abi", ABI])
            .args(["--platform", wheel.platform])
            .arg("--dest")
            .arg(work)
            .arg(format!("onnxruntime=={VERSION}"));
        match run(&mut pip) {
            Ok(()) => return Ok(python),
            // The first Python's complaint says most.
            Err(cause) => failure = failure.or(cause),
        }
    }
    let cause = failure.unwrap_or_else(|| "there is no Python".to_string());
    Err(format!("{cause}; install Python 3 with pip, connect to a network and build again"))
}

fn only_wheel(work: &Path) -> Result<PathBuf, String> {
    let files = fs::read_dir(work).map_err(|e| e.to_string())?.flatten().map(|e| e.path());
    let mut wheels = files.filter(|path| path.extension().is_some_and(|e| e == "whl"));
    wheels.next().ok_or_else(|| "pip fetched no wheel".to_string())
}

/// Runs a program to its end. The error is its last line of complaint, or none
/// if there is no such program.
fn run(command: &mut Command) -> Result<(), Option<String>> {
    let output = command.stdin(Stdio::null()).output().map_err(|_| None)?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let last = complaint.lines().rev().find(|line| !line.trim().is_empty());
    Err(Some(last.unwrap_or("pip failed without a message").trim().to_string()))
}
