//! The folder for what is costly to make again: the runtime library, chosen
//! batch sizes, compiled engines.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// `ARBOR_CACHE`, else the platform's cache folder; `None` without a home. The
/// build script has the same rule.
pub fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(folder) = set("ARBOR_CACHE") {
        return Some(folder);
    }
    let base = if cfg!(windows) {
        set("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        set("HOME")?.join("Library").join("Caches")
    } else {
        set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?
    };
    Some(base.join("arbor"))
}

/// Writes a file so that readers see the old or the new content, never a part.
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(content))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}
