//! Whole configs by name, to be used as they are or changed.

use super::schedule::{Decay, ScheduleSettings};
use super::settings::{
    Device, KlSettings, LossSettings, OptimizerKind, OptimizerSettings, PolicySoftmax, RunSettings,
    TrainConfig, TrainSettings, ValueLoss,
};
use crate::dataset::DatasetSettings;
use crate::model::{Activation, Architecture, Body, Norm, ValueKind};
use engine::encode::Encoder;

/// From the smallest to the largest.
pub const PRESETS: [&str; 7] = ["nano", "dense", "small", "thesis", "neural-mate", "base", "large"];

pub const DEFAULT_PRESET: &str = "small";

/// The preset of that name; [`DEFAULT_PRESET`] for any other.
pub fn preset(name: &str) -> TrainConfig {
    match name {
        "nano" => nano(),
        "dense" => dense(),
        "thesis" => thesis(),
        "neural-mate" => neural_mate(),
        "base" => base(),
        "large" => large(),
        _ => small(),
    }
}

/// A plain 2x16 that learns to take what hangs within half a minute of two
/// processors: for trying things out.
fn nano() -> TrainConfig {
    let mut config = small();
    config.model = Architecture {
        blocks: 2,
        channels: 16,
        squeeze: 0,
        policy_channels: 16,
        value_channels: 4,
        value_hidden: 32,
        ..config.model
    };
    config.data.shuffle = 1 << 16;
    config.optimizer.ema = 0.0;
    config.schedule.learning_rate = 5e-3;
    config.schedule.warmup = 30;
    config.train = TrainSettings {
        steps: Some(600),
        checkpoint_every: 200,
        validate_every: 100,
        validation_positions: 4_096,
        log_every: 10,
        histogram_every: 100,
        ..config.train
    };
    config
}

/// One wide layer on planes of threats, as the default network has: quick on a
/// processor, in training and in play.
fn dense() -> TrainConfig {
    let mut config = small();
    config.model = Architecture {
        encoder: Encoder::Threats,
        body: Body::Dense,
        value_hidden: 32,
        ..config.model
    };
    config.data.batch_size = 1024;
    config.data.shuffle = 1 << 20;
    config.optimizer.weight_decay = 0.05;
    config.optimizer.ema = 0.9995;
    config.schedule.warmup = 300;
    config.train.steps = Some(40_000);
    config.train.histogram_every = 0;
    config
}

/// Small enough for a processor, strong enough to play: what others change.
fn small() -> TrainConfig {
    TrainConfig {
        run: RunSettings {
            name: None,
            seed: 0,
            out: "runs".into(),
            device: Device::Cpu,
            threads: 0,
        },
        model: Architecture {
            encoder: Encoder::Basic18,
            body: Body::Tower,
            hidden: 512,
            blocks: 6,
            channels: 64,
            squeeze: 16,
            attention_blocks: 0,
            norm: Norm::None,
            groups: 8,
            activation: Activation::Relu,
            policy_channels: 64,
            value: ValueKind::Wdl,
            value_channels: 16,
            value_hidden: 64,
            moves_left: false,
        },
        data: DatasetSettings { batch_size: 256, ..DatasetSettings::default() },
        loss: LossSettings {
            alpha: 0.5,
            value: ValueLoss::CrossEntropy,
            policy_softmax: PolicySoftmax::Legal,
            entropy: 0.0,
            moves_left_weight: 0.1,
            kl: KlSettings { network: None, weight: 0.0, target: None },
        },
        optimizer: OptimizerSettings {
            kind: OptimizerKind::AdamW,
            weight_decay: 0.01,
            momentum: 0.9,
            nesterov: true,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            gradient_clip: 1.0,
            accumulate: 1,
            ema: 0.999,
        },
        schedule: ScheduleSettings {
            learning_rate: 2e-3,
            warmup: 500,
            decay: Decay::Cosine,
            final_ratio: 0.02,
            drops: vec![],
        },
        train: TrainSettings {
            start_from: None,
            keep_optimizer: false,
            steps: Some(30_000),
            positions: None,
            epochs: None,
            checkpoint_every: 1_000,
            keep_checkpoints: 5,
            validate_every: 1_000,
            validation_positions: 16_384,
            log_every: 50,
            histogram_every: 1_000,
        },
    }
}

/// AlphaZero's input and plain blocks with batch normalization, at a size for
/// one small graphics card.
fn thesis() -> TrainConfig {
    let mut config = small();
    config.model = Architecture {
        encoder: Encoder::Az119,
        channels: 96,
        squeeze: 0,
        norm: Norm::Batch,
        policy_channels: 96,
        value_hidden: 128,
        ..config.model
    };
    config.data.batch_size = 512;
    config.schedule.learning_rate = 1e-3;
    config.schedule.warmup = 1_000;
    config.train.steps = Some(50_000);
    config
}

/// Planes of chess knowledge, and spatial attention where the tower ends.
fn neural_mate() -> TrainConfig {
    let mut config = base();
    config.model = Architecture {
        encoder: Encoder::Nmp72,
        blocks: 8,
        attention_blocks: 2,
        norm: Norm::Group,
        activation: Activation::Gelu,
        ..config.model
    };
    config
}

/// For a graphics card.
fn base() -> TrainConfig {
    let mut config = small();
    config.model = Architecture {
        blocks: 10,
        channels: 128,
        squeeze: 32,
        policy_channels: 128,
        value_channels: 32,
        value_hidden: 128,
        ..config.model
    };
    config.data.batch_size = 512;
    config.data.shuffle = 1 << 20;
    config.schedule.learning_rate = 1e-3;
    config.schedule.warmup = 1_000;
    config.train.steps = Some(100_000);
    config.train.validation_positions = 32_768;
    config
}

/// For a large graphics card and days.
fn large() -> TrainConfig {
    let mut config = base();
    config.model =
        Architecture { blocks: 20, channels: 256, squeeze: 64, value_hidden: 256, ..config.model };
    config.data.batch_size = 1024;
    config.schedule.learning_rate = 5e-4;
    config.schedule.warmup = 2_000;
    config.train.steps = Some(200_000);
    config
}
