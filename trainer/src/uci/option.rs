//! An engine's option, as its `option` line declares it.

use super::UciError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    pub name: String,
    pub kind: OptionKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    Check,
    Spin { min: Option<i64>, max: Option<i64> },
    Combo(Vec<String>),
    Button,
    Text,
}

impl EngineOption {
    /// `None` when the line declares no option that could be set.
    pub fn parse(line: &str) -> Option<EngineOption> {
        let rest = line.trim().strip_prefix("option ")?.trim_start().strip_prefix("name ")?;
        let (name, declared) = rest.split_once(" type ")?;
        let mut words = declared.split_whitespace();
        let kind = words.next()?;
        let (mut min, mut max, mut choices) = (None, None, Vec::<String>::new());
        let mut field = "";
        for word in words {
            match (field, word) {
                (_, "default" | "min" | "max" | "var") => {
                    field = word;
                    if word == "var" {
                        choices.push(String::new());
                    }
                }
                ("min", number) => min = number.parse().ok(),
                ("max", number) => max = number.parse().ok(),
                ("var", part) => {
                    if let Some(choice) = choices.last_mut() {
                        let blank = if choice.is_empty() { "" } else { " " };
                        choice.push_str(blank);
                        choice.push_str(part);
                    }
                }
                _ => {}
            }
        }
        let kind = match kind {
            "check" => OptionKind::Check,
            "spin" => OptionKind::Spin { min, max },
            "combo" => OptionKind::Combo(choices),
            "button" => OptionKind::Button,
            _ => OptionKind::Text,
        };
        Some(EngineOption { name: name.trim().to_string(), kind })
    }

    /// The line that sets the value; an error when it is none of this option's.
    pub(super) fn set(&self, value: &str) -> Result<String, UciError> {
        let name = &self.name;
        let refuse = |expected: String| UciError::Value {
            name: name.clone(),
            value: value.to_string(),
            expected,
        };
        let value = match &self.kind {
            OptionKind::Check => match value.to_ascii_lowercase().as_str() {
                "true" => "true",
                "false" => "false",
                _ => return Err(refuse("it is true or false".to_string())),
            },
            OptionKind::Spin { min, max } => {
                let (low, high) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
                match value.parse::<i64>() {
                    Ok(number) if (low..=high).contains(&number) => value,
                    _ => return Err(refuse(format!("it is a whole number from {low} to {high}"))),
                }
            }
            OptionKind::Combo(choices) => {
                match choices.iter().find(|choice| choice.eq_ignore_ascii_case(value)) {
                    Some(choice) => choice,
                    None => return Err(refuse(format!("it is one of {}", choices.join(", ")))),
                }
            }
            OptionKind::Button if value.is_empty() => {
                return Ok(format!("setoption name {name}"));
            }
            OptionKind::Button => return Err(refuse("it is a button without value".to_string())),
            OptionKind::Text if value.contains(['\n', '\r']) => {
                return Err(refuse("it is one line".to_string()));
            }
            OptionKind::Text => value,
        };
        Ok(format!("setoption name {name} value {value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(line: &str) -> EngineOption {
        EngineOption::parse(line).unwrap()
    }

    #[test]
    fn each_kind_knows_its_values() {
        let spin = option("option name Skill Level type spin default 20 min 0 max 20");
        assert_eq!(spin.set("7").unwrap(), "setoption name Skill Level value 7");
        assert!(spin.set("21").unwrap_err().to_string().contains("from 0 to 20"));
        assert!(spin.set("many").is_err());

        let check = option("option name Ponder type check default false");
        assert_eq!(check.set("TRUE").unwrap(), "setoption name Ponder value true");
        assert!(check.set("1").is_err());

        let combo = option("option name Style type combo default Very Calm var Very Calm var Wild");
        assert_eq!(combo.kind, OptionKind::Combo(vec!["Very Calm".into(), "Wild".into()]));
        assert_eq!(combo.set("very calm").unwrap(), "setoption name Style value Very Calm");
        assert!(combo.set("Calm").unwrap_err().to_string().contains("Very Calm, Wild"));

        let button = option("option name Clear Hash type button");
        assert_eq!(button.set("").unwrap(), "setoption name Clear Hash");
        assert!(button.set("now").is_err());

        let text = option("option name SyzygyPath type string default <empty>");
        assert_eq!(text.set("/a b").unwrap(), "setoption name SyzygyPath value /a b");
        assert!(text.set("a\nquit").is_err());
    }

    #[test]
    fn other_lines_are_none() {
        for line in ["id name Stockfish", "option", "option name", "option name X", ""] {
            assert_eq!(EngineOption::parse(line), None, "{line}");
        }
    }
}
