//! The work of a generation, stage by stage. Each can be broken off anywhere
//! and done again: what is finished of it is found and kept.

use super::LoopError;
use super::config::{LoopConfig, plain};
use super::folder::{Folder, GAMES, GAMES_OF_CURRENT};
use super::state::State;
use crate::config::{KlSettings, TrainConfig};
use crate::dataset::SourceSettings;
use crate::export::{Metadata, Options, Precision, build};
use crate::files::write_atomic;
use crate::interrupt;
use crate::metrics::read_metrics;
use crate::model::initial_weights;
use crate::provenance;
use crate::selfplay::{Plan, Played, Settings, selfplay};
use crate::train::{Checkpoint, Progress, RunFolder, Session, SessionError, checkpoint_path};
use crate::uci::EngineCommand;
use engine::engine::BUILT_IN;
use engine::eval::{Network, TunedFor};
use engine::search::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Games of a shard: small generations too should be several row groups.
const SHARD_GAMES: usize = 256;

const PATIENCE: Duration = Duration::from_secs(120);

pub struct Stages<'a> {
    pub config: &'a LoopConfig,
    pub folder: &'a Folder,
    pub engine: &'a EngineCommand,
}

/// What training came to.
pub struct Trained {
    pub positions: u64,
    /// The last ones, by name.
    pub metrics: BTreeMap<String, f64>,
    /// It came to nothing.
    pub diverged: bool,
    /// How much staying near the start's policy counted at the end.
    pub kl_weight: Option<f64>,
}

impl Trained {
    fn to_nothing() -> Trained {
        Trained { positions: 0, metrics: BTreeMap::new(), diverged: true, kl_weight: None }
    }
}

