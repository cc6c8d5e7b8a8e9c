//! Puts the ONNX Runtime library beside the binary.
//!
//! In: the target platform. Out: `libonnxruntime` in the profile folder of the
//! target directory, linked from the cache, where it is fetched once from the
//! pinned Python wheel. Without network or Python the build still succeeds: the
//! engine then plays on its slower Rust backend, and a warning says what to do.

#[path = "build/fetch.rs"]
mod fetch;
#[path = "build/wheel.rs"]
mod wheel;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-env-changed=ARBOR_CACHE");
    println!("cargo:rerun-if-env-changed=ARBOR_SKIP_RUNTIME_DOWNLOAD");
    if env::var_os("ARBOR_SKIP_RUNTIME_DOWNLOAD").is_some_and(|v| !v.is_empty() && v != "0") {
        return;
    }
    if let Err(cause) = provide() {
        println!(
            "cargo:warning=ONNX Runtime is not installed: {cause}. Until then the engine plays on \
             its slower Rust backend, or on a library of version 1.24 or later that ORT_DYLIB_PATH \
             names when it runs."
        );
    }
}

fn provide() -> Result<(), String> {
    let wheel = wheel::for_target()?;
    let folder = cache_folder()?.join("onnxruntime").join(wheel::VERSION);
    fs::create_dir_all(&folder).map_err(|e| format!("cannot write {}: {e}", folder.display()))?;
    let cached = folder.join(wheel.library);
    if !cached.exists() {
        if let Err(cause) = fetch::into_cache(&wheel, &folder) {
            // A library put there by hand makes Cargo run this again. Naming the
            // missing file itself would rebuild the engine every time.
            println!("cargo:rerun-if-changed={}", folder.display());
            return Err(cause);
        }
        age(&cached);
    }
    let beside = profile_folder()?.join(wheel.library);
    println!("cargo:rerun-if-changed={}", beside.display());
    place(&cached, &beside)
}

/// Links the library to its place, or copies it to another file system.
fn place(cached: &Path, beside: &Path) -> Result<(), String> {
    let size = |path: &Path| fs::metadata(path).map(|m| m.len()).ok();
    if size(beside).is_some() && size(beside) == size(cached) {
        return Ok(());
    }
    let temporary = beside.with_extension(format!("{}.tmp", std::process::id()));
    let _ = fs::remove_file(&temporary);
    fs::hard_link(cached, &temporary)
        .or_else(|_| fs::copy(cached, &temporary).map(|_| age(&temporary)))
        .and_then(|()| fs::rename(&temporary, beside))
        .map_err(|e| format!("cannot write {}: {e}", beside.display()))
}

/// Dates a file back: Cargo would take one written during this run as changed,
/// and build the engine a second time.
fn age(path: &Path) {
    let yesterday = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
    if let Ok(file) = fs::File::options().write(true).open(path) {
        let _ = file.set_modified(yesterday);
    }
}

/// Where the binary will be: OUT_DIR is `<profile>/build/engine-<hash>/out`.
fn profile_folder() -> Result<PathBuf, String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let profile = out.ancestors().nth(3);
    Ok(profile.ok_or("OUT_DIR has an unknown form")?.to_path_buf())
}

/// The same rule as the engine's `cache_folder`.
fn cache_folder() -> Result<PathBuf, String> {
    let set = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = match env::consts::OS {
        _ if set("ARBOR_CACHE").is_some() => return set("ARBOR_CACHE").ok_or_else(String::new),
        "windows" => set("LOCALAPPDATA"),
        "macos" => set("HOME").map(|home| home.join("Library").join("Caches")),
        _ => set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache"))),
    };
    Ok(base.ok_or("no cache folder: set ARBOR_CACHE")?.join("arbor"))
}
