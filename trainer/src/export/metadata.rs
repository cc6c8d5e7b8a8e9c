//! What the file says of itself: its layout and where it comes from.

use crate::model::{Architecture, ValueKind};
use engine::encode::PolicyMap;
use engine::onnx::GraphBuilder;

/// Provenance of a network; what is `None` is left out of the file.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// Seconds since 1970.
    pub created: Option<u64>,
    /// The trainer's commit.
    pub git: Option<String>,
    /// Hash of the network or checkpoint that it was trained from.
    pub parent: Option<String>,
    /// Hash or name of the training data.
    pub data: Option<String>,
    /// How it was trained, in words.
    pub recipe: Option<String>,
    /// The softmax temperature that the policy was tuned for.
    pub policy_temperature: Option<f32>,
}

impl Metadata {
    pub(super) fn write(&self, architecture: &Architecture, graph: &mut GraphBuilder) {
        let value = match architecture.value {
            ValueKind::Wdl => "wdl",
            ValueKind::Scalar => "scalar",
        };
        let temperature = self.policy_temperature.map(|t| t.to_string());
        let entries = [
            ("arbor.format", Some("1".to_string())),
            ("arbor.encoder", Some(architecture.encoder.name().to_string())),
            ("arbor.policy", Some(PolicyMap::Az4672.name().to_string())),
            ("arbor.value", Some(value.to_string())),
            ("arbor.net", Some(architecture.describe())),
            ("arbor.created", self.created.map(timestamp)),
            ("arbor.git", self.git.clone()),
            ("arbor.parent", self.parent.clone()),
            ("arbor.data", self.data.clone()),
            ("arbor.recipe", self.recipe.clone()),
            ("arbor.policy_temperature", temperature),
        ];
        for (key, value) in entries {
            if let Some(value) = value {
                graph.metadata(key, &value);
            }
        }
    }
}

/// Seconds since 1970 as `2026-03-21T10:30:00Z`.
fn timestamp(seconds: u64) -> String {
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
