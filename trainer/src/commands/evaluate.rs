//! `trainer evaluate`.

use crate::dataset::{DatasetSettings, HeldOut, SourceSettings, TargetSettings};
use crate::evaluate::{Means, evaluate};
use crate::interrupt;
use crate::progress;
use anyhow::{Context, Result, bail};
use clap::Args;
use engine::eval::{Backend, BackendSettings, EvaluatorSource, Network, open_backend};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Positions in one batch of the evaluator.
const BATCH: usize = 32;

/// Says how well networks know positions that were kept from training.
///
/// Every run keeps the same games from training, whatever its seed, so that networks can be compared
/// on them. Networks are ONNX files of any layout that the engine plays.
#[derive(Args)]
pub struct Flags {
    /// The networks
    #[arg(required = true)]
    networks: Vec<PathBuf>,
    /// Shards, or folders of them; each gets a line of its own
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Positions to look at in each
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    positions: usize,
    /// Share of the games that was kept from training
    #[arg(long, value_name = "SHARE", default_value_t = 0.02)]
    validation: f32,
    /// Part of the teacher in the value; the rest is the game's result
    #[arg(long, value_name = "SHARE", default_value_t = 0.75)]
    q_ratio: f32,
    /// What runs the networks, as the engine's option Backend
    #[arg(long, default_value = "auto")]
    backend: String,
    /// Prints the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    network: PathBuf,
    data: PathBuf,
    #[serde(flatten)]
    means: Means,
}

pub fn run(flags: Flags) -> Result<()> {
    let backend: Backend =
        flags.backend.parse().with_context(|| format!("--backend {}", flags.backend))?;
    let mut rows = Vec::new();
    for path in &flags.networks {
        let network = Arc::new(Network::open(path)?);
        let encoder = network.layout.encoder;
        let source = open(backend, network).with_context(|| path.display().to_string())?;
        for data in &flags.data {
            let mut held_out = HeldOut::open(&settings(&flags, data), encoder)?;
            let mut evaluator = source.create(BATCH)?;
            let bar = progress::bar(Some(flags.positions as u64), "positions");
            let tally =
                evaluate(evaluator.as_mut(), &mut held_out, flags.positions, &mut |done| {
                    bar.set_position(done as u64);
                    !interrupt::requested()
                })?;
            bar.finish_and_clear();
            let row = Row { network: path.clone(), data: data.clone(), means: tally.means() };
            if row.means.positions == 0 && !interrupt::requested() {
                bail!(
                    "{}: none of its games were kept from training; try a larger --validation",
                    data.display()
                );
            }
            if !flags.json {
                if rows.is_empty() {
                    println!("{HEADING}");
                }
                println!("{}", line(&row));
            }
            rows.push(row);
            if interrupt::requested() {
                return Ok(());
            }
        }
    }
    if flags.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    }
    Ok(())
}

fn open(backend: Backend, network: Arc<Network>) -> Result<Arc<dyn EvaluatorSource>> {
    let network = Some(network);
    let settings = BackendSettings { backend, network, ..BackendSettings::default() };
    Ok(open_backend(&settings)?.source)
}

fn settings(flags: &Flags, data: &Path) -> DatasetSettings {
    DatasetSettings {
        sources: vec![SourceSettings { paths: vec![data.to_path_buf()], weight: 1.0 }],
        validation: flags.validation,
        targets: TargetSettings { q_ratio: flags.q_ratio, ..TargetSettings::default() },
        ..DatasetSettings::default()
    }
}

const HEADING: &str = "positions  policy loss  top-1  top-5  value loss  value error  rms error   sign  network, data";

fn line(row: &Row) -> String {
    let Means {
        positions,
        policy_loss,
        policy_top1,
        policy_top5,
        value_loss,
        value_error,
        value_rms_error,
        value_sign,
    } = row.means;
    let percent = |share: f64| format!("{:.1}%", share * 100.0);
    format!(
        "{positions:>9}  {policy_loss:>11.4}  {:>5}  {:>5}  {value_loss:>10.4}  {value_error:>11.4}  \
         {value_rms_error:>9.4}  {:>5}  {}, {}",
        percent(policy_top1),
        percent(policy_top5),
        percent(value_sign),
        row.network.display(),
        row.data.display(),
    )
}
