//! The pinned wheel of each platform: which file pip shall fetch, and its hash.

use std::env;

pub const VERSION: &str = "1.31.1";

/// One wheel. The tags name one exact file, whatever Python runs pip.
pub struct Wheel {
    pub platform: &'static str,
    pub sha256: &'static str,
    /// The library's file name, inside the wheel and outside.
    pub library: &'static str,
}

/// Python version and ABI of the wheels; the library inside does not use them.
pub const PYTHON: &str = "3.13";
pub const ABI: &str = "cp313";

pub fn for_target() -> Result<Wheel, String> {
    let get = |name: &str| env::var(name).unwrap_or_default();
    let (os, arch) = (get("CARGO_CFG_TARGET_OS"), get("CARGO_CFG_TARGET_ARCH"));
    let libc = get("CARGO_CFG_TARGET_ENV");
    let (platform, sha256, library) = match (os.as_str(), arch.as_str()) {
        ("linux", _) if libc != "gnu" => return Err(format!("it needs glibc, not {libc}")),
        ("linux", "x86_64") => (
            "manylinux_2_28_x86_64",
            "74a6a52994616c4d18b33db1e13c226333a70a6ba07480a5cab9c2a50dff1430",
            "libonnxruntime.so.1.31.1",
        ),
        ("linux", "aarch64") => (
            "manylinux_2_28_aarch64",
            "dcaedc50333876f3829ab966b242147f0e548229e29c36fe44622ecf748c25ee",
            "libonnxruntime.so.1.31.1",
        ),
        ("macos", "aarch64") => (
            "macosx_14_0_arm64",
            "e4ad067d36e2220218e085d7223283b2ee1bc73d887e811fd14d21cf901a11ee",
            "libonnxruntime.1.31.1.dylib",
        ),
        ("windows", "x86_64") => (
            "win_amd64",
            "0558f29d5f6ac09957390c9c5495931485ee8ae7f0ce781ccee86a0ae5c2348b",
            "onnxruntime.dll",
        ),
        ("windows", "aarch64") => (
            "win_arm64",
            "075147c2e2430b4b29c436bffa78537b902a6ed58ed66f99ae3c6795e2081cb5",
            "onnxruntime.dll",
        ),
        // Wheels for Intel Macs end with 1.23, which is too old for us.
        _ => return Err(format!("there is no wheel of version {VERSION} for {os} on {arch}")),
    };
    Ok(Wheel { platform, sha256, library })
}
