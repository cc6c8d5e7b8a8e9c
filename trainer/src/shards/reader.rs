//! Reads shards, and refuses what is none.

use super::checksum;
use super::decode::Decoder;
use super::guard::guard;
use super::schema::{FORMAT, FORMAT_KEY, check};
use super::{Record, ShardError};
use arrow::array::{Array, RecordBatch, UInt32Array};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Records that are decoded together. Few, as they should stay in the processor's
/// cache, and row groups of other tools may be large.
const BATCH: usize = 64;

const MAGIC: [u8; 4] = *b"PAR1";

/// A shard whose version and columns are known to be right. No file is kept
/// open, and one reader serves many threads.
pub struct Reader {
    path: PathBuf,
    parquet: ArrowReaderMetadata,
    metadata: BTreeMap<String, String>,
}

impl Reader {
    pub fn open(path: &Path) -> Result<Reader, ShardError> {
        let path = path.to_path_buf();
        let file = open(&path)?;
        check_ends(&path, &file)?;
        let parquet =
            undamaged(&path, || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))?;
        let pairs = parquet.metadata().file_metadata().key_value_metadata();
        let metadata: BTreeMap<String, String> = pairs
            .into_iter()
            .flatten()
            .filter(|pair| pair.key.starts_with("arbor."))
            .map(|pair| (pair.key.clone(), pair.value.clone().unwrap_or_default()))
            .collect();
        match metadata.get(FORMAT_KEY) {
            None => return Err(ShardError::Foreign { path }),
            Some(found) if found != FORMAT => {
                return Err(ShardError::Version { path, found: found.clone() });
            }
            Some(_) => {}
        }
        if let Err(reason) = check(parquet.schema()).and_then(|()| check_codecs(&parquet)) {
            return Err(ShardError::Columns { path, reason });
        }
        Ok(Reader { path, parquet, metadata })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Provenance: the file's keys that begin with `arbor.`.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    pub fn row_groups(&self) -> usize {
        self.parquet.metadata().num_row_groups()
    }

    /// How many records a row group has.
    pub fn records_in(&self, group: usize) -> usize {
        let group = self.parquet.metadata().row_groups().get(group);
        group.map_or(0, |group| usize::try_from(group.num_rows()).unwrap_or(0))
    }

    /// How many records the file has.
    pub fn len(&self) -> usize {
        (0..self.row_groups()).map(|group| self.records_in(group)).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn read_group(&self, index: usize) -> Result<Vec<Record>, ShardError> {
        let first_row = (0..index).map(|group| self.records_in(group)).sum();
        let mut records = Vec::new();
        let mut batches = self.batches(index..index + 1, first_row)?;
        while batches.read(&mut records)? {}
        Ok(records)
    }

    /// All records in order, a batch of them in memory at a time. Ends after
    /// the first error.
    pub fn records(&self) -> Result<Records, ShardError> {
        let batches = self.batches(0..self.row_groups(), 0)?;
        Ok(Records { batches: Some(batches), ready: Vec::new().into_iter() })
    }

    /// Whether the data are those that were written, byte by byte.
    pub fn check_sum(&self) -> Result<(), ShardError> {
        checksum::check(&self.path, &self.metadata)
    }

    /// The last generation among the records; `None` if none has one. Reads no
    /// other column.
    pub fn newest_generation(&self) -> Result<Option<u32>, ShardError> {
        let file = open(&self.path)?;
        undamaged(&self.path, || {
            let builder =
                ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.parquet.clone());
            let only = ProjectionMask::columns(builder.parquet_schema(), ["generation"]);
            let mut newest = None;
            for batch in builder.with_projection(only).build()? {
                let batch = batch?;
                let column = batch.column(0).as_any().downcast_ref::<UInt32Array>();
                newest = newest.max(column.and_then(|column| column.iter().flatten().max()));
            }
            Ok(newest)
        })
    }

    /// Each with a file of its own: clones of one share their position, so that
    /// threads would read each other's bytes.
    fn batches(
        &self,
        groups: std::ops::Range<usize>,
        first_row: usize,
    ) -> Result<Batches, ShardError> {
        let file = open(&self.path)?;
        let groups = groups.filter(|group| *group < self.row_groups()).collect();
        let reader = undamaged(&self.path, || {
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.parquet.clone())
                .with_row_groups(groups)
                .with_batch_size(BATCH)
                .build()
        })?;
        Ok(Batches { path: self.path.clone(), reader, row: first_row })
    }
}

