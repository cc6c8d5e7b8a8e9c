//! Every key of the config: its meaning, and the values it takes. The checks
//! and the help come from this table, and a test holds it against the settings.

use super::kind::Kind::{Choice, Choices, Count, Flag, Number, Text, Texts};
use super::kind::{ANY_COUNT, BELOW_ONE, Kind, POSITIVE_COUNT, SHARE, above, at_least};
use std::ops::Bound::{Excluded, Included};

#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// With dots between; `[]` stands for each part of a list.
    pub path: &'static str,
    pub kind: Kind,
    /// Whether it may be left out or null.
    pub optional: bool,
    pub help: &'static str,
}

const fn key(path: &'static str, kind: Kind, help: &'static str) -> Key {
    Key { path, kind, optional: false, help }
}

const fn optional(path: &'static str, kind: Kind, help: &'static str) -> Key {
    Key { path, kind, optional: true, help }
}

const ENCODERS: &[&str] = &["basic18", "az119", "nmp72", "lc0-112", "rich", "tactics", "threats"];
const SEARCH_KINDS: &[&str] =
    &["None", "Human", "Teacher", "Comment", "Full", "Cheap", "Random", "Book"];

/// In the order of the settings.
pub const KEYS: &[Key] = &[
    optional(
        "run.name",
        Text,
        "folder of the run inside run.out; left out, it is made of the time",
    ),
    key(
        "run.seed",
        ANY_COUNT,
        "decides the initial weights, and the data's order if data.seed is left out",
    ),
    key("run.out", Text, "folder of all runs"),
    key("run.device", Choice(&["cpu", "cuda", "wgpu"]), "what computes"),
    key("run.threads", Count(0, 4096), "threads that compute on the CPU; 0 for one per processor"),
    key("model.encoder", Choice(ENCODERS), "input planes"),
    key(
        "model.body",
        Choice(&["tower", "dense"]),
        "residual blocks of convolutions, or one wide layer that sees the whole board",
    ),
    key("model.hidden", Count(0, 65536), "width of a dense body"),
    key("model.blocks", Count(1, 256), "residual blocks"),
    key("model.channels", Count(1, 4096), "channels of the tower"),
    key("model.squeeze", Count(0, 4096), "hidden channels of squeeze and excitation; 0 for none"),
    key(
        "model.attention_blocks",
        Count(0, 256),
        "how many of the last blocks have spatial attention",
    ),
    key("model.norm", Choice(&["none", "batch", "group"]), "normalization after convolutions"),
    key("model.groups", Count(1, 4096), "groups of channels of group normalization"),
    key("model.activation", Choice(&["relu", "gelu", "mish"]), "activation"),
    key("model.policy_channels", Count(1, 4096), "hidden channels of the policy head"),
    key("model.value", Choice(&["wdl", "scalar"]), "value head: win, draw and loss, or one number"),
    key("model.value_channels", Count(1, 4096), "channels of the value head"),
    key("model.value_hidden", Count(1, 65536), "width of the value head's hidden layer"),
    key("model.moves_left", Flag, "whether there is a head for the moves left"),
    key("data.sources[].paths", Texts, "shards: files, or folders of them"),
    optional(
        "data.sources[].weight",
        above(0.0),
        "its part of every batch, relative to other sources; 1 if left out",
    ),
    key("data.batch_size", POSITIVE_COUNT, "positions in a batch"),
    key("data.seed", ANY_COUNT, "decides order, mixture and thinning; run.seed if left out"),
    key(
        "data.validation",
        Number(Included(0.0), Included(0.5)),
        "share of the games that is kept from training",
    ),
    optional("data.window", Count(1, u32::MAX as u64), "only the newest generations, so many"),
    optional("data.min_ply", ANY_COUNT, "first position to take of each game, counted from 0"),
    optional("data.max_ply", ANY_COUNT, "last position to take of each game"),
    optional(
        "data.kinds",
        Choices(SEARCH_KINDS),
        "only positions that were thought about in these ways",
    ),
    key(
        "data.sample_rate",
        Number(Excluded(0.0), Included(1.0)),
        "share of each game's positions that an epoch takes",
    ),
    key(
        "data.targets.policy_smoothing",
        SHARE,
        "share of the policy that is spread evenly over the legal moves",
    ),
    key(
        "data.targets.policy_temperature",
        above(0.0),
        "above 1 flattens a soft policy, below 1 sharpens it",
    ),
    key(
        "data.targets.q_ratio",
        SHARE,
        "part of search or teacher in the value; the rest is the game's result",
    ),
    key(
        "data.targets.score_ratio",
        SHARE,
        "part of the score in centipawns in what search or teacher thought",
    ),
    key(
        "data.targets.score_scale",
        above(0.0),
        "the score, in centipawns, that is taken for a win by 46 %",
    ),
    key(
        "data.targets.soften",
        SHARE,
        "share of the value that is spread evenly over win, draw and loss",
    ),
    key(
        "data.targets.decisive_weight",
        above(0.0),
        "sample weight of positions from games that somebody won",
    ),
    key("data.targets.use_sample_weights", Flag, "whether the weights of the records count"),
    key(
        "data.shuffle",
        POSITIVE_COUNT,
        "positions that are shuffled together; twice as many are in memory",
    ),
    key("data.workers", Count(0, 4096), "threads that read and encode; 0 for one per processor"),
    key("data.prefetch", POSITIVE_COUNT, "batches made ahead"),
    key("loss.alpha", SHARE, "loss = alpha * policy + (1 - alpha) * value + the terms below"),
    key(
        "loss.value",
        Choice(&["cross-entropy", "mse"]),
        "value loss: of win, draw and loss, or squared error of the expected result",
    ),
    key(
        "loss.policy_softmax",
        Choice(&["legal", "all"]),
        "whether illegal moves are left out of the policy, or learned to be unlikely",
    ),
    key("loss.entropy", at_least(0.0), "weight of the policy's entropy, which is rewarded"),
    key(
        "loss.moves_left_weight",
        at_least(0.0),
        "weight of the moves-left loss, if there is that head",
    ),
    optional("loss.kl.network", Text, "run, checkpoint or ONNX network whose policy to stay near"),
    key("loss.kl.weight", at_least(0.0), "weight of the divergence from it"),
    optional(
        "loss.kl.target",
        above(0.0),
        "divergence to aim at, by changing the weight as the run goes",
    ),
    key(
        "optimizer.kind",
        Choice(&["sgd", "adamw", "muon"]),
        "optimizer; muon is for the matrices within the network, adamw for the rest",
    ),
    key("optimizer.weight_decay", at_least(0.0), "weight decay"),
    key("optimizer.momentum", BELOW_ONE, "momentum (sgd, muon)"),
    key("optimizer.nesterov", Flag, "Nesterov's momentum (sgd, muon)"),
    key("optimizer.beta1", BELOW_ONE, "decay of the mean of gradients (adamw)"),
    key("optimizer.beta2", BELOW_ONE, "decay of the mean of squared gradients (adamw)"),
    key("optimizer.epsilon", above(0.0), "added to the root of the mean square (adamw)"),
    key(
        "optimizer.gradient_clip",
        at_least(0.0),
        "largest norm of a step's gradient; 0 for no limit",
    ),
    key("optimizer.accumulate", POSITIVE_COUNT, "batches whose gradients make one step"),
    key(
        "optimizer.ema",
        BELOW_ONE,
        "decay of the running average of weights that is kept and exported; 0 for none",
    ),
    key("schedule.learning_rate", above(0.0), "learning rate after the warm-up"),
    key("schedule.warmup", ANY_COUNT, "steps in which the rate grows from zero"),
    key(
        "schedule.decay",
        Choice(&["cosine", "constant", "steps"]),
        "how the rate falls after that",
    ),
    key("schedule.final_ratio", SHARE, "part of the rate that a cosine ends at"),
    key("schedule.drops[].at", POSITIVE_COUNT, "step of a drop (steps)"),
    key("schedule.drops[].factor", above(0.0), "what the drop multiplies the rate by (steps)"),
    optional(
        "train.start_from",
        Text,
        "run, checkpoint or ONNX network whose weights training starts from, not random ones",
    ),
    key(
        "train.keep_optimizer",
        Flag,
        "whether the optimizer's state comes from there as well; else it starts anew",
    ),
    optional("train.steps", POSITIVE_COUNT, "steps of the optimizer; this or one of the next two"),
    optional("train.positions", POSITIVE_COUNT, "positions to train on"),
    optional("train.epochs", above(0.0), "times to go over the data"),
    key("train.checkpoint_every", POSITIVE_COUNT, "steps between checkpoints"),
    key("train.keep_checkpoints", POSITIVE_COUNT, "newest checkpoints that stay on disk"),
    key("train.validate_every", ANY_COUNT, "steps between validations; 0 for none"),
    key("train.validation_positions", POSITIVE_COUNT, "positions of a validation"),
    key("train.log_every", POSITIVE_COUNT, "steps between records of the metrics"),
    key(
        "train.histogram_every",
        ANY_COUNT,
        "steps between histograms of weights and gradients; 0 for none",
    ),
];

/// The key at a path, if the path ends at one.
pub fn key_at(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

/// The names right below a path, e.g. `kl` below `loss`; none if it is a key.
pub fn names_below(path: &str) -> impl Iterator<Item = &'static str> + Clone {
    let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
    let rests = KEYS.iter().filter_map(move |key| key.path.strip_prefix(&prefix));
    rests.map(|rest| rest.split(['.', '[']).next().unwrap_or(rest))
}

/// Whether a path is that of a list of tables.
pub fn is_list(path: &str) -> bool {
    names_below(&format!("{path}[]")).next().is_some()
}
