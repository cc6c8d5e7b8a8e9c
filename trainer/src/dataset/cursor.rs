//! Where a dataset stands: small enough for every checkpoint.

use serde::{Deserialize, Serialize};

/// What [`Dataset::open`](super::Dataset::open) needs to go on exactly where an
/// earlier run stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// Batches taken so far.
    pub batch: u64,
    pub sources: Vec<SourceCursor>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceCursor {
    /// Fingerprint of the shards it counts in. Where they changed, the source
    /// starts anew with its next epoch.
    pub shards: String,
    /// Where the block begins that is being taken from.
    pub place: Place,
    /// Samples already taken from it.
    pub taken: usize,
}

/// A row group in the shuffled order of an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub epoch: u64,
    pub group: usize,
}
