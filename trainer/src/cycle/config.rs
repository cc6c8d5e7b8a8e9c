//! The settings of a learning loop.

use crate::config::{ConfigError, ConfigFlags, TrainConfig};
use crate::players::TimeControl;
use crate::selfplay::OpeningSettings;
use crate::statistics::Sprt;
use crate::train::DEFAULT_NETWORK;
use engine::selfplay::Settings as SearchSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LoopConfig {
    /// Folder of the loop inside `out`.
    pub name: String,
    pub out: PathBuf,
    pub seed: u64,
    pub generations: u32,
    /// A run, checkpoint or network to start from, or [`DEFAULT_NETWORK`]; random
    /// weights if left out.
    pub start: Option<PathBuf>,
    pub selfplay: SelfplayPart,
    pub window: Window,
    /// Other shards that are mixed in.
    pub supervised: Option<Supervised>,
    pub train: TrainPart,
    pub gate: Gate,
    pub watch: Watch,
    /// How far the policy may drift from the start's; needs `start`.
    pub drift: Option<Drift>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfplayPart {
    /// Of each generation.
    pub games: u64,
    pub openings: OpeningSettings,
    pub search: SearchSettings,
    /// Options of the engine, by name.
    pub options: BTreeMap<String, Value>,
}

/// How many generations training sees: `first` at the beginning, growing by
/// `growth` of a generation each time, `most` at the end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Window {
    pub first: f64,
    pub growth: f64,
    pub most: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Supervised {
    pub paths: Vec<PathBuf>,
    /// Their part of every batch, 0 to 1.
    pub share: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainPart {
    pub preset: String,
    /// Any keys of `trainer train --help-config`, e.g. `model.blocks: 4`.
    pub set: BTreeMap<String, Value>,
    /// Steps of a generation at most.
    pub steps: u64,
    /// A generation trains no longer than so many times the new positions.
    pub reuse: f64,
}

/// What a new network must show before it plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum Gate {
    /// Every network plays.
    None,
    /// A sequential test against the best one; undecided counts as passed if the
    /// score is at least even.
    Sprt {
        games: u64,
        tc: TimeControl,
        sprt: Sprt,
        /// Whether it must pass against the start too.
        #[serde(default)]
        start: bool,
    },
    /// A share of the points, 0 to 1.
    Score {
        games: u64,
        tc: TimeControl,
        score: f64,
        #[serde(default)]
        start: bool,
    },
}

impl Gate {
    /// Whether small losses may not add up to a large one: each network must hold
    /// against the start, not only against the one before.
    pub fn includes_start(&self) -> bool {
        match self {
            Gate::None => false,
            Gate::Sprt { start, .. } | Gate::Score { start, .. } => *start,
        }
    }
}

/// Matches that measure and decide nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Watch {
    /// After so many generations each; 0 for never.
    pub every: u32,
    /// Against each opponent.
    pub games: u64,
    pub tc: TimeControl,
    pub opponents: Vec<Opponent>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opponent {
    Random,
    Greedy,
    /// Tree search with random playouts.
    Mcts,
    Best,
    /// The network of half as many generations.
    Older,
    /// What the loop started from.
    Start,
}

impl Opponent {
    pub fn name(self) -> &'static str {
        match self {
            Opponent::Random => "random",
            Opponent::Greedy => "greedy",
            Opponent::Mcts => "mcts",
            Opponent::Best => "best",
            Opponent::Older => "older",
            Opponent::Start => "start",
        }
    }
}

/// Divergence from the start's policy, in nats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// What the loss aims at, by a weight that adapts.
    pub target: f64,
    /// Beyond this a match is played whatever the gate says.
    pub limit: f64,
    /// The weight at first.
    #[serde(default = "Drift::first_weight")]
    pub weight: f64,
}

impl Drift {
    fn first_weight() -> f64 {
        0.1
    }
}

/// A value as flags and options have it.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl Window {
    /// Generations that training after generation `number` sees, this one among
    /// them.
    pub fn size(&self, number: u32) -> u32 {
        let grown = self.first + self.growth * f64::from(number.saturating_sub(1));
        (grown.max(1.0) as u32).min(self.most.max(1))
    }
}

impl Default for SelfplayPart {
    fn default() -> SelfplayPart {
        SelfplayPart {
            games: 256,
            openings: OpeningSettings::Random(4),
            search: SearchSettings::default(),
            options: BTreeMap::new(),
        }
    }
}

impl Default for Window {
    fn default() -> Window {
        Window { first: 2.0, growth: 0.5, most: 20 }
    }
}

impl Default for TrainPart {
    fn default() -> TrainPart {
        TrainPart { preset: "nano".to_string(), set: BTreeMap::new(), steps: 400, reuse: 4.0 }
    }
}

