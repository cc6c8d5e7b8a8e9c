//! `metrics.jsonl`: one JSON object a line, in the order of steps.

use super::MetricsError;
use crate::files::write_atomic;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What is known after one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    pub step: u64,
    /// Seconds since 1970, to the millisecond.
    pub wall_time: f64,
    /// Positions trained on so far.
    pub positions: u64,
    /// By name; JSON has no word for infinities, so they are `null`.
    #[serde(flatten)]
    pub values: BTreeMap<String, Option<f64>>,
}

/// The lines of a log; what cannot be read is left out.
pub fn read_metrics(path: &Path) -> std::io::Result<Vec<LogLine>> {
    let text = fs::read_to_string(path)?;
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Appends lines, each on disk as soon as it is written.
pub struct MetricsLog {
    file: File,
    path: PathBuf,
}

impl MetricsLog {
    /// With `resume_after` a step, the lines up to it stay and later ones go,
    /// for they will be written again; without, the log starts empty.
    pub fn open(path: &Path, resume_after: Option<u64>) -> Result<MetricsLog, MetricsError> {
        let kept = match resume_after {
            Some(step) => lines_up_to(path, step)?,
            None => String::new(),
        };
        write_atomic(path, kept.as_bytes()).map_err(MetricsError::io(path))?;
        let file = OpenOptions::new().append(true).open(path).map_err(MetricsError::io(path))?;
        Ok(MetricsLog { file, path: path.to_path_buf() })
    }

    pub fn append(&mut self, line: &LogLine) -> Result<(), MetricsError> {
        let text = serde_json::to_string(line).map_err(std::io::Error::from);
        // One call, so that a reader beside us never sees half a line.
        let written = text
            .and_then(|text| self.file.write_all(format!("{text}\n").as_bytes()))
            .and_then(|()| self.file.sync_data());
        written.map_err(MetricsError::io(&self.path))
    }
}

/// The text of the log up to `step`. A last line that was cut off while it was
/// written does not count; a missing file is an empty log.
fn lines_up_to(path: &Path, step: u64) -> Result<String, MetricsError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        other => other.map_err(MetricsError::io(path))?,
    };
    let mut kept = String::new();
    for (index, bytes) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if !bytes.ends_with(b"\n") {
            break;
        }
        let bad = |reason: String| MetricsError::BadLine {
            path: path.to_path_buf(),
            line: index + 1,
            reason,
        };
        let text = std::str::from_utf8(bytes).map_err(|error| bad(error.to_string()))?;
        let line: LogLine = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        if line.step <= step {
            kept.push_str(text);
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(step: u64) -> LogLine {
        let loss = 1.0 / step as f64;
        let values = BTreeMap::from([("train/loss".to_string(), Some(loss))]);
        LogLine { step, wall_time: 1.7e9 + step as f64, positions: step * 256, values }
    }

    fn write(path: &Path, resume_after: Option<u64>, steps: std::ops::RangeInclusive<u64>) {
        let mut log = MetricsLog::open(path, resume_after).unwrap();
        steps.for_each(|step| log.append(&line(step)).unwrap());
    }

    #[test]
    fn a_line_is_flat_json_and_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut odd = line(3);
        odd.values.insert("grad_norm".into(), Some(f64::NAN));
        MetricsLog::open(&path, None).unwrap().append(&odd).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "{\"step\":3,\"wall_time\":1700000003.0,\"positions\":768,\
             \"grad_norm\":null,\"train/loss\":0.3333333333333333}\n"
        );
        odd.values.insert("grad_norm".into(), None);
        assert_eq!(serde_json::from_str::<LogLine>(&text).unwrap(), odd);
    }

    #[test]
    fn a_resumed_log_equals_an_undisturbed_one() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
        write(&whole, None, 1..=9);
        write(&broken, None, 1..=7);
        write(&broken, Some(4), 5..=9);
        assert_eq!(fs::read(&whole).unwrap(), fs::read(&broken).unwrap());
    }

    #[test]
    fn a_cut_in_the_last_line_is_survived() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        write(&path, None, 1..=3);
        let whole = fs::read(&path).unwrap();
        let two = whole.iter().take(whole.len() - 1).rposition(|&b| b == b'\n').unwrap() + 1;
        for length in (two..whole.len()).step_by(5) {
            fs::write(&path, &whole[..length]).unwrap();
            write(&path, Some(9), 3..=3);
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {length}");
        }
    }

    #[test]
    fn a_fresh_log_is_empty_and_a_missing_one_can_be_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/metrics.jsonl");
        write(&path, Some(5), 6..=6);
        write(&path, None, 1..=1);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
    }

    #[test]
    fn a_damaged_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        fs::write(&path, "{\"step\":1,\"wall_time\":0,\"positions\":0}\nrubbish\n").unwrap();
        let error = MetricsLog::open(&path, Some(5)).err().unwrap().to_string();
        assert!(error.contains("metrics.jsonl:2: "), "{error}");
        assert!(error.ends_with("remove the line"), "{error}");
    }
}
