//! Where an artefact came from: version, commit, machine and time. Shards,
//! checkpoints and networks carry it in their metadata.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::time::{SystemTime, UNIX_EPOCH};

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit this binary was built from; `unknown` outside a repository.
pub const GIT: &str = env!("ARBOR_GIT");

/// Facts about the machine, for the record of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Host {
    pub system: String,
    pub processor: String,
    pub features: String,
    pub cores: usize,
}

impl Host {
    pub fn this() -> Host {
        Host {
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processor: engine::eval::cpu_model(),
            features: engine::eval::cpu_features().join(" "),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// SHA-256 in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}
