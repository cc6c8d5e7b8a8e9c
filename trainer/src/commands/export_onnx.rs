//! `trainer export-onnx`.

use crate::dataset::{Batch, DatasetError, DatasetSettings, SourceSettings, ValidationSet};
use crate::export::{
    Agreement, Expected, ExportError, Metadata, Options, Outputs, Precision, SpeedSettings, build,
    compare, quantize, speed,
};
use crate::files::write_atomic;
use crate::model::{Mode, Network};
use crate::provenance;
use crate::train::{Checkpoint, open_device};
use anyhow::{Context, Result, bail};
use burn::tensor::{Tensor, TensorData};
use clap::Args;
use engine::encode::Encoder;
use engine::eval::TunedFor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes a trained network as ONNX, and checks that it answers as trained.
#[derive(Args)]
pub struct Flags {
    /// A run's folder (its newest checkpoint counts) or a checkpoint
    #[arg(value_name = "RUN|CHECKPOINT")]
    from: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// 16-bit weights, and arithmetic but for dense networks: half the size
    #[arg(long, conflicts_with = "int8")]
    fp16: bool,
    /// 8-bit convolutions: a quarter of the size, quicker on CPUs
    #[arg(long)]
    int8: bool,
    /// Shards whose positions set the ranges of int8 and check the result
    /// [default: those the run was trained on]
    #[arg(long, value_name = "SHARDS")]
    calibrate: Vec<PathBuf>,
    /// Positions for setting ranges
    #[arg(long, default_value_t = 1024, value_name = "N")]
    calibration_positions: usize,
    /// The last weights instead of their moving average
    #[arg(long)]
    no_average: bool,
    /// The softmax temperature that suits the network, for its metadata
    #[arg(long, value_name = "T")]
    policy_temperature: Option<f32>,
    /// The exploration (CPuct) that suits the network, for its metadata
    #[arg(long, value_name = "C")]
    cpuct: Option<f32>,
    /// The same at the root of the search [default: as everywhere]
    #[arg(long, value_name = "C")]
    cpuct_at_root: Option<f32>,
    /// The FpuReduction that suits the network, for its metadata
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    fpu_reduction: Option<f32>,
    /// How the network was made, in words, for its metadata
    #[arg(long, value_name = "TEXT")]
    recipe: Option<String>,
}

/// Positions on which the exported network is checked.
const CHECKED: usize = 256;

/// How far f32 answers may be from the trained network's.
const TOLERANCE: f32 = 1e-4;

pub fn run(flags: Flags) -> Result<()> {
    let checkpoint = Checkpoint::find(&flags.from)?;
    let architecture = &checkpoint.config.model;
    let weights = match flags.no_average {
        true => &checkpoint.weights,
        false => checkpoint.best_weights(),
    };
    let metadata = metadata(&flags, &checkpoint)?;
    let count = CHECKED + if flags.int8 { flags.calibration_positions } else { 0 };
    let positions = positions(&flags, &checkpoint, count)?;
    let (checked, calibration) = positions.split_at(CHECKED);

    let single = Options { precision: Precision::F32, metadata: metadata.clone() };
    let reference = build(architecture, weights, &single)?;
    let file = if flags.int8 {
        if calibration.size == 0 {
            bail!("only {} positions: too few to set the ranges of int8", checked.size);
        }
        quantize(architecture, weights, &calibration.planes, &metadata)?
    } else if flags.fp16 {
        build(architecture, weights, &Options { precision: Precision::F16, metadata })?
    } else {
        reference.clone()
    };

    let device = open_device(crate::config::Device::Cpu)?;
    let trained = Network::new(architecture, weights, &device);
    let outputs = answers(&trained, &checked, &device);
    let expected = Expected { planes: &checked.planes, outputs: &outputs, legal: &checked.legal };
    let agreement = match compare(&file, &expected) {
        Err(ExportError::NotVerified(error)) => {
            eprintln!("warning: the network was not checked: {error}");
            None
        }
        other => Some(other?),
    };
    if let Some(agreement) = &agreement {
        println!("{}", describe(agreement));
        if !(flags.fp16 || flags.int8) {
            check_f32(agreement)?;
        }
    }
    write_atomic(&flags.out, &file)
        .with_context(|| format!("{} cannot be written", flags.out.display()))?;
    if agreement.is_some() && flags.int8 {
        println!("{}", compare_speed(&flags.out, &file, &reference)?);
    }
    let (name, kilobytes) = (architecture.describe(), file.len().div_ceil(1000));
    println!("{}: {name}, {kilobytes} kB", flags.out.display());
    Ok(())
}

/// f32 arithmetic differs in the last digits only; more means a faulty export.
fn check_f32(agreement: &Agreement) -> Result<()> {
    let worst = agreement.max_policy_error.max(agreement.max_value_error);
    if worst > TOLERANCE {
        bail!(
            "the exported network differs from the trained one by {worst:.1e}; nothing is written"
        );
    }
    Ok(())
}

