//! Where an artefact came from: version, commit, machine and time. Shards,
//! checkpoints and networks carry it in their metadata.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::path::Path;
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

/// The same of a file's contents.
pub fn hash_file(path: &Path) -> io::Result<String> {
    Ok(hash(&std::fs::read(path)?))
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

/// Seconds since 1970 as `2026-03-21T10:30:00Z`.
pub fn timestamp(seconds: u64) -> String {
    // Counting years from March puts the leap day last, where it shifts nothing.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::timestamp;

    #[test]
    fn seconds_become_dates() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_774_089_000, "2026-03-21T10:30:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(seconds), date);
        }
    }
}
