//! Options: one table that gives the `uci` answer, the command-line flags and
//! the table in the README.
//!
//! In: names and values as text. Out: [`Settings`], typed and in range.

mod settings;
mod spec;
mod table;
mod values;

pub use settings::{NetChoice, Settings};
pub use spec::{Kind, Spec};
pub use table::{Id, TABLE};
pub use values::{OptionError, Values};

/// The README's table of options.
pub fn markdown_table() -> String {
    let mut text = String::from("| option | flag | default | what it does |\n|---|---|---|---|\n");
    for spec in TABLE {
        text.push_str(&format!(
            "| `{}` | `--{}` | {} | {} |\n",
            spec.name,
            spec.flag(),
            spec.default_for_people(),
            spec.help
        ));
    }
    text
}
