//! Runs an import of labeled positions: cutting on one thread, reading on all
//! cores, counting and handing out in order.

use super::join::{BlockRecords, Origin, read_block};
use super::lines::{Blocks, Format};
use crate::import::file_tally::FileTally;
use crate::import::output::Summary;
use crate::import::pieces::{Piece, pieces};
use crate::import::pipeline;
use crate::import::report::Report;
use crate::import::source::Sources;
use crate::shards::Record;
use indicatif::HumanCount;
use serde::Serialize;
use std::ops::ControlFlow;

#[derive(Clone, Debug, Serialize)]
pub struct LabelSettings {
    /// Told by the content of each file when it is not given.
    pub format: Option<Format>,
    /// Lines of a CSV that share one group.
    pub block: usize,
    /// The teacher, for the records.
    pub engine: Option<String>,
    #[serde(skip)]
    pub threads: usize,
}

/// What became of the lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LabelSummary {
    pub lines: u64,
    pub positions: u64,
    pub records: u64,
    pub broken: u64,
    pub failures: Vec<String>,
}

/// Imports positions from all files; `sink` gets the records in their order.
pub fn import_labels<E>(
    sources: &Sources,
    settings: &LabelSettings,
    report: &mut Report,
    mut sink: impl FnMut(&Record) -> Result<(), E>,
) -> Result<LabelSummary, E> {
    let mut summary = LabelSummary::default();
    let mut tally = FileTally::default();
    let blocks = pieces(sources, |reader| Blocks::new(reader, settings.format, settings.block));
    let read = |piece: Piece<_>| {
        piece.map(|file, block| {
            let source = &sources.name(file);
            read_block(&block, &Origin { source, engine: settings.engine.as_deref() })
        })
    };
    pipeline::ordered(settings.threads, blocks, read, |piece| {
        match piece {
            Piece::Chunk { file, chunk: BlockRecords { lines, records, broken } } => {
                tally.items += lines;
                summary.lines += lines;
                summary.broken += broken.len() as u64;
                for (line, cause) in broken {
                    report.broken(&sources.path(file), line, &cause);
                    tally.broken(line, cause);
                }
                for record in &records {
                    sink(record)?;
                    summary.positions += record.plies.len() as u64;
                }
                summary.records += records.len() as u64;
                report.progress(sources.read(), format!("{} lines", HumanCount(summary.lines)));
            }
            Piece::Failed { error } => tally.failed(error),
            Piece::End { file } => {
                let tally = std::mem::take(&mut tally);
                summary.failures.extend(tally.complaint(&sources.path(file), "line"));
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(summary)
}

impl Summary for LabelSummary {
    fn rows(&self) -> Vec<(String, u64)> {
        vec![
            ("lines read".into(), self.lines),
            ("positions".into(), self.positions),
            ("records".into(), self.records),
            ("broken".into(), self.broken),
        ]
    }

    fn unit(&self) -> &'static str {
        "lines"
    }

    fn items(&self) -> u64 {
        self.lines
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }
}