/// Batches of a file under way.
struct Batches {
    path: PathBuf,
    reader: ParquetRecordBatchReader,
    /// Of the file, where the next batch begins.
    row: usize,
}

impl Batches {
    /// Appends the next batch; false when there is none.
    fn read(&mut self, records: &mut Vec<Record>) -> Result<bool, ShardError> {
        let next = || self.reader.next().transpose().map_err(ParquetError::from);
        let Some(batch) = undamaged(&self.path, next)? else { return Ok(false) };
        self.decode(&batch, records)?;
        self.row += batch.num_rows();
        Ok(true)
    }

    fn decode(&self, batch: &RecordBatch, records: &mut Vec<Record>) -> Result<(), ShardError> {
        let path = || self.path.clone();
        let decoder =
            Decoder::new(batch).map_err(|reason| ShardError::Columns { path: path(), reason })?;
        for row in 0..decoder.rows() {
            let record = decoder.record(row);
            records.push(record.map_err(|reason| ShardError::Row {
                path: path(),
                row: self.row + row,
                reason,
            })?);
        }
        Ok(())
    }
}

/// See [`Reader::records`].
pub struct Records {
    /// Gone after an error.
    batches: Option<Batches>,
    ready: std::vec::IntoIter<Record>,
}

impl Iterator for Records {
    type Item = Result<Record, ShardError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.ready.next() {
                return Some(Ok(record));
            }
            let mut records = Vec::new();
            match self.batches.as_mut()?.read(&mut records) {
                Ok(true) => self.ready = records.into_iter(),
                Ok(false) => return None,
                Err(error) => {
                    self.batches = None;
                    return Some(Err(error));
                }
            }
        }
    }
}

fn open(path: &Path) -> Result<File, ShardError> {
    File::open(path).map_err(|source| ShardError::Unreadable { path: path.to_path_buf(), source })
}

/// Runs a step of the Parquet library; whatever goes wrong there, the file is bad.
fn undamaged<T>(
    path: &Path,
    step: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ShardError> {
    let outcome = guard(step).and_then(|outcome| outcome.map_err(|error| error.to_string()));
    outcome.map_err(|reason| ShardError::Damaged { path: path.to_path_buf(), reason })
}

/// Shards are written with zstd; other tools write Snappy unless told otherwise.
fn check_codecs(parquet: &ArrowReaderMetadata) -> Result<(), String> {
    for column in parquet.metadata().row_groups().iter().flat_map(|group| group.columns()) {
        let codec = column.compression();
        let known = [Compression::UNCOMPRESSED, Compression::SNAPPY];
        if !known.contains(&codec) && !matches!(codec, Compression::ZSTD(_)) {
            let name = column.column_path().string();
            return Err(format!("column {name} is compressed with {codec}, not zstd or Snappy"));
        }
    }
    Ok(())
}

/// Tells the ways apart in which a file is no Parquet at all.
fn check_ends(path: &Path, file: &File) -> Result<(), ShardError> {
    let unreadable = |source| ShardError::Unreadable { path: path.to_path_buf(), source };
    let length = file.metadata().map_err(unreadable)?.len();
    if length == 0 {
        return Err(ShardError::Empty { path: path.to_path_buf() });
    }
    if magic_at(file, SeekFrom::Start(0)).map_err(unreadable)? != Some(MAGIC) {
        return Err(ShardError::NotParquet { path: path.to_path_buf() });
    }
    // The shortest file has both marks and the length of its metadata.
    if length < 12 || magic_at(file, SeekFrom::End(-4)).map_err(unreadable)? != Some(MAGIC) {
        return Err(ShardError::Truncated { path: path.to_path_buf() });
    }
    Ok(())
}

/// Four bytes of the file; `None` when it is shorter.
fn magic_at(mut file: &File, at: SeekFrom) -> io::Result<Option<[u8; 4]>> {
    let mut bytes = [0; 4];
    file.seek(at)?;
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}
