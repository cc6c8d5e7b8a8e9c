//! A checksum over a shard's data, kept in its metadata.
//!
//! Parquet alone does not notice most damage: of 3,000 files with one bit
//! flipped, more than half could be read and made sense, with another number in
//! some label. Reading every byte a second time is cheap, but not free, so that
//! only a verification does it.

use super::ShardError;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

const CHECKSUM_KEY: &str = "arbor.data_crc32c";
const LENGTH_KEY: &str = "arbor.data_bytes";

/// Passes bytes on, and sums them up.
pub(super) struct Summed<W> {
    inner: W,
    crc: u32,
    length: u64,
}

impl<W> Summed<W> {
    pub(super) fn new(inner: W) -> Summed<W> {
        Summed { inner, crc: 0, length: 0 }
    }

    pub(super) fn into_inner(self) -> W {
        self.inner
    }

    /// Metadata for what has been written so far.
    pub(super) fn metadata(&self) -> [(&'static str, String); 2] {
        [(CHECKSUM_KEY, format!("{:08x}", self.crc)), (LENGTH_KEY, self.length.to_string())]
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.crc = crc32c::crc32c_append(self.crc, &bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Whether the file's data are those that were written; a file without a
/// checksum, as other tools write it, passes.
pub(super) fn check(path: &Path, metadata: &BTreeMap<String, String>) -> Result<(), ShardError> {
    let (Some(wanted), Some(length)) = (metadata.get(CHECKSUM_KEY), metadata.get(LENGTH_KEY))
    else {
        return Ok(());
    };
    let unreadable = |source| ShardError::Unreadable { path: path.to_path_buf(), source };
    let file = File::open(path).map_err(unreadable)?;
    // A length that is no number leaves nothing to sum up, and the sum is wrong.
    let mut data = file.take(length.parse().unwrap_or(0));
    let mut summed = Summed::new(io::sink());
    let mut buffer = vec![0; 1 << 18];
    loop {
        match data.read(&mut buffer).map_err(unreadable)? {
            0 => break,
            read => summed.write_all(&buffer[..read]).map_err(unreadable)?,
        }
    }
    let [(_, found), _] = summed.metadata();
    if found == *wanted {
        return Ok(());
    }
    let reason = format!("the checksum of its data is {found}, not {wanted}");
    Err(ShardError::Damaged { path: path.to_path_buf(), reason })
}
