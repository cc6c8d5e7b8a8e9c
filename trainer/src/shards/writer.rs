//! Writes records to numbered shards that are whole or not there.

use super::checksum::Summed;
use super::columns::Columns;
use super::schema::{FORMAT, FORMAT_KEY, schema};
use super::{Record, ShardError};
use crate::files::AtomicFile;
use crate::provenance;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::fs;
use std::path::{Path, PathBuf};

/// Records are encoded when they hold this much, while they are still in the
/// processor's cache: a tenth to a fifth faster than a row group at once.
const BATCH_BYTES: usize = 2 << 20;

/// A row group ends early when its records hold this much: long games with full
/// search statistics do not cost more memory than that.
const ROW_GROUP_BYTES: usize = 64 << 20;

#[derive(Clone, Debug)]
pub struct WriterSettings {
    /// Files are named `PREFIX-00000.parquet`, counting on from those there are.
    pub prefix: String,
    pub records_per_file: usize,
    /// Records that are read, and held in memory, together.
    pub row_group: usize,
    /// Of zstd, 1 to 22.
    pub level: i32,
    /// The settings that made the records, as JSON; its SHA-256 is added.
    pub config: Option<String>,
    /// What else should be known of the files; keys are given without `arbor.`.
    pub metadata: Vec<(String, String)>,
}

impl Default for WriterSettings {
    fn default() -> WriterSettings {
        WriterSettings {
            prefix: "shard".to_string(),
            records_per_file: 16_384,
            row_group: 1_024,
            level: 1,
            config: None,
            metadata: Vec::new(),
        }
    }
}

/// A folder of shards. A file appears when it is full or at
/// [`finish`](Self::finish); dropped before that, the file under way is deleted.
pub struct Writer {
    folder: PathBuf,
    settings: WriterSettings,
    file: Option<FileWriter>,
    finished: Vec<PathBuf>,
}

impl Writer {
    pub fn create(folder: &Path, settings: WriterSettings) -> Result<Writer, ShardError> {
        fs::create_dir_all(folder).map_err(|source| ShardError::write(folder, source))?;
        Ok(Writer { folder: folder.to_path_buf(), settings, file: None, finished: Vec::new() })
    }

    /// After an error the file under way is gone; finished ones stay.
    pub fn write(&mut self, record: &Record) -> Result<(), ShardError> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => FileWriter::create(&self.next_path()?, &self.settings)?,
        };
        file.write(record)?;
        let full = file.records() >= self.settings.records_per_file;
        self.file = Some(file);
        if full { self.finish_file() } else { Ok(()) }
    }

    /// Closes the last file; all files written, in order.
    pub fn finish(mut self) -> Result<Vec<PathBuf>, ShardError> {
        self.finish_file()?;
        Ok(self.finished)
    }

    fn finish_file(&mut self) -> Result<(), ShardError> {
        if let Some(file) = self.file.take() {
            self.finished.push(file.finish()?);
        }
        Ok(())
    }

    /// Behind every file of the prefix, those of other writers that are not
    /// finished yet included.
    fn next_path(&self) -> Result<PathBuf, ShardError> {
        let unreadable = |source| ShardError::write(&self.folder, source);
        let mut next = 0;
        for entry in fs::read_dir(&self.folder).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            let number = name.to_str().and_then(|name| {
                let rest = name.strip_prefix(&self.settings.prefix)?.strip_prefix('-')?;
                rest.split_once(".parquet")?.0.parse::<u32>().ok()
            });
            next = number.map_or(next, |number| next.max(number + 1));
        }
        Ok(self.folder.join(format!("{}-{next:05}.parquet", self.settings.prefix)))
    }
}

/// One shard under its temporary name.
pub struct FileWriter {
    path: PathBuf,
    parquet: ArrowWriter<Summed<AtomicFile>>,
    row_group: usize,
    columns: Columns,
    /// Held in `columns`.
    batch_bytes: usize,
    /// Of the row group under way.
    rows: usize,
    bytes: usize,
    records: usize,
}

