//! The config's part of the command line.

use super::layer::Layer;
use super::problem::{ConfigError, Origin, Problem};
use super::resolve::resolve;
use super::settings::TrainConfig;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

// Values are texts here, checked with all others, so that every problem is told
// at once. (A documentation comment would become that of the command.)
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Settings")]
pub struct ConfigFlags {
    /// Settings to start from: nano, dense, small, thesis, neural-mate, base or large [default: small]
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// File of settings, YAML or TOML, that count over the preset's
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Shards to train on, a file or a folder of them, and their part of the mixture; repeatable
    #[arg(long, value_name = "PATH[=WEIGHT]")]
    pub data: Vec<String>,
    /// Name of the run
    #[arg(long)]
    pub name: Option<String>,
    /// Folder of all runs
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<String>,
    /// Steps to train
    #[arg(long, value_name = "N")]
    pub steps: Option<String>,
    /// Times to go over the data, instead of steps
    #[arg(long, value_name = "N")]
    pub epochs: Option<String>,
    /// Positions in a batch
    #[arg(long, value_name = "N")]
    pub batch: Option<String>,
    /// Learning rate
    #[arg(long, value_name = "RATE")]
    pub lr: Option<String>,
    /// Steps in which the learning rate grows from zero
    #[arg(long, value_name = "N")]
    pub warmup: Option<String>,
    /// Seed of the initial weights and of the data's order
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,
    /// What computes: cpu, cuda or wgpu
    #[arg(long)]
    pub device: Option<String>,
    /// Threads that compute; 0 for one per processor
    #[arg(long, value_name = "N")]
    pub threads: Option<String>,
    /// Any other setting, e.g. --set optimizer.weight_decay=1e-4; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl ConfigFlags {
    /// The preset, the file and these flags, merged and checked.
    pub fn resolve(&self) -> Result<TrainConfig, ConfigError> {
        let mut layers = vec![];
        if let Some(path) = &self.config {
            layers.push(Layer::of_file(path)?);
        }
        layers.push(self.layer()?);
        resolve(layers)
    }

    fn layer(&self) -> Result<Layer, ConfigError> {
        let mut layer = Layer::empty(Origin::Flags);
        let named = [
            ("preset", &self.preset),
            ("run.name", &self.name),
            ("run.out", &self.out),
            ("run.seed", &self.seed),
            ("run.device", &self.device),
            ("run.threads", &self.threads),
            ("data.batch_size", &self.batch),
            ("schedule.learning_rate", &self.lr),
            ("schedule.warmup", &self.warmup),
            ("train.steps", &self.steps),
            ("train.epochs", &self.epochs),
        ];
        for (path, text) in named {
            text.iter().for_each(|text| layer.set_text(path, text));
        }
        if !self.data.is_empty() {
            layer.set("data.sources", self.data.iter().map(|text| source(text)).collect());
        }
        let mut malformed = vec![];
        for text in &self.set {
            match text.split_once('=') {
                Some((path, text)) => layer.set_text(path.trim(), text.trim()),
                None => malformed.push(Problem {
                    origin: Origin::Flags,
                    place: format!("--set {text}"),
                    message: "needs the form KEY=VALUE".into(),
                }),
            }
        }
        if malformed.is_empty() { Ok(layer) } else { Err(ConfigError::Problems(malformed)) }
    }
}

/// `PATH` or `PATH=WEIGHT`; what follows the last `=` of a path counts as its
/// weight only if it is a number.
fn source(text: &str) -> Value {
    let weighted = text.rsplit_once('=');
    match weighted.and_then(|(path, weight)| Some((path, weight.parse::<f64>().ok()?))) {
        Some((path, weight)) => json!({ "paths": [path], "weight": weight }),
        None => json!({ "paths": [text] }),
    }
}
