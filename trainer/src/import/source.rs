//! The files of an import: opened one after the other, unpacked on the fly.

use flate2::read::MultiGzDecoder;
use std::fs::{self, File};
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use thiserror::Error;

/// The name that stands for standard input.
pub const STDIN: &str = "-";

/// The largest zstd window that is unpacked, as a power of two: all of them.
const LARGEST_WINDOW: u32 = 31;

#[derive(Debug, Error)]
#[error("{path}: {cause}")]
pub struct SourceError {
    path: String,
    cause: String,
}

/// What an import reads, in order, and how far it is.
pub struct Sources {
    paths: Vec<PathBuf>,
    total: Option<u64>,
    read: AtomicU64,
}

impl Sources {
    /// Looks at every file before any work is done.
    pub fn new(paths: Vec<PathBuf>) -> Result<Sources, SourceError> {
        let mut total = Some(0);
        for path in &paths {
            let fail = |cause: String| SourceError { path: path.display().to_string(), cause };
            if is_stdin(path) {
                total = None;
                continue;
            }
            let facts = fs::metadata(path).map_err(|error| fail(error.to_string()))?;
            if facts.is_dir() {
                return Err(fail("is a folder: name the files in it".into()));
            }
            // A pipe has no length, and says 0.
            total = total.filter(|_| facts.is_file()).map(|total| total + facts.len());
        }
        Ok(Sources { paths, total, read: AtomicU64::new(0) })
    }

    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Bytes of all files, as they lie on disk; unknown with pipes.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// Bytes read so far, as they lie on disk.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// The file as the user named it, for messages.
    pub fn path(&self, index: usize) -> String {
        match self.paths.get(index) {
            Some(path) if is_stdin(path) => "standard input".into(),
            Some(path) => path.display().to_string(),
            None => String::new(),
        }
    }

    /// The file's own name, for records.
    pub fn name(&self, index: usize) -> String {
        match self.paths.get(index) {
            Some(path) if is_stdin(path) => "stdin".into(),
            Some(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            None => String::new(),
        }
    }

    /// The file's contents. Compression is told by the first bytes, not by the
    /// name, so that pipes work as well.
    pub fn open(&self, index: usize) -> io::Result<Box<dyn Read + Send + '_>> {
        let path = self.paths.get(index).ok_or(io::ErrorKind::NotFound)?;
        let raw: Box<dyn Read + Send> =
            if is_stdin(path) { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
        unpack(Counted { reader: raw, read: &self.read })
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

fn unpack<'a>(mut reader: Counted<'a>) -> io::Result<Box<dyn Read + Send + 'a>> {
    let mut magic = Vec::new();
    reader.by_ref().take(4).read_to_end(&mut magic)?;
    let (zstd, gzip) = (magic == [0x28, 0xb5, 0x2f, 0xfd], magic.starts_with(&[0x1f, 0x8b]));
    let whole: Chain<Cursor<Vec<u8>>, Counted> = Cursor::new(magic).chain(reader);
    let buffered = BufReader::with_capacity(1 << 17, whole);
    Ok(if zstd {
        let mut decoder = zstd::Decoder::with_buffer(buffered)?;
        decoder.window_log_max(LARGEST_WINDOW)?;
        Box::new(decoder)
    } else if gzip {
        Box::new(MultiGzDecoder::new(buffered))
    } else {
        Box::new(buffered)
    })
}

/// Counts what passes through.
struct Counted<'a> {
    reader: Box<dyn Read + Send>,
    read: &'a AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(bytes)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn contents(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, bytes).unwrap();
        let sources = Sources::new(vec![path]).unwrap();
        let mut unpacked = Vec::new();
        sources.open(0)?.read_to_end(&mut unpacked)?;
        assert_eq!(sources.read(), sources.total().unwrap());
        Ok(unpacked)
    }

    #[test]
    fn compression_is_told_by_content() {
        let text = b"1. e4 e5 ".repeat(1000);
        assert_eq!(contents(&text).unwrap(), text);
        assert_eq!(contents(b"ab").unwrap(), b"ab");
        assert_eq!(contents(b"").unwrap(), b"");
        let packed = zstd::encode_all(&text[..], 3).unwrap();
        assert_eq!(contents(&packed).unwrap(), text);
        assert_eq!(contents(&packed.repeat(2)).unwrap(), text.repeat(2));
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        encoder.write_all(&text).unwrap();
        let gzipped = encoder.finish().unwrap();
        assert_eq!(contents(&gzipped.repeat(2)).unwrap(), text.repeat(2));
    }

    #[test]
    fn a_cut_stream_is_an_error() {
        let text: Vec<u8> = (0..300_000u32).flat_map(|n| n.to_string().into_bytes()).collect();
        let packed = zstd::encode_all(&text[..], 3).unwrap();
        assert!(contents(&packed[..packed.len() / 2]).is_err());
    }

    #[test]
    fn missing_files_are_named() {
        let error = Sources::new(vec!["no/such.pgn".into()]).err().unwrap();
        assert!(error.to_string().starts_with("no/such.pgn: "), "{error}");
    }
}
