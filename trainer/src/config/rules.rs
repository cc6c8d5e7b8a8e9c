//! What must fit together. Each rule names its keys, so that it is left out
//! where one of them is wrong already.

use super::schedule::Decay;
use super::settings::{Length, TrainConfig, ValueLoss};
use crate::model::{Activation, Body, Norm, ValueKind};
use engine::encode::PolicyMap;

pub struct Rule {
    /// The first is where the problem is reported.
    pub keys: &'static [&'static str],
    /// What is wrong, if it is broken.
    pub broken: fn(&TrainConfig) -> Option<String>,
}

pub const RULES: &[Rule] = &[
    Rule { keys: &["run.name"], broken: name },
    Rule { keys: &["data.sources"], broken: no_data },
    Rule { keys: &["data.max_ply", "data.min_ply"], broken: no_plies },
    Rule { keys: &["model.encoder", "model.body"], broken: policy_shape },
    Rule { keys: &["model.hidden", "model.body"], broken: hidden },
    Rule { keys: &["model.activation", "model.body"], broken: activation },
    Rule { keys: &["model.norm", "model.body"], broken: norm },
    Rule { keys: &["model.attention_blocks", "model.blocks"], broken: attention },
    Rule {
        keys: &[
            "model.groups",
            "model.norm",
            "model.channels",
            "model.policy_channels",
            "model.value_channels",
        ],
        broken: groups,
    },
    Rule { keys: &["loss.value", "model.value"], broken: value_loss },
    Rule { keys: &["loss.moves_left_weight", "model.moves_left"], broken: moves_left },
    Rule { keys: &["loss.kl.weight", "loss.kl.network"], broken: kl },
    Rule { keys: &["optimizer.momentum", "optimizer.nesterov"], broken: nesterov },
    Rule { keys: &["train.steps", "train.positions", "train.epochs"], broken: length },
    Rule {
        keys: &[
            "schedule.warmup",
            "train.steps",
            "train.positions",
            "train.epochs",
            "data.batch_size",
            "optimizer.accumulate",
        ],
        broken: warmup,
    },
    Rule { keys: &["schedule.drops", "schedule.decay"], broken: drops },
    Rule { keys: &["train.validate_every", "data.validation"], broken: validation },
];

fn when(broken: bool, message: impl FnOnce() -> String) -> Option<String> {
    broken.then(message)
}

fn name(config: &TrainConfig) -> Option<String> {
    let name = config.run.name.as_deref()?;
    let path = name.contains(['/', '\\']) || name.starts_with('.');
    when(path, || format!("{name:?} should be the name of a folder, not a path; see run.out"))
}

fn no_data(config: &TrainConfig) -> Option<String> {
    when(config.data.sources.is_empty(), || {
        "nothing to train on; name shards with --data PATH".into()
    })
}

fn no_plies(config: &TrainConfig) -> Option<String> {
    let (first, last) = (config.data.min_ply?, config.data.max_ply?);
    when(first > last, || format!("{last} lies before data.min_ply, {first}"))
}

fn policy_shape(config: &TrainConfig) -> Option<String> {
    let (encoder, body) = (config.model.encoder, config.model.body);
    let policy = encoder.policy();
    when(body == Body::Tower && policy != PolicyMap::Az4672, || {
        let (encoder, policy) = (encoder.name(), policy.name());
        format!("{encoder} goes with the policy {policy}, which needs model.body=dense")
    })
}

fn hidden(config: &TrainConfig) -> Option<String> {
    let model = &config.model;
    when(model.body == Body::Dense && model.hidden == 0, || "a dense body needs a width".into())
}

fn activation(config: &TrainConfig) -> Option<String> {
    let model = &config.model;
    let other = model.body == Body::Dense && model.activation != Activation::Relu;
    when(other, || "a dense body has relu".into())
}

fn norm(config: &TrainConfig) -> Option<String> {
    let model = &config.model;
    let useless = model.body == Body::Dense && model.norm != Norm::None;
    when(useless, || "a dense body has no normalization".into())
}

fn attention(config: &TrainConfig) -> Option<String> {
    let (attention, blocks) = (config.model.attention_blocks, config.model.blocks);
    when(attention > blocks, || format!("{attention} is more than there are blocks, {blocks}"))
}

fn groups(config: &TrainConfig) -> Option<String> {
    let model = &config.model;
    if model.norm != Norm::Group {
        return None;
    }
    let normalized = [
        ("channels", model.channels),
        ("policy_channels", model.policy_channels),
        ("value_channels", model.value_channels),
    ];
    let uneven: Vec<String> = normalized
        .iter()
        .filter(|(_, channels)| channels % model.groups != 0)
        .map(|(name, channels)| format!("model.{name}, {channels}"))
        .collect();
    when(!uneven.is_empty(), || {
        format!("{} does not divide {}", model.groups, uneven.join(", nor "))
    })
}

fn value_loss(config: &TrainConfig) -> Option<String> {
    let mismatch =
        config.model.value == ValueKind::Scalar && config.loss.value == ValueLoss::CrossEntropy;
    when(mismatch, || "cross-entropy needs model.value=wdl; a scalar value learns by mse".into())
}

fn moves_left(config: &TrainConfig) -> Option<String> {
    let idle = config.model.moves_left && config.loss.moves_left_weight == 0.0;
    when(idle, || "with 0 the head that model.moves_left asks for never learns".into())
}

fn kl(config: &TrainConfig) -> Option<String> {
    let kl = &config.loss.kl;
    match (kl.weight > 0.0, &kl.network) {
        (true, None) => Some("needs loss.kl.network, the network to stay near".into()),
        (false, Some(_)) => Some("with 0 loss.kl.network has no effect".into()),
        _ => None,
    }
}

fn nesterov(config: &TrainConfig) -> Option<String> {
    let idle = config.optimizer.nesterov && config.optimizer.momentum == 0.0;
    when(idle, || "optimizer.nesterov needs a momentum above 0".into())
}

fn length(config: &TrainConfig) -> Option<String> {
    let train = &config.train;
    let given: Vec<&str> = [
        train.steps.map(|_| "train.steps"),
        train.positions.map(|_| "train.positions"),
        train.epochs.map(|_| "train.epochs"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match given.len() {
        0 => Some("how long to train? set this, train.positions or train.epochs".into()),
        1 => None,
        _ => Some(format!("keep one of {}", given.join(", "))),
    }
}

fn warmup(config: &TrainConfig) -> Option<String> {
    if length(config).is_some() || matches!(config.train.length(), Length::Epochs(_)) {
        return None;
    }
    let (warmup, steps) = (config.schedule.warmup, config.total_steps(0));
    when(warmup >= steps, || {
        format!("{warmup} steps of warm-up leave none of the run's {steps}; lower it")
    })
}

fn drops(config: &TrainConfig) -> Option<String> {
    let drops = &config.schedule.drops;
    match config.schedule.decay {
        Decay::Steps if drops.is_empty() => Some("schedule.decay=steps needs at least one".into()),
        Decay::Steps => {
            let out_of_order = drops.windows(2).find(|pair| pair[0].at >= pair[1].at)?;
            Some(format!("step {} must come before {}", out_of_order[1].at, out_of_order[0].at))
        }
        Decay::Cosine | Decay::Constant => {
            when(!drops.is_empty(), || "have no effect unless schedule.decay=steps".into())
        }
    }
}

fn validation(config: &TrainConfig) -> Option<String> {
    let nothing = config.train.validate_every > 0 && config.data.validation == 0.0;
    when(nothing, || "nothing to validate on while data.validation is 0; set one of them".into())
}
