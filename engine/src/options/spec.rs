//! What an option is: its name, kind, range and explanation.

use super::table::Id;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Check(bool),
    Spin {
        default: i64,
        min: i64,
        max: i64,
    },
    /// A decimal number, a `string` to UCI. Without a default the network (its
    /// metadata, or the habits of its layout) decides: `auto`.
    Decimal {
        default: Option<f32>,
        min: f32,
        max: f32,
    },
    Text(&'static str),
    Combo {
        default: &'static str,
        choices: &'static [&'static str],
    },
    Button,
}

#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub id: Id,
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

impl Spec {
    /// The option as the `uci` command lists it.
    pub fn uci(&self) -> String {
        let kind = match self.kind {
            Kind::Check(default) => format!("type check default {default}"),
            Kind::Spin { default, min, max } => {
                format!("type spin default {default} min {min} max {max}")
            }
            Kind::Decimal { .. } | Kind::Text(_) => {
                format!("type string default {}", self.default_text())
            }
            Kind::Combo { default, choices } => {
                let vars: String = choices.iter().map(|c| format!(" var {c}")).collect();
                format!("type combo default {default}{vars}")
            }
            Kind::Button => "type button".to_string(),
        };
        format!("option name {} {kind}", self.name)
    }

    /// The default as it would be typed; `<empty>` is UCI's empty string.
    pub fn default_text(&self) -> String {
        match self.kind {
            Kind::Check(default) => default.to_string(),
            Kind::Spin { default, .. } => default.to_string(),
            Kind::Decimal { default: Some(x), .. } => x.to_string(),
            Kind::Decimal { default: None, .. } => "auto".to_string(),
            Kind::Text("") => "<empty>".to_string(),
            Kind::Text(default) | Kind::Combo { default, .. } => default.to_string(),
            Kind::Button => String::new(),
        }
    }

    pub fn default_for_people(&self) -> String {
        match self.kind {
            Kind::Button => "(button)".to_string(),
            Kind::Text("") => "empty".to_string(),
            Kind::Spin { min, max, .. } => format!("{} ({min} to {max})", self.default_text()),
            Kind::Decimal { min, max, .. } => format!("{} ({min} to {max})", self.default_text()),
            Kind::Combo { choices, .. } => {
                format!("{} ({})", self.default_text(), choices.join(", "))
            }
            _ => self.default_text(),
        }
    }

    /// `Move Overhead` is `--move-overhead`, `UCI_ShowWDL` is `--uci-show-wdl`.
    pub fn flag(&self) -> String {
        let mut flag = String::new();
        let mut before = '-';
        for c in self.name.chars() {
            if c == ' ' || c == '_' {
                flag.push('-');
            } else {
                if c.is_uppercase() && before.is_lowercase() {
                    flag.push('-');
                }
                flag.extend(c.to_lowercase());
            }
            before = c;
        }
        flag
    }
}
