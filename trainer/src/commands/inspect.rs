//! `trainer inspect`: what shards hold, and whether they are sound.

mod report;
mod text;

use crate::shards::{
    Place, Reader, Sampler, ShardError, Summary, Verified, find_shards, quarantine, verify,
};
use crate::{interrupt, progress};
use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use rayon::prelude::*;
use report::{BadFile, FileReport, Report, VerifyReport};
use std::path::{Path, PathBuf};

/// Shows and verifies shards.
///
/// Prints what the shards hold: games and positions by source, result, length,
/// phase and more. With --verify it checks every record instead and moves bad
/// files into a folder `quarantine` beside them.
#[derive(Args)]
pub struct Flags {
    /// Shards, or folders to search for them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Also print this many positions, drawn at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: usize,
    /// Decides which positions are drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many names to list of sources, openings and endings
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Check every record of every file: legal moves, sensible numbers
    #[arg(long, conflicts_with = "sample")]
    verify: bool,
    /// With --verify, leave bad files where they are
    #[arg(long, requires = "verify")]
    keep: bool,
}

pub fn run(flags: Flags) -> Result<()> {
    let paths = find_shards(&flags.paths)?;
    if flags.verify { sweep(&flags, &paths) } else { summarize(&flags, &paths) }
}

fn summarize(flags: &Flags, paths: &[PathBuf]) -> Result<()> {
    const REMEDY: &str = "run `trainer inspect --verify` to put bad files aside";
    let files: Vec<Reader> =
        paths.iter().map(|path| Reader::open(path)).collect::<Result<_, _>>().context(REMEDY)?;
    let bar = progress::bar(Some(files.iter().map(|file| file.len() as u64).sum()), "games");
    let outcome = files
        .par_iter()
        .enumerate()
        .map(|(index, file)| count(flags, index, file, &bar))
        .try_reduce(
            || (Summary::default(), Sampler::new(flags.sample, flags.seed)),
            |mut all, (summary, sampler)| {
                all.0.merge(summary);
                all.1.merge(sampler);
                Ok(all)
            },
        );
    bar.finish_and_clear();
    let (summary, sampler) = outcome.context(REMEDY)?;
    if interrupt::requested() {
        return Ok(());
    }
    let files = files.iter().map(FileReport::new).collect::<Result<_>>()?;
    let report = Report::new(files, &summary, sampler, flags.top);
    if flags.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", text::report(&report));
    }
    Ok(())
}

/// One file's part of the summary and the sample.
fn count(
    flags: &Flags,
    index: usize,
    file: &Reader,
    bar: &ProgressBar,
) -> Result<(Summary, Sampler), ShardError> {
    let mut summary = Summary::default();
    let mut sampler = Sampler::new(flags.sample, flags.seed);
    for (row, record) in file.records()?.enumerate() {
        let record = record?;
        let counted = summary.add(&record, |step| {
            sampler.add(Place { file: index, row, ply: step.index }, &record, step);
        });
        counted.map_err(|error| {
            let path = file.path().to_path_buf();
            ShardError::Row { path, row, reason: error.to_string() }
        })?;
        bar.inc(1);
        if interrupt::requested() {
            break;
        }
    }
    Ok((summary, sampler))
}

fn sweep(flags: &Flags, paths: &[PathBuf]) -> Result<()> {
    let bar = progress::bar(Some(paths.len() as u64), "files");
    let outcomes: Vec<Result<Verified, ShardError>> = paths
        .par_iter()
        .map(|path| {
            let outcome = verify(path);
            bar.inc(1);
            outcome
        })
        .collect();
    bar.finish_and_clear();
    let mut report = VerifyReport { files: paths.len(), ..VerifyReport::default() };
    for (path, outcome) in paths.iter().zip(outcomes) {
        match outcome {
            Ok(verified) => {
                report.games += verified.games;
                report.positions += verified.positions;
            }
            Err(error) => report.bad.push(put_aside(flags, path, &error)?),
        }
    }
    if interrupt::requested() {
        return Ok(());
    }
    if flags.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", text::verify_report(&report));
    }
    match report.bad.len() {
        0 => Ok(()),
        bad => bail!("{bad} of {} shards are bad", report.files),
    }
}

fn put_aside(flags: &Flags, path: &Path, error: &ShardError) -> Result<BadFile> {
    let moved = match flags.keep {
        true => None,
        false => Some(quarantine(path).with_context(|| {
            format!("{}: bad, but cannot be moved aside; check permissions", path.display())
        })?),
    };
    Ok(BadFile::new(path, error, moved))
}
