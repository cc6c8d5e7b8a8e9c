//! Runs the trainer's and the engine's binaries.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// A binary beside this test's, brought up to date first: Cargo does not build
/// other packages' binaries for a test.
fn built(package: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap().to_path_buf();
    let path = profile.join(format!("{package}{}", std::env::consts::EXE_SUFFIX));
    // Outside `cargo test` the variable is missing, and what is there is tested.
    if let Some(cargo) = std::env::var_os("CARGO").or((!path.exists()).then(|| "cargo".into())) {
        let mut build = Command::new(cargo);
        // All of the workspace: a part alone would have other features of what they
        // share, and build it again.
        build.args(["build", "--workspace", "--bins", "--target-dir"]);
        build.arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.current_dir(root()).status().unwrap().success(), "no {package} to test");
    }
    path
}

pub fn trainer() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| built("trainer"))
}

pub fn engine() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| built("engine"))
}

/// On the path, or where Debian puts games; a note when it is missing.
pub fn stockfish() -> Option<String> {
    let folders = std::env::split_paths(&std::env::var_os("PATH")?).collect::<Vec<_>>();
    let name = format!("stockfish{}", std::env::consts::EXE_SUFFIX);
    let mut all = folders.into_iter().chain([PathBuf::from("/usr/games")]);
    let found = all.find(|folder| folder.join(&name).is_file());
    if found.is_none() {
        println!("skipped: no stockfish");
    }
    found.map(|folder| folder.join(name).display().to_string())
}

/// Syzygy tables of up to four men; a note when they are missing.
pub fn tables() -> Option<String> {
    let default = || root().join("../shared/data/syzygy");
    let folder = std::env::var_os("ARBOR_TEST_SYZYGY").map_or_else(default, PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no Syzygy tables in {} (set ARBOR_TEST_SYZYGY)", folder.display());
    }
    folder.is_dir().then(|| folder.display().to_string())
}

/// Runs a trainer command to its end, in `folder`.
pub fn run_in(folder: &Path, args: &[&str]) -> Output {
    Command::new(trainer()).args(args).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// The same, for commands that must succeed; their output.
pub fn run_ok(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// The same, for commands that must fail with exit code 1; what they complain of.
pub fn run_refused(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    let errors = String::from_utf8_lossy(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

/// Ctrl-C.
pub fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}
