//! Whether a file is an ONNX Runtime library that this engine can use.
//!
//! `ort` panics on some of the faults found here, and takes the first library it
//! is given for good; so each candidate is tried before `ort` sees it.

use super::discover::{Candidate, Origin};
use super::image;
use libloading::Library;
use ort::sys::OrtApiBase;
use std::ffi::CStr;
use std::path::PathBuf;
use thiserror::Error;

/// Why a library cannot be used.
#[derive(Clone, Debug, Error)]
pub enum ProbeError {
    #[error("no ONNX Runtime library at {}", path.display())]
    Missing { path: PathBuf },
    #[error("{} {fault}", path.display())]
    BadFile { path: PathBuf, fault: String },
    #[error("{} cannot be loaded: {cause}", path.display())]
    Loader { path: PathBuf, cause: String },
    #[error("{} is a library, but not ONNX Runtime (it has no OrtGetApiBase)", path.display())]
    NotOnnxRuntime { path: PathBuf },
    #[error(
        "{} is ONNX Runtime {version}; this engine needs 1.{} or later",
        path.display(), ort::MINOR_VERSION
    )]
    WrongVersion { path: PathBuf, version: String },
}

/// Opens the candidate and returns its version.
pub(super) fn probe(candidate: &Candidate) -> Result<String, ProbeError> {
    let path = candidate.path.clone();
    // A bare name is for the system loader to find.
    if candidate.origin != Origin::System {
        if !path.exists() {
            return Err(ProbeError::Missing { path });
        }
        // Opening a pipe or a device might block for ever.
        if !path.is_file() {
            return Err(ProbeError::BadFile { path, fault: "is not a file".to_string() });
        }
        if let Some(fault) = image::fault(&path) {
            return Err(ProbeError::BadFile { path, fault });
        }
    }
    // SAFETY: loading runs the library's initializers. The file is one that the
    // user named, or one in the places where only the user or the system write.
    let library = unsafe { Library::new(&path) }
        .map_err(|e| ProbeError::Loader { path: path.clone(), cause: loader_message(&e) })?;
    let found = entry_point(&library).and_then(|base| Some((base, version(base)?)));
    // Never unloaded: the runtime leaves threads and handlers behind, and `ort`
    // opens the same file next.
    std::mem::forget(library);
    let (base, version) = found.ok_or(ProbeError::NotOnnxRuntime { path: path.clone() })?;
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let (major, minor) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    // SAFETY: the library stays loaded. An older one would answer null and print
    // on stderr, so it is asked only if its version promises the interface.
    let offered = || unsafe { !(base.GetApi)(ort::MINOR_VERSION).is_null() };
    if major == 1 && minor >= ort::MINOR_VERSION && offered() {
        return Ok(version);
    }
    Err(ProbeError::WrongVersion { path, version })
}

/// The loader's own words, which name a missing dependency, are in the source.
fn loader_message(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), |source| source.to_string())
}

fn entry_point(library: &Library) -> Option<&'static OrtApiBase> {
    type GetApiBase = unsafe extern "C" fn() -> *const OrtApiBase;
    // SAFETY: `OrtGetApiBase` is the documented entry point, of this type in every
    // version, and gives a static table; the library is never unloaded.
    unsafe { library.get::<GetApiBase>(b"OrtGetApiBase").ok()?().as_ref() }
}

fn version(base: &OrtApiBase) -> Option<String> {
    // SAFETY: the table's function gives a static string.
    unsafe {
        let text = (base.GetVersionString)();
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn fault(path: &Path) -> String {
        let candidate = Candidate { path: path.to_path_buf(), origin: Origin::Option };
        probe(&candidate).unwrap_err().to_string()
    }

    #[test]
    fn unusable_files_are_refused_before_they_can_do_harm() {
        let folder = std::env::temp_dir().join(format!("arbor-probe-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("libonnxruntime.so");
        assert!(fault(&file).contains("no ONNX Runtime library at"));
        assert!(fault(&folder).contains("is not a file"));
        fs::write(&file, "hello").unwrap();
        assert!(fault(&file).contains("only 5 bytes"));
        fs::write(&file, [7u8; 4096]).unwrap();
        assert!(fault(&file).contains("no Linux library"));
        // Any library cut short: this test's own binary has the right header.
        let binary = fs::read(std::env::current_exe().unwrap()).unwrap();
        fs::write(&file, &binary[..binary.len() / 20]).unwrap();
        assert!(fault(&file).contains("cut short"), "{}", fault(&file));
        let mut foreign = binary[..4096].to_vec();
        foreign[18] = 8;
        fs::write(&file, foreign).unwrap();
        assert!(fault(&file).contains("another processor"));
        fs::remove_dir_all(&folder).unwrap();
        assert!(fault(Path::new("/dev/null")).contains("is not a file"));
    }

    #[test]
    fn another_library_is_not_onnx_runtime() {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let libc = maps.split_whitespace().find(|word| word.contains("/libc.so"));
        let Some(libc) = libc else { return };
        assert!(fault(Path::new(libc)).contains("not ONNX Runtime"), "{}", fault(Path::new(libc)));
    }
}
