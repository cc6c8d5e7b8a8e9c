//! `trainer train`.

use crate::config::{ConfigFlags, help};
use crate::train::{Checkpoint, RunFolder, Session, keep_freed_memory};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::PathBuf;

/// Trains a network on shards; the same command again goes on with the same run.
#[derive(Args)]
pub struct Flags {
    #[command(flatten)]
    settings: ConfigFlags,
    /// Go on with the run in this folder, with the settings it was begun with
    #[arg(long, value_name = "RUN")]
    resume: Option<PathBuf>,
    /// Print every setting, its meaning and its default, and do nothing else
    #[arg(long)]
    help_config: bool,
}

pub fn run(flags: Flags) -> Result<()> {
    if flags.help_config {
        println!("{}", help()?);
        return Ok(());
    }
    let (config, folder) = match &flags.resume {
        Some(path) => {
            if flags.settings != ConfigFlags::default() {
                bail!(
                    "--resume goes on with the settings in {}; leave the other flags out, or \
                     begin a new run under another --name",
                    path.display()
                );
            }
            let config = Checkpoint::find(path)?.config;
            if path.is_file() {
                bail!("--resume takes the run's folder, not {} itself", path.display());
            }
            (config, RunFolder::at(path))
        }
        None => {
            let config = flags.settings.resolve()?;
            let folder = RunFolder::of(&config)?;
            (config, folder)
        }
    };
    // Everything that computes shares this pool. The run itself is in it as well,
    // so that its work starts without waking another thread first.
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(config.run.threads)
        .build()
        .context("cannot start the threads")?;
    keep_freed_memory();
    println!("{}", threads.install(|| Session::open(config, folder)?.run())?);
    Ok(())
}
