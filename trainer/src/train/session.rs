//! A run from its beginning, or its last checkpoint, to its end.

use super::checkpoint::{Checkpoint, CheckpointError, Progress};
use super::clock::Clock;
use super::device::{DeviceError, open_device};
use super::learner::{Learner, LearnerParts, Report};
use super::reference::{ReferenceError, ReferenceNetwork};
use super::run_folder::{RunError, RunFolder};
use crate::config::{Format, TrainConfig};
use crate::dataset::{Batch, Dataset, DatasetError, DatasetSettings, ValidationSet};
use crate::interrupt;
use crate::metrics::{MetricsError, Recorder};
use crate::model::{WeightsError, check_weights, initial_weights, parameters};
use crate::progress;
use indicatif::ProgressBar;
use std::path::PathBuf;
use thiserror::Error;

/// Steps whose mean loss later losses are compared with, and how much larger
/// they may grow.
const FIRST_STEPS: u64 = 20;
const DIVERGED: f64 = 3.0;

pub struct Session {
    config: TrainConfig,
    folder: RunFolder,
    learner: Learner,
    dataset: Dataset,
    recorder: Recorder,
    progress: Progress,
    clock: Clock,
    /// Whether positions were kept from training.
    can_validate: bool,
}

#[derive(Debug, Error)]
pub enum SessionError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    #[error("train.start_from: {0}")]
    StartFrom(CheckpointError),
    #[error("train.start_from: {0}")]
    OtherNetwork(#[from] WeightsError),
    #[error(
        "training diverged at step {step}: the loss is {loss}{}; a smaller schedule.learning_rate \
         or optimizer.gradient_clip may help{}",
        than(*first),
        kept(last_good)
    )]
    Diverged { step: u64, loss: f64, first: f64, last_good: Option<PathBuf> },
}

fn than(first: f64) -> String {
    if first > 0.0 { format!(" after {first:.3} at the start") } else { String::new() }
}

fn kept(path: &Option<PathBuf>) -> String {
    let kept = |path: &PathBuf| format!("; the last good checkpoint is {}", path.display());
    path.as_ref().map(kept).unwrap_or_default()
}

impl Session {
    /// Begins the config's run, or goes on with it.
    pub fn open(config: TrainConfig, folder: RunFolder) -> Result<Session, SessionError> {
        let device = open_device(config.run.device)?;
        let checkpoint = folder.resume(&config)?;
        let data = data_settings(&config);
        let cursor = checkpoint.as_ref().map(|checkpoint| &checkpoint.progress.cursor);
        let mut dataset = Dataset::open(&data, config.model.encoder, cursor)?;
        let mut reference = ReferenceNetwork::open(&config.loss.kl, &config.model, &device)?;
        let start = match &checkpoint {
            Some(_) => None,
            None => start_checkpoint(&config)?,
        };
        let initial = match &checkpoint {
            Some(checkpoint) => checkpoint.weights.clone(),
            None => match &start {
                // The optimizer's state belongs to the weights, not to their average.
                Some(start) if config.train.keep_optimizer => start.weights.clone(),
                Some(start) => start.best_weights().clone(),
                None => initial_weights(&config.model, config.run.seed),
            },
        };
        let kept = start.as_ref().filter(|_| config.train.keep_optimizer);
        let average = checkpoint.as_ref().or(kept).and_then(|before| before.average.as_ref());
        let kl_weight = checkpoint.as_ref().and_then(|checkpoint| checkpoint.progress.kl_weight);
        if let (Some(reference), Some(weight)) = (&mut reference, kl_weight) {
            reference.weight = weight;
        }
        let parts = LearnerParts {
            architecture: &config.model,
            loss: &config.loss,
            optimizer: &config.optimizer,
            weights: &initial,
            average,
            reference,
        };
        let mut learner = Learner::new(parts, device);
        let resumed = checkpoint.as_ref().map(|checkpoint| checkpoint.progress.step);
        let progress = match checkpoint {
            Some(checkpoint) => {
                let Checkpoint { progress, first, second, .. } = checkpoint;
                learner.restore_optimizer(&first, &second, progress.updates());
                progress
            }
            None => {
                if let Some(start) = start.filter(|_| config.train.keep_optimizer) {
                    let updates = start.progress.updates();
                    learner.restore_optimizer(&start.first, &start.second, updates);
                }
                folder.begin(&config)?;
                let total = total_steps(&config, &mut dataset, &data)?;
                Progress { total, ..Progress::default() }
            }
        };
        let mut recorder = Recorder::open(&folder.path, resumed)?;
        if resumed.is_none() {
            let text = config.to_text(Format::Toml).map_err(RunError::from)?;
            recorder.text("config", &format!("```toml\n{text}\n```"))?;
        }
        let can_validate = has_validation(&config, &data)?;
        let clock = Clock::start(&dataset, progress.positions);
        Ok(Session { config, folder, learner, dataset, recorder, progress, clock, can_validate })
    }

