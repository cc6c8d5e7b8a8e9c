//! Progress bars: on a terminal only, so that logs stay readable.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over `total` steps, or a spinner when that is unknown. `unit` follows
/// the counts, e.g. `games`; what else is worth saying goes into the message.
pub fn bar(total: Option<u64>, unit: &str) -> ProgressBar {
    let template = match total {
        Some(_) => format!(
            "{{bar:30}} {{human_pos}}/{{human_len}} {unit} {{per_sec}} {{eta}} left {{wide_msg}}"
        ),
        None => {
            format!("{{spinner}} {{human_pos}} {unit} {{per_sec}} {{elapsed}} {{wide_msg}}")
        }
    };
    let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