impl FileWriter {
    pub fn create(path: &Path, settings: &WriterSettings) -> Result<FileWriter, ShardError> {
        let file = AtomicFile::create(path).map_err(|source| ShardError::write(path, source))?;
        let parquet = properties(settings)
            .and_then(|properties| {
                ArrowWriter::try_new(Summed::new(file), schema(), Some(properties))
            })
            .map_err(|source| ShardError::encode(path, source))?;
        Ok(FileWriter {
            path: path.to_path_buf(),
            parquet,
            row_group: settings.row_group.max(1),
            columns: Columns::default(),
            batch_bytes: 0,
            rows: 0,
            bytes: 0,
            records: 0,
        })
    }

    /// Records written so far.
    pub fn records(&self) -> usize {
        self.records
    }

    pub fn write(&mut self, record: &Record) -> Result<(), ShardError> {
        self.columns.append(record);
        let bytes = size(record);
        self.batch_bytes += bytes;
        self.bytes += bytes;
        self.rows += 1;
        self.records += 1;
        if self.rows >= self.row_group || self.bytes >= ROW_GROUP_BYTES {
            self.finish_row_group()
        } else if self.batch_bytes >= BATCH_BYTES {
            self.encode()
        } else {
            Ok(())
        }
    }

    fn encode(&mut self) -> Result<(), ShardError> {
        self.batch_bytes = 0;
        let batch = std::mem::take(&mut self.columns).finish().map_err(ParquetError::from);
        batch
            .and_then(|batch| self.parquet.write(&batch))
            .map_err(|source| ShardError::encode(&self.path, source))
    }

    fn finish_row_group(&mut self) -> Result<(), ShardError> {
        self.rows = 0;
        self.bytes = 0;
        self.encode()?;
        self.parquet.flush().map_err(|source| ShardError::encode(&self.path, source))
    }

    /// Syncs the file and gives it its name, which it returns.
    pub fn finish(mut self) -> Result<PathBuf, ShardError> {
        self.finish_row_group()?;
        // All data have to be through before their sum is known.
        self.parquet.sync().map_err(|source| ShardError::write(&self.path, source))?;
        for (key, value) in self.parquet.inner().metadata() {
            self.parquet.append_key_value_metadata(KeyValue::new(key.to_string(), value));
        }
        let file =
            self.parquet.into_inner().map_err(|source| ShardError::encode(&self.path, source))?;
        file.into_inner().finish().map_err(|source| ShardError::write(&self.path, source))?;
        Ok(self.path)
    }
}

/// Roughly what a record takes up in memory.
fn size(record: &Record) -> usize {
    let targets: usize = record.plies.iter().map(|ply| ply.policy.len()).sum();
    let tags: usize = record.tags.iter().map(|(key, value)| key.len() + value.len()).sum();
    size_of::<Record>() + 48 * record.plies.len() + 18 * targets + tags
}

fn properties(settings: &WriterSettings) -> Result<WriterProperties, ParquetError> {
    let mut metadata = vec![
        (FORMAT_KEY.to_string(), FORMAT.to_string()),
        ("arbor.version".to_string(), provenance::VERSION.to_string()),
        ("arbor.git".to_string(), provenance::GIT.to_string()),
        ("arbor.created".to_string(), provenance::now().to_string()),
    ];
    if let Some(config) = &settings.config {
        metadata.push(("arbor.config".to_string(), config.clone()));
        metadata.push(("arbor.config_hash".to_string(), provenance::hash(config.as_bytes())));
    }
    let more = settings.metadata.iter();
    metadata.extend(more.map(|(key, value)| (format!("arbor.{key}"), value.clone())));
    let metadata = metadata.into_iter().map(|(key, value)| KeyValue::new(key, value)).collect();
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(settings.level)?))
        .set_key_value_metadata(Some(metadata))
        // Minima and maxima of moves and weights tell nobody anything.
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true);
    // Numbers that hardly repeat: a dictionary costs time and saves no space.
    for path in ["id", "group", "seed"] {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(path), false);
    }
    for name in ["policy.list.element.prior", "policy.list.element.value", "q"] {
        let path = format!("plies.list.element.{name}");
        let path = ColumnPath::new(path.split('.').map(str::to_string).collect());
        builder = builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT);
    }
    Ok(builder.build())
}