    /// Trains to the end, or until Ctrl-C. Either way the state is saved; what it
    /// came to, in words.
    pub fn run(mut self) -> Result<String, SessionError> {
        self.announce();
        let bar = progress::bar(Some(self.progress.total), "steps");
        bar.set_position(self.progress.step);
        let mut saved = self.progress.step;
        while self.progress.step < self.progress.total && !interrupt::requested() {
            self.step()?;
            let step = self.progress.step;
            bar.set_position(step);
            let train = &self.config.train;
            let last = step == self.progress.total;
            let log_due = last || step.is_multiple_of(train.log_every);
            let validation_due =
                self.can_validate && (last || step.is_multiple_of(train.validate_every));
            let checkpoint_due = last || step.is_multiple_of(train.checkpoint_every);
            if log_due || validation_due {
                self.record(log_due, validation_due, &bar)?;
            }
            if checkpoint_due {
                self.save()?;
                saved = step;
            }
        }
        if saved < self.progress.step {
            self.save()?;
        }
        bar.finish_and_clear();
        Ok(self.conclusion())
    }

    fn step(&mut self) -> Result<(), SessionError> {
        let rate = self.rate();
        let count = self.config.optimizer.accumulate.max(1);
        let batches = (0..count)
            .map(|_| self.dataset.next_batch())
            .collect::<Result<Vec<Batch>, DatasetError>>()?;
        let report = self.learner.step(&batches, rate);
        self.check(&report)?;
        let progress = &mut self.progress;
        progress.step += 1;
        progress.positions += batches.iter().map(|batch| batch.size as u64).sum::<u64>();
        progress.cursor = self.dataset.cursor().clone();
        if progress.step <= FIRST_STEPS {
            progress.first_loss += (report.loss - progress.first_loss) / progress.step as f64;
        }
        progress.unlogged.add(&report);
        for batch in batches {
            self.dataset.recycle(batch);
        }
        Ok(())
    }

    fn rate(&self) -> f64 {
        self.config.schedule.rate(self.progress.step, self.progress.total)
    }

    fn check(&self, report: &Report) -> Result<(), SessionError> {
        let Progress { step, first_loss, .. } = self.progress;
        let settled = step >= FIRST_STEPS;
        let sound = report.loss.is_finite() && report.gradient_norm.is_finite();
        if sound && !(settled && report.loss > DIVERGED * first_loss.abs()) {
            return Ok(());
        }
        Err(SessionError::Diverged {
            step: step + 1,
            loss: report.loss,
            first: first_loss,
            last_good: super::checkpoint::newest(&self.folder.path),
        })
    }

    fn save(&mut self) -> Result<(), SessionError> {
        self.progress.kl_weight = self.learner.kl_weight();
        self.progress.updates = self.learner.updates();
        let (first, second) = self.learner.optimizer_state();
        let checkpoint = Checkpoint {
            config: self.config.clone(),
            progress: self.progress.clone(),
            weights: self.learner.weights(),
            average: self.learner.average(),
            first,
            second,
        };
        self.folder.save(&checkpoint, self.config.train.keep_checkpoints)?;
        Ok(())
    }

    fn record(
        &mut self,
        log: bool,
        validation: bool,
        bar: &ProgressBar,
    ) -> Result<(), SessionError> {
        let Progress { step, positions, .. } = self.progress;
        if log {
            let report = std::mem::take(&mut self.progress.unlogged).mean();
            let speed = self.clock.lap(&self.dataset, positions);
            self.write("train", &report);
            self.recorder.scalar("train/learning_rate", self.rate());
            self.recorder.scalar("train/gradient_norm", report.gradient_norm);
            self.recorder.scalar("speed/positions_per_second", speed.positions_per_second);
            self.recorder.scalar("speed/wait_share", speed.wait_share);
            if let Some(weight) = self.learner.kl_weight() {
                self.recorder.scalar("train/kl_weight", weight);
            }
            bar.set_message(format!("{} {}", describe(&report), speed.describe()));
            if bar.is_hidden() {
                let total = self.progress.total;
                eprintln!("step {step}/{total} {} {}", describe(&report), speed.describe());
            }
        }
        if validation {
            let (report, values) = self.validate()?;
            self.write("validation", &report);
            self.recorder.histogram("validation/predicted_values", &values);
            let line = format!("step {step} validation {}", describe(&report));
            if bar.is_hidden() {
                eprintln!("{line}")
            } else {
                bar.println(line)
            }
            // Validation is not training: its time does not count.
            self.clock = Clock::start(&self.dataset, positions);
        }
        let every = self.config.train.histogram_every;
        if every > 0 && step.is_multiple_of(every) {
            for (name, tensor) in self.learner.weights() {
                self.recorder.histogram(&format!("weights/{name}"), &tensor.data);
            }
        }
        self.recorder.finish_step(step, positions)?;
        Ok(())
    }

