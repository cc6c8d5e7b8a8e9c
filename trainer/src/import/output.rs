//! What every import has in common at its end: shards, a report and a summary.

use super::report::Report;
use super::source::Sources;
use crate::interrupt;
use crate::shards::{Record, ShardError, Writer, WriterSettings};
use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::HumanCount;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// Where an import goes.
#[derive(Args)]
pub struct OutputFlags {
    /// The folder for the shards; files that are there stay
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Shards are named PREFIX-00000.parquet and so on
    #[arg(long, default_value = "shard")]
    pub prefix: String,
    /// Records per shard
    #[arg(long, value_name = "N", default_value_t = 16_384,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub records_per_file: u32,
    /// Compression of the shards, zstd 1 to 22
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(i32).range(1..=22))]
    pub level: i32,
    /// Lists every broken place in this file, not only the first 20
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Prints the summary as JSON
    #[arg(long)]
    pub json: bool,
    /// Worker threads [default: all cores]; the output is the same for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

impl OutputFlags {
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }

    /// Opens everything before any work is done. `config` is the import's
    /// settings as JSON, kept in the shards.
    pub fn open(&self, sources: &Sources, config: String) -> Result<Output> {
        let settings = WriterSettings {
            prefix: self.prefix.clone(),
            records_per_file: self.records_per_file as usize,
            level: self.level,
            config: Some(config),
            ..WriterSettings::default()
        };
        let path = self.report.as_deref();
        let report = Report::create(sources, path)
            .with_context(|| format!("cannot write the report {}", shown(&self.report)))?;
        let writer = Writer::create(&self.out, settings)?;
        Ok(Output { writer, report, started: Instant::now() })
    }

    /// Closes the shards, prints the summary and tells what failed.
    pub fn finish(&self, output: Output, summary: &impl Summary) -> Result<()> {
        let files = output.writer.finish()?;
        let seconds = output.started.elapsed().as_secs_f64();
        let report = output.report.finish();
        report.with_context(|| format!("cannot write the report {}", shown(&self.report)))?;
        let rate = summary.items() as f64 / seconds.max(1e-9);
        if self.json {
            let mut object = serde_json::to_value(summary)?;
            object["seconds"] = json!(seconds);
            object["per_second"] = json!(rate);
            object["files"] = files.iter().map(|file| json!(file)).collect::<Value>();
            object["interrupted"] = json!(interrupt::requested());
            println!("{}", serde_json::to_string_pretty(&object)?);
        } else {
            for (label, count) in summary.rows() {
                println!("{label:<28}{:>14}", HumanCount(count).to_string());
            }
            let per_second = HumanCount(rate as u64).to_string();
            println!("{:<28}{per_second:>14}", format!("{} per second", summary.unit()));
            println!("{:<28}{:>14}  in {}", "files written", files.len(), self.out.display());
        }
        match summary.failures() {
            [] => Ok(()),
            failures => bail!("{}", failures.join("\n       ")),
        }
    }
}

fn shown(path: &Option<PathBuf>) -> String {
    path.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
}

/// The open end of an import.
pub struct Output {
    writer: Writer,
    pub report: Report,
    started: Instant,
}

impl Output {
    /// The report and a place for records, at the same time.
    pub fn parts(&mut self) -> (&mut Report, impl FnMut(&Record) -> Result<(), ShardError> + '_) {
        let Output { writer, report, .. } = self;
        (report, |record: &Record| writer.write(record))
    }
}

/// The counts of an import.
pub trait Summary: Serialize {
    /// Labels and counts, in the order they are printed.
    fn rows(&self) -> Vec<(String, u64)>;

    /// What the speed is counted in, in the plural, and how many there were.
    fn unit(&self) -> &'static str;
    fn items(&self) -> u64;

    /// Files that could not be used, or not to their end; one line each.
    fn failures(&self) -> &[String];
}
