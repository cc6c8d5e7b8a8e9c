//! A network with its evaluators, ready to search.

use std::sync::Arc;
use std::time::Instant;

use super::network_file::{LoadError, open_network};
use crate::encode::Encoder;
use crate::eval::{
    Backend, BackendSettings, Evaluator, EvaluatorSource, Network, Opened, TuneKey, cpu_model,
    open_backend, tune, workers,
};
use crate::options::Settings;
use crate::search::IMMEDIATE_LIMIT;

/// Batch of backends that have no network to measure.
const UNMEASURED_BATCH: usize = 16;

/// Visits that may be under way at the root at the same time.
const MOST_IN_FLIGHT: usize = 60_000;

pub struct Loaded {
    pub network: Option<Arc<Network>>,
    pub encoder: Encoder,
    pub source: Arc<dyn EvaluatorSource>,
    /// One per search worker.
    pub evaluators: Vec<Box<dyn Evaluator>>,
    /// What cached evaluations depend on beside the network: the temperature of
    /// their priors and the reach of their keys.
    pub cached_for: Option<(f32, usize)>,
    settings: Settings,
}

impl Loaded {
    /// Opens network and backend; `say` hears how it goes.
    pub fn open(settings: &Settings, say: &dyn Fn(String)) -> Result<Loaded, LoadError> {
        let start = Instant::now();
        let network = match settings.backend {
            Backend::Random => None,
            _ => Some(Arc::new(open_network(&settings.net, say)?)),
        };
        if let Some(network) = &network {
            let (name, layout) = (network.name(), network.layout.describe());
            say(format!("loading {name} ({layout}) on backend {}", settings.backend));
        }
        let opened = open_backend(&BackendSettings {
            backend: settings.backend,
            network: network.clone(),
            runtime_library: settings.runtime_library.clone(),
            device_id: settings.device,
            fp16: settings.fp16,
            seed: settings.seed(),
        })?;
        for note in &opened.notes {
            say(note.clone());
        }
        let threads = match settings.threads {
            0 => workers(opened.source.as_ref(), settings.threads_or_cores()),
            asked => asked,
        };
        // A node counts visits in flight in 16 bits; each worker may have a
        // batch, its twins and as many collisions under way.
        let share = (MOST_IN_FLIGHT / threads).saturating_sub(IMMEDIATE_LIMIT) / 2;
        let batch = batch_size(settings, &opened, network.as_deref(), say)?.clamp(1, share.max(1));
        let evaluators: Result<Vec<_>, _> =
            (0..threads).map(|_| opened.source.create(batch)).collect();
        let named = network.as_ref().map_or_else(|| "no network".to_string(), |n| n.name());
        let took = start.elapsed().as_millis();
        let runs_on = opened.source.describe();
        say(format!("{named} on {runs_on}: {threads} threads, batch {batch}, ready in {took} ms"));
        Ok(Loaded {
            encoder: network.as_ref().map_or(Encoder::Basic18, |n| n.layout.encoder),
            network,
            source: opened.source,
            evaluators: evaluators?,
            cached_for: None,
            settings: settings.clone(),
        })
    }

    /// Whether this is what the settings ask for.
    pub fn fits(&self, wanted: &Settings) -> bool {
        let ours = &self.settings;
        ours.net == wanted.net
            && ours.backend == wanted.backend
            && ours.runtime_library == wanted.runtime_library
            && ours.device == wanted.device
            && ours.fp16 == wanted.fp16
            && ours.threads == wanted.threads
            && ours.batch == wanted.batch
            && (ours.backend != Backend::Random || ours.seed() == wanted.seed())
    }
}

fn batch_size(
    settings: &Settings,
    opened: &Opened,
    network: Option<&Network>,
    say: &dyn Fn(String),
) -> Result<usize, LoadError> {
    if settings.batch > 0 {
        return Ok(settings.batch);
    }
    let Some(network) = network else { return Ok(UNMEASURED_BATCH) };
    let key = TuneKey {
        architecture: network.architecture.clone(),
        backend: opened.backend.name(),
        runtime: opened.runtime_version.clone().unwrap_or_default(),
        cpu: cpu_model(),
    };
    let tuning = tune(opened.source.as_ref(), &key)?;
    say(format!(
        "batch {} gives {:.0} positions/s a thread, {:.1} ms a batch",
        tuning.batch,
        tuning.positions_per_second,
        tuning.latency * 1e3
    ));
    Ok(tuning.batch)
}
