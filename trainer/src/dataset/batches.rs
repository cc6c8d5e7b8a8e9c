//! The consumer's end: threads that make batches behind it, batches out, in
//! order.

use super::batch::Batch;
use super::cursor::Cursor;
use super::error::DatasetError;
use super::filter::{Filter, LeftOut};
use super::part::Recipe;
use super::planner::{Planner, Slot, Spare};
use super::settings::DatasetSettings;
use super::source::Source;
use super::split::Split;
use super::stream::{Stream, StreamSettings};
use super::workers::Workers;
use engine::encode::Encoder;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Which batches to make.
pub struct Request<'a> {
    pub encoder: Encoder,
    pub split: Split,
    pub cursor: Option<&'a Cursor>,
    /// Stop after so many positions or one epoch.
    pub limit: Option<usize>,
}

pub struct Batches {
    /// There until the drop.
    slots: Option<Receiver<Result<Slot, DatasetError>>>,
    planner: Option<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
    spare: Spare,
    prefetch: usize,
    pub cursor: Cursor,
    pub positions_per_epoch: f64,
    pub wait: Duration,
}

impl Batches {
    pub fn open(settings: &DatasetSettings, request: &Request) -> Result<Batches, DatasetError> {
        settings.check()?;
        let stop = Arc::new(AtomicBool::new(false));
        let spare = Spare::default();
        let planner = Planner {
            streams: streams(settings, request)?,
            weights: settings.sources.iter().map(|source| source.weight).collect(),
            workers: Workers::start(settings.threads(), Arc::clone(&stop))?,
            encoder: request.encoder,
            batch_size: settings.batch_size,
            seed: settings.seed,
            batch: request.cursor.map_or(0, |cursor| cursor.batch),
            left: request.limit,
            spare: Arc::clone(&spare),
        };
        let cursor = planner.cursor();
        let (sender, slots) = sync_channel(settings.prefetch);
        let planner = thread::Builder::new()
            .name("dataset-planner".into())
            .spawn(move || planner.run(sender))
            .map_err(|error| DatasetError::Threads(error.to_string()))?;
        Ok(Batches {
            slots: Some(slots),
            planner: Some(planner),
            stop,
            spare,
            prefetch: settings.prefetch,
            cursor,
            positions_per_epoch: 0.0,
            wait: Duration::ZERO,
        })
    }

    /// `None` after the last batch and after an error.
    pub fn next(&mut self) -> Result<Option<Batch>, DatasetError> {
        let asked = Instant::now();
        let Some(Ok(slot)) = self.slots.as_ref().map(Receiver::recv) else { return Ok(None) };
        let slot = slot?;
        let batch = slot.batch.recv().map_err(|_| DatasetError::Stopped)?;
        self.cursor = slot.cursor;
        self.positions_per_epoch = slot.positions_per_epoch;
        self.wait += asked.elapsed();
        Ok(Some(batch))
    }

    /// Takes a batch's memory back. More than can be under way is not kept.
    pub fn recycle(&self, batch: Batch) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() <= self.prefetch {
            spare.push(batch);
        }
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // The planner may be waiting for room.
        self.slots = None;
        if let Some(planner) = self.planner.take() {
            let _ = planner.join();
        }
    }
}

fn streams(settings: &DatasetSettings, request: &Request) -> Result<Vec<Stream>, DatasetError> {
    let mut sources = Vec::with_capacity(settings.sources.len());
    for source in &settings.sources {
        let opened = Source::open(&source.paths)?;
        if opened.len() == 0 {
            return Err(DatasetError::Empty {
                paths: opened.paths,
                purpose: "anything",
                causes: LeftOut::default().describe(),
            });
        }
        sources.push(opened);
    }
    let mut newest = None;
    if settings.window.is_some() {
        for source in &sources {
            newest = newest.max(source.newest_generation()?);
        }
    }
    let recipe = Arc::new(Recipe {
        filter: Filter::new(settings, request.split, newest),
        targets: settings.targets.clone(),
        encoder: request.encoder,
    });
    let total: f64 = settings.sources.iter().map(|source| source.weight).sum();
    let streams = sources.into_iter().zip(&settings.sources).enumerate();
    Ok(streams
        .map(|(number, (source, own))| {
            let stream = StreamSettings {
                seed: settings.seed.wrapping_add(number as u64),
                block: ((settings.shuffle as f64 * own.weight / total) as usize).max(1),
                once: request.limit.is_some(),
            };
            let cursor = request.cursor.and_then(|cursor| cursor.sources.get(number));
            Stream::new(source, Arc::clone(&recipe), stream, cursor)
        })
        .collect())
}
