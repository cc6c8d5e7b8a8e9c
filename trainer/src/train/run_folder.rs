//! The folder of a run: config, facts, metrics and checkpoints.

use super::checkpoint::{self, Checkpoint, CheckpointError};
use crate::config::{ConfigError, Format, TrainConfig};
use crate::files::write_atomic;
use crate::provenance::{self, Host};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

pub struct RunFolder {
    pub path: PathBuf,
}

/// `run.json`: what is worth knowing of a run besides its config.
#[derive(Serialize)]
struct Facts {
    version: &'static str,
    git: &'static str,
    config_hash: String,
    seed: u64,
    command: Vec<String>,
    started: u64,
    host: Host,
}

#[derive(Debug, Error)]
pub enum RunError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(
        "{} was begun with other settings; continue it with --resume {}, or give this run \
         another --name",
        path.display(), path.display()
    )]
    OtherSettings { path: PathBuf },
}

impl RunFolder {
    /// The config's folder, new or begun before. The same settings lead to the
    /// same folder, so that the same command goes on with its run.
    pub fn of(config: &TrainConfig) -> Result<RunFolder, RunError> {
        let name = match &config.run.name {
            Some(name) => name.clone(),
            None => {
                let words = config.model.describe().replace(' ', "-");
                format!("{words}-{}", &config.hash()?[..8])
            }
        };
        Ok(RunFolder { path: config.run.out.join(name) })
    }

    pub fn at(path: &Path) -> RunFolder {
        RunFolder { path: path.to_path_buf() }
    }

    /// The newest checkpoint, if the run has one. It must have been made with
    /// the same settings.
    pub fn resume(&self, config: &TrainConfig) -> Result<Option<Checkpoint>, RunError> {
        let Some(newest) = checkpoint::newest(&self.path) else { return Ok(None) };
        let checkpoint = Checkpoint::load(&newest)?;
        if checkpoint.config.hash()? != config.hash()? {
            return Err(RunError::OtherSettings { path: self.path.clone() });
        }
        Ok(Some(checkpoint))
    }

    /// Writes the config and the facts of a run that begins.
    pub fn begin(&self, config: &TrainConfig) -> Result<(), RunError> {
        let facts = Facts {
            version: provenance::VERSION,
            git: provenance::GIT,
            config_hash: config.hash()?,
            seed: config.run.seed,
            command: std::env::args().collect(),
            started: provenance::now(),
            host: Host::this(),
        };
        let json = serde_json::to_vec_pretty(&facts).unwrap_or_default();
        let files =
            [("config.toml", config.to_text(Format::Toml)?.into_bytes()), ("run.json", json)];
        for (name, bytes) in files {
            let path = self.path.join(name);
            write_atomic(&path, &bytes).map_err(|source| RunError::Io { path, source })?;
        }
        Ok(())
    }

    /// Saves a checkpoint and removes the oldest ones beyond `keep`.
    pub fn save(&self, checkpoint: &Checkpoint, keep: usize) -> Result<PathBuf, RunError> {
        let path = checkpoint::path(&self.path, checkpoint.progress.step);
        checkpoint.save(&path)?;
        let all = checkpoint::all(&self.path);
        let surplus = all.len().saturating_sub(keep.max(1));
        for old in &all[..surplus] {
            std::fs::remove_file(old)
                .map_err(|source| RunError::Io { path: old.clone(), source })?;
        }
        Ok(path)
    }
}