fn metadata(flags: &Flags, checkpoint: &Checkpoint) -> Result<Metadata> {
    let progress = &checkpoint.progress;
    let sources: Vec<String> = checkpoint
        .config
        .data
        .sources
        .iter()
        .flat_map(|source| &source.paths)
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().to_string()))
        .collect();
    let default_recipe = || {
        format!(
            "{} steps, {} positions, seed {}",
            progress.step, progress.positions, checkpoint.config.run.seed
        )
    };
    Ok(Metadata {
        created: Some(provenance::now()),
        git: Some(provenance::GIT.to_string()),
        parent: Some(checkpoint.config.hash()?),
        data: Some(sources.join(", ")),
        recipe: Some(flags.recipe.clone().unwrap_or_else(default_recipe)),
        tuned_for: TunedFor {
            policy_temperature: flags.policy_temperature,
            cpuct: flags.cpuct,
            cpuct_at_root: flags.cpuct_at_root,
            fpu_reduction: flags.fpu_reduction,
        },
    })
}

/// Positions and their legal moves.
#[derive(Default)]
struct Positions {
    size: usize,
    planes: Vec<f32>,
    legal: Vec<Vec<usize>>,
}

impl Positions {
    fn add(&mut self, batch: &Batch) {
        self.size += batch.size;
        self.planes.extend_from_slice(&batch.planes);
        let rows = batch.moves.chunks(batch.width).zip(batch.legal.chunks(batch.width));
        self.legal.extend(rows.map(|(moves, legal)| {
            let moves = moves.iter().zip(legal).filter(|(_, legal)| **legal > 0.0);
            moves.map(|(index, _)| *index as usize).collect()
        }));
    }

    fn split_at(mut self, count: usize) -> (Positions, Positions) {
        let count = count.min(self.size);
        let planes = self.planes.split_off(self.planes.len() / self.size.max(1) * count);
        let legal = self.legal.split_off(count);
        let rest = Positions { size: self.size - count, planes, legal };
        self.size = count;
        (self, rest)
    }
}

/// Positions that the network was not trained on, if the shards have so many.
fn positions(flags: &Flags, checkpoint: &Checkpoint, count: usize) -> Result<Positions> {
    let mut settings = DatasetSettings { batch_size: 256, ..checkpoint.config.data.clone() };
    if !flags.calibrate.is_empty() {
        settings.sources = vec![SourceSettings { paths: flags.calibrate.clone(), weight: 1.0 }];
    }
    let encoder = checkpoint.config.model.encoder;
    match collect(&settings, encoder, count) {
        Ok(kept) if kept.size == count => return Ok(kept),
        Ok(_) | Err(DatasetError::Empty { .. }) => (),
        Err(error) => return Err(error).context(REMEDY),
    }
    // Too few were kept from training, so any position must do.
    settings.validation = 1.0;
    collect(&settings, encoder, count).context(REMEDY)
}

const REMEDY: &str = "positions to check the network with (--calibrate names other shards)";

fn collect(
    settings: &DatasetSettings,
    encoder: Encoder,
    count: usize,
) -> Result<Positions, DatasetError> {
    let mut set = ValidationSet::open(settings, encoder, count)?;
    let mut positions = Positions::default();
    while let Some(batch) = set.next_batch()? {
        positions.add(&batch);
        set.recycle(batch);
    }
    Ok(positions)
}

/// What the trained network says.
fn answers(network: &Network, positions: &Positions, device: &burn::tensor::Device) -> Outputs {
    let planes = positions.planes.len() / positions.size / 64;
    let data = TensorData::new(positions.planes.clone(), [positions.size, planes, 64]);
    let input = Tensor::<3>::from_data(data, device).swap_dims(1, 2);
    let outputs = network.forward(input, Mode::Infer);
    let numbers = |tensor: Tensor<2>| tensor.into_data().iter::<f32>().collect();
    Outputs {
        policy: numbers(outputs.policy.all()),
        value: numbers(outputs.value),
        moves_left: outputs.moves_left.map(numbers),
    }
}

fn describe(agreement: &Agreement) -> String {
    format!(
        "checked on {} positions: same first move in {:.1}%, policy logits off by at most {:.1e} \
         (divergence {:.1e}), values by at most {:.1e} (mean {:.1e})",
        agreement.positions,
        agreement.top1 * 100.0,
        agreement.max_policy_error,
        agreement.kl,
        agreement.max_value_error,
        agreement.mean_value_error,
    )
}

/// The quantized network's speed against f32, on one thread.
fn compare_speed(path: &Path, file: &[u8], reference: &[u8]) -> Result<String> {
    let open = |bytes: &[u8]| engine::eval::Network::from_bytes(path, bytes.to_vec()).map(Arc::new);
    let settings = SpeedSettings::default();
    let speeds = speed(&[open(file)?, open(reference)?], &settings)?;
    let lines = settings.batches.iter().zip(speeds[0].iter().zip(&speeds[1])).map(
        |(batch, (quick, single))| {
            let (quick, single) = (quick.positions_per_second, single.positions_per_second);
            format!(
                "batch {batch}: {quick:.0} positions/s, f32 {single:.0}, ratio {:.2}",
                quick / single
            )
        },
    );
    Ok(lines.collect::<Vec<_>>().join("\n"))
}