impl Stages<'_> {
    /// Generation 0: the network to start from.
    pub fn start(&self) -> Result<(), LoopError> {
        // One that an earlier attempt left may be of other settings.
        let checkpoint = match &self.config.start {
            Some(path) => Checkpoint::find(path)?,
            None => self.random_start()?,
        };
        checkpoint.save(&checkpoint_path(&self.folder.run(0), 0))?;
        self.export(0, 0)
    }

    fn random_start(&self) -> Result<Checkpoint, LoopError> {
        let config = self.config.training()?;
        let weights = initial_weights(&config.model, self.config.seed);
        let (average, first, second) = (None, Default::default(), Default::default());
        let progress = Progress::default();
        Ok(Checkpoint { config, progress, weights, average, first, second })
    }

    /// Games by the best network, and a part by the current one if that was asked.
    pub fn selfplay(&self, state: &State) -> Result<Vec<Played>, LoopError> {
        let all = self.config.selfplay.games;
        let current = (all as f64 * state.measures.current) as u64;
        let mut played = vec![self.play(state, state.best, all - current, GAMES)?];
        if current > 0 {
            let newest = state.generation.saturating_sub(1);
            played.push(self.play(state, newest, current, GAMES_OF_CURRENT)?);
        }
        Ok(played)
    }

    fn play(
        &self,
        state: &State,
        player: u32,
        games: u64,
        name: &str,
    ) -> Result<Played, LoopError> {
        let part = &self.config.selfplay;
        let options = part.options.iter().map(|(name, value)| (name.clone(), plain(value)));
        let salt = u64::from(state.generation) << 32 | u64::from(player);
        let settings = Settings {
            engine: self.engine.clone(),
            network: Some(self.folder.network(player)),
            options: options.collect(),
            out: self.folder.part(state.generation, name),
            plan: Plan {
                games: games.max(1),
                seed: Random::new(self.config.seed ^ salt).next_u64(),
                generation: Some(state.generation),
                openings: part.openings.clone(),
                search: part.search.clone(),
            },
            shard_games: SHARD_GAMES,
            watch_network: false,
            processes: 1,
            patience: PATIENCE,
        };
        Ok(selfplay(&settings)?)
    }

    /// Trains on the window, from the weights of an earlier generation.
    pub fn train(&self, state: &State, new_positions: u64) -> Result<Option<Trained>, LoopError> {
        let config = self.training(state, new_positions)?;
        let folder = RunFolder::at(&self.folder.run(state.generation));
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(config.run.threads)
            .build()
            .map_err(|error| LoopError::Threads(error.to_string()))?;
        match threads.install(|| Session::open(config, folder)?.run()) {
            Ok(_) if interrupt::requested() => return Ok(None),
            Ok(_) => {}
            Err(SessionError::Diverged { .. }) => return Ok(Some(Trained::to_nothing())),
            Err(error) => return Err(error.into()),
        }
        let checkpoint = Checkpoint::find(&self.folder.run(state.generation))?;
        let metrics = last_metrics(&self.folder.run(state.generation));
        let Progress { positions, kl_weight, .. } = checkpoint.progress;
        Ok(Some(Trained { positions, metrics, diverged: false, kl_weight }))
    }

    /// The config of a generation's training.
    fn training(&self, state: &State, new_positions: u64) -> Result<TrainConfig, LoopError> {
        let mut config = self.config.training()?;
        // Of the start, if there was one.
        let before = Checkpoint::find(&self.folder.run(state.weights))?;
        config.model = before.config.model;
        let measures = &state.measures;
        let window = self.window(state);
        let supervised = self.config.supervised.as_ref();
        let share = supervised.map_or(0.0, |supervised| measures.supervised(supervised.share));
        config.data.sources = vec![SourceSettings { paths: window, weight: 1.0 - share }];
        if let Some(supervised) = supervised.filter(|_| share > 0.0) {
            let paths = supervised.paths.clone();
            config.data.sources.push(SourceSettings { paths, weight: share });
        }
        let to_train_on = new_positions as f64 * (1.0 - f64::from(config.data.validation));
        let most = to_train_on * self.config.train.reuse
            / config.positions_per_step() as f64
            / (1.0 - share).max(0.05);
        config.train.steps = Some(self.config.train.steps.min(most as u64).max(1));
        config.train.start_from = Some(self.folder.run(state.weights));
        // Enough to go on after a kill; networks are kept as they are exported.
        config.train.keep_checkpoints = 1;
        config.train.keep_optimizer = !measures.reset_optimizer && state.weights > 0;
        config.schedule.learning_rate *= measures.rate;
        config.run.seed = self.config.seed.wrapping_add(u64::from(state.generation));
        config.data.seed = config.run.seed;
        if let Some(drift) = &self.config.drift {
            config.loss.kl = KlSettings {
                network: Some(self.folder.run(0)),
                weight: state.kl_weight.unwrap_or(drift.weight),
                target: Some(drift.target),
            };
        }
        Ok(config)
    }

    /// Folders of the generations that training sees.
    fn window(&self, state: &State) -> Vec<PathBuf> {
        let size = self.config.window.size(state.generation);
        let oldest = state.generation.saturating_sub(size - 1).max(1);
        let all: Vec<u32> = (oldest..=state.generation).collect();
        // The oldest games are the weakest; the newest stay in any case.
        let dropped = (all.len() as f64 * state.measures.dropped).ceil() as usize;
        let dropped = dropped.min(all.len() - 1);
        all[dropped..].iter().map(|number| self.folder.games(*number)).collect()
    }

    /// Search parameters that suited the start suit what comes of it.
    fn tuned_for(&self, number: u32) -> TunedFor {
        // The loop has a copy of its start; the file itself may change or go.
        let copy = (number > 0).then(|| self.folder.network(0));
        let start = copy.as_ref().or(self.config.start.as_ref());
        let start = start.and_then(|path| match path.exists() {
            true => Network::open(path).ok(),
            false => Network::from_bytes(path, BUILT_IN.to_vec()).ok(),
        });
        start.map_or_else(TunedFor::default, |network| network.tuned_for)
    }

    /// Writes the network of a generation, with the weights of `from`: another
    /// one where its own training came to nothing.
    pub fn export(&self, number: u32, from: u32) -> Result<(), LoopError> {
        let checkpoint = Checkpoint::find(&self.folder.run(from))?;
        let metadata = Metadata {
            // The same network is the same file, whenever it is written.
            created: None,
            git: Some(provenance::GIT.to_string()),
            parent: Some(checkpoint.config.hash()?),
            data: Some("selfplay".to_string()),
            recipe: Some(format!("generation {number} of a loop, seed {}", self.config.seed)),
            tuned_for: self.tuned_for(number),
        };
        let options = Options { precision: Precision::F32, metadata };
        let bytes = build(&checkpoint.config.model, checkpoint.best_weights(), &options)?;
        let path = self.folder.network(number);
        write_atomic(&path, &bytes).map_err(|source| LoopError::Write { path, source })
    }
}

/// What a run noted last under each name.
fn last_metrics(run: &Path) -> BTreeMap<String, f64> {
    let lines = read_metrics(&run.join("metrics.jsonl")).unwrap_or_default();
    let values = lines.into_iter().flat_map(|line| line.values);
    let numbers = values.filter_map(|(name, value)| Some((name, value?)));
    // How fast it was does not belong to what became of it.
    numbers
        .filter(|(name, _)| name.starts_with("train/") || name.starts_with("validation/"))
        .collect()
}
