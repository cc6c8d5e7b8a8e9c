//! The places where the runtime library may be, in order.

use super::PINNED_VERSION;
use crate::eval::cache::cache_folder;
use std::fmt;
use std::path::{Path, PathBuf};

/// Who named a library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Option,
    Environment,
    BesideBinary,
    Cache,
    System,
}

impl Origin {
    /// Whether somebody asked for exactly this file.
    pub fn is_named(self) -> bool {
        matches!(self, Origin::Option | Origin::Environment)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Option => "named by the option",
            Origin::Environment => "named by ORT_DYLIB_PATH",
            Origin::BesideBinary => "beside the binary",
            Origin::Cache => "in the cache",
            Origin::System => "on the system's library path",
        })
    }
}

/// A path that may hold the library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub path: PathBuf,
    pub origin: Origin,
}

/// All places to look in, best first; the files need not exist. A path that
/// somebody names is the only one.
pub fn candidates(explicit: Option<&Path>) -> Vec<Candidate> {
    let at = |path, origin| Candidate { path, origin };
    if let Some(path) = explicit.filter(|p| !p.as_os_str().is_empty()) {
        return vec![at(named_file(path), Origin::Option)];
    }
    if let Some(path) = std::env::var_os("ORT_DYLIB_PATH").filter(|p| !p.is_empty()) {
        return vec![at(named_file(Path::new(&path)), Origin::Environment)];
    }
    let mut list = Vec::new();
    for folder in binary_folders() {
        list.extend(file_names().map(|name| at(folder.join(name), Origin::BesideBinary)));
    }
    if let Some(cache) = cache_folder() {
        let folder = cache.join("onnxruntime").join(PINNED_VERSION);
        list.extend(file_names().map(|name| at(folder.join(name), Origin::Cache)));
    }
    list.extend(file_names().map(|name| at(PathBuf::from(name), Origin::System)));
    list
}

/// The library's file names: with the pinned version first, then without.
fn file_names() -> impl Iterator<Item = String> {
    let names = if cfg!(windows) {
        vec!["onnxruntime.dll".to_string()]
    } else if cfg!(target_os = "macos") {
        vec![format!("libonnxruntime.{PINNED_VERSION}.dylib"), "libonnxruntime.dylib".to_string()]
    } else {
        vec![
            format!("libonnxruntime.so.{PINNED_VERSION}"),
            "libonnxruntime.so.1".to_string(),
            "libonnxruntime.so".to_string(),
        ]
    };
    names.into_iter()
}

/// The binary's folder with symlinks resolved; for tests and examples, which
/// Cargo puts one folder deeper, the folder above, too.
fn binary_folders() -> Vec<PathBuf> {
    let binary = std::env::current_exe().and_then(|path| path.canonicalize());
    let Some(folder) = binary.ok().and_then(|path| path.parent().map(Path::to_path_buf)) else {
        return Vec::new();
    };
    let above =
        folder.parent().filter(|_| folder.ends_with("deps") || folder.ends_with("examples"));
    let above = above.map(Path::to_path_buf);
    [Some(folder), above].into_iter().flatten().collect()
}

/// A named folder means the library in it, as a wheel's `capi` folder has one.
/// The result is absolute: `ort` would resolve a relative path against the
/// binary's folder instead of the current one.
pub(super) fn named_file(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    if !path.is_dir() {
        return path;
    }
    let known = file_names().map(|name| path.join(name)).find(|file| file.exists());
    known.or_else(|| any_version(&path)).unwrap_or(path)
}

/// A library of another version in `folder`, as the GPU wheels carry.
fn any_version(folder: &Path) -> Option<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libonnxruntime.so.")
            || (name.starts_with("libonnxruntime.") && name.ends_with(".dylib"))
    };
    let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    files.filter(is_library).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_path_is_the_only_candidate() {
        let list = candidates(Some(Path::new("/nowhere/libonnxruntime.so")));
        assert_eq!(list.len(), 1);
        assert_eq!(list[0].origin, Origin::Option);
    }

    #[test]
    fn the_binary_comes_before_the_cache_before_the_system() {
        if std::env::var_os("ORT_DYLIB_PATH").is_some() {
            return;
        }
        let order: Vec<Origin> = candidates(None).into_iter().map(|c| c.origin).collect();
        let first = |origin| order.iter().position(|o| *o == origin);
        assert!(first(Origin::BesideBinary) < first(Origin::System));
        assert!(order.last() == Some(&Origin::System));
    }
}
