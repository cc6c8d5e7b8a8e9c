//! What `inspect` tells, as it stands in its JSON.

use crate::shards::{Labels, LengthSummary, Reader, Sample, Sampler, ShardError, Summary, Tally};
use anyhow::{Context, Result};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
pub struct Report {
    pub files: Vec<FileReport>,
    pub games: u64,
    pub positions: u64,
    pub sources: Counts,
    pub results: Counts,
    pub terminations: Counts,
    pub openings: Counts,
    pub kinds: Counts,
    pub phases: Counts,
    pub length: LengthSummary,
    /// Positions with each kind of label, and their share of all.
    pub labels: Labels,
    pub label_shares: BTreeMap<&'static str, f64>,
    pub samples: Vec<FileSample>,
}

#[derive(Serialize)]
pub struct FileReport {
    pub path: PathBuf,
    pub bytes: u64,
    pub games: usize,
    pub row_groups: usize,
    /// Provenance.
    pub metadata: BTreeMap<String, String>,
}

#[derive(Serialize)]
pub struct FileSample {
    pub file: PathBuf,
    #[serde(flatten)]
    pub sample: Sample,
}

/// The most frequent names, in that order, and how many names there are.
pub struct Counts {
    pub top: Vec<(String, u64)>,
    pub names: usize,
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.top.len()))?;
        for (name, count) in &self.top {
            map.serialize_entry(name, count)?;
        }
        map.end()
    }
}

impl Report {
    /// Lists at most `top` sources, openings and endings; there are few of the rest.
    pub fn new(files: Vec<FileReport>, summary: &Summary, sampler: Sampler, top: usize) -> Report {
        let counts = |tally: &Tally, top| Counts {
            top: tally.top(top).into_iter().map(|(name, n)| (name.to_string(), n)).collect(),
            names: tally.len(),
        };
        let labels = summary.labels;
        let share = |count| count as f64 / summary.positions.max(1) as f64;
        let samples = sampler
            .finish()
            .map(|(file, sample)| FileSample { file: files[file].path.clone(), sample })
            .collect();
        Report {
            games: summary.games,
            positions: summary.positions,
            sources: counts(&summary.sources, top),
            results: counts(&summary.results, usize::MAX),
            terminations: counts(&summary.terminations, top),
            openings: counts(&summary.openings, top),
            kinds: counts(&summary.kinds, usize::MAX),
            phases: counts(&summary.phases, usize::MAX),
            length: summary.lengths.summary(),
            labels,
            label_shares: BTreeMap::from([
                ("policy", share(labels.policy)),
                ("wdl", share(labels.wdl)),
                ("q", share(labels.q)),
                ("score", share(labels.score)),
            ]),
            samples,
            files,
        }
    }
}

impl FileReport {
    pub fn new(reader: &Reader) -> Result<FileReport> {
        let path = reader.path().to_path_buf();
        let data = std::fs::metadata(&path);
        let bytes = data.with_context(|| format!("{}: cannot be read", path.display()))?.len();
        Ok(FileReport {
            path,
            bytes,
            games: reader.len(),
            row_groups: reader.row_groups(),
            metadata: reader.metadata().clone(),
        })
    }
}

#[derive(Default, Serialize)]
pub struct VerifyReport {
    pub files: usize,
    /// Of good files.
    pub games: u64,
    pub positions: u64,
    pub bad: Vec<BadFile>,
}

#[derive(Serialize)]
pub struct BadFile {
    pub file: PathBuf,
    /// Of the first fault, when it is in a row.
    pub row: Option<usize>,
    pub reason: String,
    /// Where the file is now; null when it was kept.
    pub quarantined: Option<PathBuf>,
}

impl BadFile {
    pub fn new(path: &Path, error: &ShardError, quarantined: Option<PathBuf>) -> BadFile {
        let (row, reason) = match error {
            ShardError::Row { row, reason, .. } => (Some(*row), reason.clone()),
            // The message begins with the file, which has a field of its own.
            other => {
                let message = other.to_string();
                let prefix = format!("{}: ", other.path().display());
                (None, message.strip_prefix(&prefix).unwrap_or(&message).to_string())
            }
        };
        BadFile { file: path.to_path_buf(), row, reason, quarantined }
    }
}
