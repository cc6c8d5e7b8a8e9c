//! Files that are whole or not there: written under a temporary name, synced
//! and renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The ending of files that are still being written. Readers pass over it.
pub const UNFINISHED: &str = "tmp";

/// A file under its temporary name; [`finish`](Self::finish) gives it the real
/// one. Dropped before that, it is deleted.
pub struct AtomicFile {
    writer: Option<BufWriter<File>>,
    temporary: PathBuf,
    target: PathBuf,
}

impl AtomicFile {
    /// Creates the parent folders as well.
    pub fn create(target: &Path) -> io::Result<AtomicFile> {
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.{UNFINISHED}", std::process::id()));
        let temporary = target.with_file_name(name);
        let writer = Some(BufWriter::with_capacity(1 << 20, File::create(&temporary)?));
        Ok(AtomicFile { writer, temporary, target: target.to_path_buf() })
    }

    /// Syncs the contents, then gives the file its name.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(writer) = self.writer.take() {
            let file = writer.into_inner().map_err(|error| error.into_error())?;
            file.sync_all()?;
        }
        fs::rename(&self.temporary, &self.target)?;
        sync_folder(&self.target)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Some(writer) => writer.write(bytes),
            None => Err(io::Error::other("the file is closed")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After `finish` there is no such file any more.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Writes a whole file, atomically.
pub fn write_atomic(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(target)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Removes what processes that were killed have left half written of files whose
/// names begin with one of these. Nobody else may be writing such files.
pub fn remove_unfinished(folder: &Path, beginnings: &[&str]) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = name.strip_suffix(UNFINISHED).and_then(|stem| stem.strip_suffix('.'));
        let process = stem.and_then(|stem| stem.rsplit_once('.')).map(|(_, process)| process);
        let is_unfinished = process.is_some_and(|process| process.parse::<u32>().is_ok());
        if is_unfinished && beginnings.iter().any(|beginning| name.starts_with(beginning)) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Removes them all, from a folder and those inside it.
pub fn remove_all_unfinished(folder: &Path) -> io::Result<()> {
    remove_unfinished(folder, &[""])?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_all_unfinished(&entry.path())?;
        }
    }
    Ok(())
}

/// A lock on a file, created if needed, that holds as long as the returned file
/// is open, and no longer, even if the process is killed; `None` when another
/// process has it.
pub fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = File::create(path)?;
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        // Some network file systems have no locks.
        Ok(()) | Err(fs::TryLockError::Error(_)) => Ok(Some(file)),
    }
}

/// Makes the rename itself survive a power cut, where folders can be synced.
fn sync_folder(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(parent) = file.parent() {
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        File::open(parent)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("deep/er/file");
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!target.exists());
        drop(file);
        assert_eq!(fs::read_dir(target.parent().unwrap()).unwrap().count(), 0);
        write_atomic(&target, b"whole").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"whole");
        assert_eq!(fs::read_dir(target.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn only_half_written_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let ours = ["a.parquet.123.tmp", "state.json.7.tmp"];
        let others = ["a.parquet", "a.tmp", "a.b.tmp", "12.tmp", "b.parquet.123.tmp"];
        let path = |name: &&str| folder.path().join(name);
        let all = ours.iter().chain(&others);
        all.for_each(|name| fs::write(path(name), name).unwrap());
        remove_unfinished(folder.path(), &["a", "state.json"]).unwrap();
        assert!(ours.iter().all(|name| !path(name).exists()));
        assert!(others.iter().all(|name| path(name).exists()));
        let inside = folder.path().join("inside");
        fs::create_dir(&inside).unwrap();
        fs::write(inside.join("c.8.tmp"), "half").unwrap();
        remove_all_unfinished(folder.path()).unwrap();
        assert_eq!(fs::read_dir(inside).unwrap().count(), 0);
        let left = others.iter().filter(|name| path(name).exists()).count();
        assert_eq!(left, others.len() - 1, "only the one of b.parquet is gone");
    }
}