impl Default for Watch {
    fn default() -> Watch {
        Watch {
            every: 0,
            games: 20,
            tc: TimeControl::Nodes(64),
            opponents: vec![Opponent::Random, Opponent::Greedy],
        }
    }
}

impl Default for LoopConfig {
    fn default() -> LoopConfig {
        LoopConfig {
            name: "loop".to_string(),
            out: PathBuf::from("loops"),
            seed: 0,
            generations: 10,
            start: None,
            selfplay: SelfplayPart::default(),
            window: Window::default(),
            supervised: None,
            train: TrainPart::default(),
            gate: Gate::None,
            watch: Watch::default(),
            drift: None,
        }
    }
}

impl LoopConfig {
    /// The training of a generation, before the loop sets data, start and length.
    pub fn training(&self) -> Result<TrainConfig, ConfigError> {
        let set = self.train.set.iter().map(|(key, value)| format!("{key}={}", plain(value)));
        let flags = ConfigFlags {
            preset: Some(self.train.preset.clone()),
            // Replaced by each generation; the check needs some.
            data: vec!["games".to_string()],
            steps: Some(self.train.steps.to_string()),
            // A generation goes on where the last one was: it needs no warm-up.
            set: ["schedule.warmup=0".to_string()].into_iter().chain(set).collect(),
            ..ConfigFlags::default()
        };
        flags.resolve()
    }

    /// Whether the network to start from is missing. A loop that has begun has a copy.
    pub fn missing_start(&self) -> Option<String> {
        let start = self.start.as_ref()?;
        let there = start.exists() || start == Path::new(DEFAULT_NETWORK);
        (!there).then(|| format!("start: {} is not there", start.display()))
    }

    /// Everything that cannot work, in words.
    pub fn problems(&self) -> Vec<String> {
        let mut found: Vec<String> = self
            .selfplay
            .search
            .problems()
            .iter()
            .map(|p| format!("selfplay.search.{p}"))
            .collect();
        let mut demand = |holds: bool, text: &str| {
            if !holds {
                found.push(text.to_string());
            }
        };
        demand(!self.name.trim().is_empty(), "name is empty");
        demand(self.generations >= 1, "generations must be at least 1");
        demand(self.selfplay.games >= 1, "selfplay.games must be at least 1");
        demand(self.window.first >= 1.0, "window.first must be at least 1");
        demand(self.window.growth >= 0.0, "window.growth must be 0 or more");
        demand(self.window.most >= 1, "window.most must be at least 1");
        demand(self.train.steps >= 1, "train.steps must be at least 1");
        demand(self.train.reuse > 0.0, "train.reuse must be above 0");
        if let Some(supervised) = &self.supervised {
            demand(!supervised.paths.is_empty(), "supervised.paths is empty");
            for path in &supervised.paths {
                let there = path.exists();
                demand(there, &format!("supervised.paths: {} is not there", path.display()));
            }
            let share = supervised.share;
            demand((0.0..1.0).contains(&share), "supervised.share is a share, 0 to below 1");
        }
        match &self.gate {
            Gate::None => {}
            Gate::Sprt { games, sprt, .. } => {
                demand(*games >= 2, "gate.games must be at least 2");
                if let Some(problem) = sprt.problem() {
                    demand(false, &format!("gate.sprt: {problem}"));
                }
            }
            Gate::Score { games, score, .. } => {
                demand(*games >= 2, "gate.games must be at least 2");
                demand((0.0..=1.0).contains(score), "gate.score is a share, 0 to 1");
            }
        }
        let watched = self.watch.every == 0 || self.watch.games >= 1;
        demand(watched, "watch.games must be at least 1, or watch.every 0");
        if let Some(drift) = &self.drift {
            demand(self.start.is_some(), "drift needs start, the network to stay near");
            demand(drift.target > 0.0, "drift.target must be above 0");
            demand(drift.limit >= drift.target, "drift.limit is below drift.target");
        }
        if let Err(error) = self.training() {
            demand(false, &format!("train: {error}"));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_to_its_bound() {
        let window = Window { first: 2.0, growth: 0.5, most: 5 };
        let sizes: Vec<u32> = (1..=10).map(|number| window.size(number)).collect();
        assert_eq!(sizes, [2, 2, 3, 3, 4, 4, 5, 5, 5, 5]);
    }

    #[test]
    fn all_problems_are_told_at_once() {
        assert_eq!(LoopConfig::default().problems(), Vec::<String>::new());
        let mut bad = LoopConfig { generations: 0, ..LoopConfig::default() };
        bad.selfplay.search.visits = 0;
        bad.drift = Some(Drift { target: 0.1, limit: 0.05, weight: 0.1 });
        bad.watch = Watch { every: 2, games: 0, ..Watch::default() };
        bad.train.set.insert("model.blocks".to_string(), Value::from(0));
        let told = bad.problems().join("; ");
        for part in
            ["generations", "visits", "needs start", "drift.limit", "watch.games", "model.blocks"]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}