    fn write(&mut self, group: &str, report: &Report) {
        let values = [
            ("loss", Some(report.loss)),
            ("policy_loss", Some(report.policy)),
            ("value_loss", Some(report.value)),
            ("moves_left_loss", report.moves_left),
            ("kl", report.kl),
            ("policy_entropy", Some(report.entropy)),
            ("policy_top1", Some(report.score.top1())),
            ("policy_top5", Some(report.score.top5())),
            ("value_sign", Some(report.score.sign())),
        ];
        for (name, value) in values {
            if let Some(value) = value {
                self.recorder.scalar(&format!("{group}/{name}"), value);
            }
        }
    }

    /// The report over the validation set, and the values predicted in it.
    fn validate(&self) -> Result<(Report, Vec<f32>), SessionError> {
        let positions = self.config.train.validation_positions;
        let settings = data_settings(&self.config);
        let mut set = ValidationSet::open(&settings, self.config.model.encoder, positions)?;
        let network = self.learner.inference_network();
        let (mut report, mut values) = (Report::default(), Vec::new());
        while let Some(batch) = set.next_batch()? {
            let (seen, predicted) = self.learner.validate(&network, &batch);
            report.add(&seen);
            values.extend(predicted);
            set.recycle(batch);
        }
        Ok((report.mean(), values))
    }

    fn announce(&self) {
        let Progress { step, total, .. } = self.progress;
        let model = &self.config.model;
        let begun = if step > 0 { format!(", going on after step {step}") } else { String::new() };
        eprintln!(
            "{}: {} on {}, {} parameters, {total} steps of {} positions{begun}",
            self.folder.path.display(),
            model.describe(),
            model.encoder.name(),
            parameters(model),
            self.config.positions_per_step(),
        );
    }

    fn conclusion(&self) -> String {
        let Progress { step, total, .. } = self.progress;
        let newest = super::checkpoint::path(&self.folder.path, step);
        match step < total {
            true => format!("stopped after step {step} of {total}; {}", newest.display()),
            false => format!("finished {total} steps; {}", newest.display()),
        }
    }
}

/// Another run's state to start from, if the config names one.
fn start_checkpoint(config: &TrainConfig) -> Result<Option<Checkpoint>, SessionError> {
    let Some(path) = &config.train.start_from else { return Ok(None) };
    let checkpoint = Checkpoint::find(path).map_err(SessionError::StartFrom)?;
    check_weights(&config.model, checkpoint.best_weights())?;
    Ok(Some(checkpoint))
}

/// The run's seed is the data's as well.
fn data_settings(config: &TrainConfig) -> DatasetSettings {
    DatasetSettings { seed: config.run.seed, ..config.data.clone() }
}

/// Epochs can only be counted in steps after a look at the data, which is then
/// opened anew.
fn total_steps(
    config: &TrainConfig,
    dataset: &mut Dataset,
    settings: &DatasetSettings,
) -> Result<u64, SessionError> {
    if config.train.epochs.is_none() {
        return Ok(config.total_steps(0));
    }
    let batch = dataset.next_batch()?;
    let per_epoch = dataset.positions_per_epoch().unwrap_or(batch.size as u64);
    *dataset = Dataset::open(settings, config.model.encoder, None)?;
    Ok(config.total_steps(per_epoch))
}

/// Data without a position to validate with can still be trained on.
fn has_validation(config: &TrainConfig, settings: &DatasetSettings) -> Result<bool, SessionError> {
    if config.train.validate_every == 0 || settings.validation == 0.0 {
        return Ok(false);
    }
    let first =
        ValidationSet::open(settings, config.model.encoder, 1).and_then(|mut set| set.next_batch());
    match first {
        Ok(batch) => Ok(batch.is_some()),
        Err(error @ DatasetError::Empty { .. }) => {
            eprintln!("warning: training without validation: {error}");
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

fn describe(report: &Report) -> String {
    format!(
        "loss {:.4} (policy {:.4}, value {:.4}) top-1 {:.1}% top-5 {:.1}% sign {:.1}%",
        report.loss,
        report.policy,
        report.value,
        report.score.top1() * 100.0,
        report.score.top5() * 100.0,
        report.score.sign() * 100.0,
    )
}
