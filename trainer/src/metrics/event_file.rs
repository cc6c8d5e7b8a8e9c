//! A TensorBoard event file: events in, TFRecord frames out.
//!
//! A frame is the length (u64), its checksum, the event, its checksum; all
//! little-endian, checksums CRC-32C turned and shifted so that a checksum of
//! checksums still tells something.

use super::MetricsError;
use super::proto::{
    Content, DATA_CLASS_TENSOR, DT_STRING, Event, PluginData, SESSION_START, SessionLog,
    StringTensor, Summary, SummaryMetadata, SummaryValue, TensorShape, What,
};
use crate::provenance::now;
use prost::Message;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

const PREFIX: &str = "events.out.tfevents.";

/// One file of a run; TensorBoard reads all of a folder in the order of names.
pub struct EventFile {
    file: File,
    path: PathBuf,
}

impl EventFile {
    /// A new file in `folder`. With `resume_after` a step, TensorBoard is told
    /// to forget what earlier files say of later ones; without, of all.
    pub fn create(folder: &Path, resume_after: Option<u64>) -> Result<EventFile, MetricsError> {
        fs::create_dir_all(folder).map_err(MetricsError::io(folder))?;
        // Later than all there are, even within one second.
        let earlier = newest(folder).map_err(MetricsError::io(folder))?;
        let time = earlier.map_or_else(now, |newest| now().max(newest + 1));
        let name = format!("{PREFIX}{time:010}.{}.{}", host(), std::process::id());
        let path = folder.join(name);
        let options = OpenOptions::new().append(true).create_new(true).open(&path);
        let mut events = EventFile { file: options.map_err(MetricsError::io(&path))?, path };
        events.write(0, time as f64, What::FileVersion("brain.Event:2".into()))?;
        if resume_after.is_some() || earlier.is_some() {
            // Readers drop the event's own step too.
            let first = resume_after.map_or(0, |step| step + 1);
            let start = What::SessionLog(SessionLog { status: SESSION_START });
            events.write(first, time as f64, start)?;
        }
        Ok(events)
    }

    pub fn summary(
        &mut self,
        step: u64,
        wall_time: f64,
        value: Vec<SummaryValue>,
    ) -> Result<(), MetricsError> {
        self.write(step, wall_time, What::Summary(Summary { value }))
    }

    fn write(&mut self, step: u64, wall_time: f64, what: What) -> Result<(), MetricsError> {
        let event = Event { wall_time, step: step as i64, what: Some(what) };
        self.file.write_all(&frame(&event.encode_to_vec())).map_err(MetricsError::io(&self.path))
    }
}

/// A value for a summary, shown as a curve or as a histogram.
pub fn value(tag: &str, content: Content) -> SummaryValue {
    SummaryValue { tag: tag.to_string(), metadata: None, content: Some(content) }
}

/// Markdown for a summary.
pub fn text(tag: &str, markdown: &str) -> SummaryValue {
    let plugin_data = Some(PluginData { plugin_name: "text".into() });
    let tensor = StringTensor {
        dtype: DT_STRING,
        tensor_shape: Some(TensorShape {}),
        string_val: vec![markdown.as_bytes().to_vec()],
    };
    SummaryValue {
        tag: tag.to_string(),
        metadata: Some(SummaryMetadata { plugin_data, data_class: DATA_CLASS_TENSOR }),
        content: Some(Content::Tensor(tensor)),
    }
}

fn frame(event: &[u8]) -> Vec<u8> {
    let length = (event.len() as u64).to_le_bytes();
    let mut out = Vec::with_capacity(event.len() + 16);
    out.extend(length);
    out.extend(masked_checksum(&length).to_le_bytes());
    out.extend(event);
    out.extend(masked_checksum(event).to_le_bytes());
    out
}

fn masked_checksum(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The time in the name of the folder's newest event file.
fn newest(folder: &Path) -> std::io::Result<Option<u64>> {
    let mut newest = None;
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let time = rest.and_then(|rest| rest.split('.').next()?.parse().ok());
        newest = newest.max(time);
    }
    Ok(newest)
}

/// This machine's name, in letters that every file system takes.
fn host() -> String {
    let variable = |name: &str| std::env::var(name).ok();
    let name = variable("HOSTNAME")
        .or_else(|| variable("COMPUTERNAME"))
        .or_else(|| fs::read_to_string("/proc/sys/kernel/hostname").ok())
        .unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    match name.trim() {
        "" => "localhost".to_string(),
        name => name.chars().map(plain).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_known_one() {
        // CRC-32C of the nine digits is e3069283.
        let expected = 0xe306_9283_u32.rotate_right(15).wrapping_add(0xa282_ead8);
        assert_eq!(masked_checksum(b"123456789"), expected);
    }

    #[test]
    fn frames_hold_the_events_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = EventFile::create(folder.path(), Some(41)).unwrap();
        file.summary(42, 1.5, vec![value("loss", Content::SimpleValue(0.25))]).unwrap();
        let bytes = fs::read(&file.path).unwrap();
        let mut rest = bytes.as_slice();
        let mut events = vec![];
        while !rest.is_empty() {
            let length = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
            assert_eq!(rest[8..12], masked_checksum(&rest[..8]).to_le_bytes());
            let event = &rest[12..12 + length];
            assert_eq!(rest[12 + length..16 + length], masked_checksum(event).to_le_bytes());
            events.push(Event::decode(event).unwrap());
            rest = &rest[16 + length..];
        }
        assert_eq!(events.len(), 3);
        assert_eq!(events[0].what, Some(What::FileVersion("brain.Event:2".into())));
        assert_eq!(events[1].step, 42);
        assert_eq!((events[2].step, events[2].wall_time), (42, 1.5));
    }

    #[test]
    fn later_files_sort_later_within_one_second() {
        let folder = tempfile::tempdir().unwrap();
        let name = || EventFile::create(folder.path(), None).unwrap().path;
        let names = [name(), name(), name()];
        assert!(names.is_sorted() && names[0] != names[1] && names[1] != names[2]);
    }
}
