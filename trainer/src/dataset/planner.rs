//! Puts batches together: picks each sample's source by chance, lets workers
//! encode, and hands the batches on in order.

use super::batch::Batch;
use super::cursor::Cursor;
use super::error::DatasetError;
use super::filter::LeftOut;
use super::random::{Purpose, random};
use super::stream::{Pick, Stream};
use super::workers::Workers;
use engine::encode::Encoder;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};

/// A batch under way.
pub struct Slot {
    pub batch: Receiver<Batch>,
    /// Where the dataset stands after it.
    pub cursor: Cursor,
    pub positions_per_epoch: f64,
}

/// Batches whose memory may be used again.
pub type Spare = Arc<Mutex<Vec<Batch>>>;

pub struct Planner {
    pub streams: Vec<Stream>,
    /// Of each stream; 0 when it is over.
    pub weights: Vec<f64>,
    pub workers: Workers,
    pub encoder: Encoder,
    pub batch_size: usize,
    pub seed: u64,
    /// Number of the next batch.
    pub batch: u64,
    /// Positions still wanted; without end if `None`.
    pub left: Option<usize>,
    pub spare: Spare,
}

impl Planner {
    /// Until nobody listens, the streams end or something fails.
    pub fn run(mut self, slots: SyncSender<Result<Slot, DatasetError>>) {
        loop {
            let slot = match self.plan() {
                Ok(Some(picks)) => Ok(self.encode(picks)),
                Ok(None) => return,
                Err(error) => Err(error),
            };
            let failed = slot.is_err();
            if slots.send(slot).is_err() || failed {
                return;
            }
        }
    }

    /// The samples of the next batch; `None` when there are no more.
    fn plan(&mut self) -> Result<Option<Vec<Pick>>, DatasetError> {
        let size = self.left.map_or(self.batch_size, |left| left.min(self.batch_size));
        let mut random = random(Purpose::Mixing, &[self.seed, self.batch]);
        let mut picks = Vec::with_capacity(size);
        while picks.len() < size {
            let Some(chosen) = random.weighted(self.weights.iter().copied()) else { break };
            match self.streams[chosen].next(&self.workers)? {
                Some(pick) => picks.push(pick),
                None => self.weights[chosen] = 0.0,
            }
        }
        self.left = self.left.map(|left| left - picks.len());
        if picks.is_empty() {
            return if self.batch == 0 && size > 0 { Err(self.nothing()) } else { Ok(None) };
        }
        self.batch += 1;
        for stream in &mut self.streams {
            stream.read_on(&self.workers);
        }
        Ok(Some(picks))
    }

    fn encode(&self, picks: Vec<Pick>) -> Slot {
        let (encoder, spare) = (self.encoder, Arc::clone(&self.spare));
        let batch = self.workers.run(move || {
            let mut batch =
                spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
            batch.fill(&picks, encoder);
            batch
        });
        Slot {
            batch,
            cursor: self.cursor(),
            positions_per_epoch: self.streams.iter().map(Stream::samples_per_epoch).sum(),
        }
    }

    pub fn cursor(&self) -> Cursor {
        let sources = self.streams.iter().map(Stream::cursor).collect();
        Cursor { batch: self.batch, sources }
    }

    /// One epoch of all streams had no sample.
    fn nothing(&self) -> DatasetError {
        let mut left_out = LeftOut::default();
        self.streams.iter().for_each(|stream| left_out += stream.left_out);
        DatasetError::Empty {
            paths: self.streams.iter().flat_map(|stream| stream.source().paths.clone()).collect(),
            purpose: "validation",
            causes: left_out.describe(),
        }
    }
}
