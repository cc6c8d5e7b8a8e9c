//! Shards in, batches for training out.
//!
//! [`Dataset`] mixes any number of sources without end; [`ValidationSet`] goes
//! once over what was kept from training, and [`HeldOut`] gives that as positions
//! instead of planes. Behind all of them the data passes: `source` (row groups in
//! the order of an epoch), `filter` (which positions count), `part` (positions,
//! legal moves, targets), `stream` (blocks, shuffled), `planner` (mixture),
//! `batch` (planes and arrays).
//!
//! The order is exact: it depends on the shards, the seed and the cursor, never
//! on threads or timing. A run that goes on from a [`Cursor`] sees the same
//! batches, bit for bit, as one that never stopped.
//!
//! ```no_run
//! use engine::encode::Encoder;
//! use trainer::dataset::{Dataset, DatasetError, DatasetSettings, SourceSettings};
//!
//! # fn main() -> Result<(), DatasetError> {
//! let shards = SourceSettings { paths: vec!["shards".into()], weight: 1.0 };
//! let settings = DatasetSettings { sources: vec![shards], ..DatasetSettings::default() };
//! let mut dataset = Dataset::open(&settings, Encoder::Basic18, None)?;
//! let batch = dataset.next_batch()?;
//! assert_eq!(batch.planes.len(), batch.size * 18 * 64);
//! dataset.recycle(batch);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod batch;
mod batches;
mod block;
mod cursor;
mod error;
mod filter;
mod held_out;
mod part;
mod planner;
mod random;
mod settings;
mod source;
mod split;
mod stream;
mod targets;
mod workers;

#[cfg(test)]
mod tests;

pub use batch::Batch;
pub use cursor::{Cursor, Place, SourceCursor};
pub use error::DatasetError;
pub use held_out::{HeldOut, HeldOutPosition};
pub use settings::{DatasetSettings, SourceSettings};
pub use split::Split;
pub use targets::TargetSettings;

use batches::{Batches, Request};
use engine::encode::Encoder;
use std::time::Duration;

/// Batches to train on, without end.
pub struct Dataset(Batches);

impl Dataset {
    /// Starts at the beginning, or where a cursor says.
    pub fn open(
        settings: &DatasetSettings,
        encoder: Encoder,
        cursor: Option<&Cursor>,
    ) -> Result<Dataset, DatasetError> {
        let request = Request { encoder, split: Split::Train, cursor, limit: None };
        Ok(Dataset(Batches::open(settings, &request)?))
    }

    pub fn next_batch(&mut self) -> Result<Batch, DatasetError> {
        self.0.next()?.ok_or(DatasetError::Stopped)
    }

    /// Gives a batch's memory back for later ones.
    pub fn recycle(&self, batch: Batch) {
        self.0.recycle(batch);
    }

    /// Where the batch after the last one begins.
    pub fn cursor(&self) -> &Cursor {
        &self.0.cursor
    }

    /// Time spent waiting for batches.
    pub fn wait(&self) -> Duration {
        self.0.wait
    }

    /// Positions in one epoch of all sources, judged by what was read so far;
    /// `None` before the first batch.
    pub fn positions_per_epoch(&self) -> Option<u64> {
        let estimate = self.0.positions_per_epoch;
        (estimate > 0.0).then_some(estimate as u64)
    }
}

/// Positions kept from training: the same ones in the same order every time.
pub struct ValidationSet(Batches);

impl ValidationSet {
    /// At most `positions` of them; each comes once.
    pub fn open(
        settings: &DatasetSettings,
        encoder: Encoder,
        positions: usize,
    ) -> Result<ValidationSet, DatasetError> {
        let split = Split::Validation;
        let request = Request { encoder, split, cursor: None, limit: Some(positions) };
        // Another seed is another run, but should be measured alike.
        let settings = DatasetSettings { seed: 0, ..settings.clone() };
        Ok(ValidationSet(Batches::open(&settings, &request)?))
    }

    /// `None` at the end. The last batch may be smaller.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, DatasetError> {
        self.0.next()
    }

    /// Gives a batch's memory back for later ones.
    pub fn recycle(&self, batch: Batch) {
        self.0.recycle(batch);
    }
}
