//! What the user set, checked against the table.

use thiserror::Error;

use super::spec::{Kind, Spec};
use super::table::{Id, TABLE};

#[derive(Debug, Error, PartialEq)]
pub enum OptionError {
    #[error("no such option: {0}")]
    Unknown(String),
    #[error("{name}: {value:?} is not {wanted}")]
    Invalid { name: &'static str, value: String, wanted: String },
}

/// Values as text; an option that was never set is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    set: Vec<Option<String>>,
}

impl Values {
    /// Sets an option by its name, in any case. Returns which one it was.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Id, OptionError> {
        let spec = TABLE
            .iter()
            .find(|spec| spec.name.eq_ignore_ascii_case(name.trim()))
            .ok_or_else(|| OptionError::Unknown(name.trim().to_string()))?;
        let value = check(spec, value.trim())?;
        if self.set.len() < TABLE.len() {
            self.set.resize(TABLE.len(), None);
        }
        self.set[spec.id as usize] = Some(value);
        Ok(spec.id)
    }

    fn given(&self, id: Id) -> Option<&str> {
        self.set.get(id as usize)?.as_deref()
    }

    pub fn flag(&self, id: Id) -> bool {
        match (self.given(id), TABLE[id as usize].kind) {
            (Some(text), _) => text == "true",
            (None, Kind::Check(default)) => default,
            _ => false,
        }
    }

    pub fn number(&self, id: Id) -> i64 {
        match (self.given(id).and_then(|text| text.parse().ok()), TABLE[id as usize].kind) {
            (Some(value), _) => value,
            (None, Kind::Spin { default, .. }) => default,
            _ => 0,
        }
    }

    /// `None` stands for `auto`.
    pub fn decimal(&self, id: Id) -> Option<f32> {
        match (self.given(id), TABLE[id as usize].kind) {
            (Some(text), _) => text.parse().ok(),
            (None, Kind::Decimal { default, .. }) => default,
            _ => None,
        }
    }

    /// Text and choices; UCI's `<empty>` is the empty string.
    pub fn text(&self, id: Id) -> String {
        let default = TABLE[id as usize].default_text();
        let text = self.given(id).unwrap_or(&default);
        if text == "<empty>" { String::new() } else { text.to_string() }
    }
}

/// The value in its canonical spelling.
fn check(spec: &Spec, value: &str) -> Result<String, OptionError> {
    let invalid =
        |wanted: String| OptionError::Invalid { name: spec.name, value: value.to_string(), wanted };
    match spec.kind {
        Kind::Check(_) => match value.to_ascii_lowercase().as_str() {
            flag @ ("true" | "false") => Ok(flag.to_string()),
            _ => Err(invalid("true or false".to_string())),
        },
        Kind::Spin { min, max, .. } => match value.parse::<i64>() {
            Ok(number) if (min..=max).contains(&number) => Ok(number.to_string()),
            _ => Err(invalid(format!("a whole number from {min} to {max}"))),
        },
        Kind::Decimal { default, min, max } => {
            if default.is_none() && value.eq_ignore_ascii_case("auto") {
                return Ok("auto".to_string());
            }
            match value.parse::<f32>() {
                Ok(number) if (min..=max).contains(&number) => Ok(number.to_string()),
                _ => Err(invalid(format!("a number from {min} to {max}"))),
            }
        }
        Kind::Combo { choices, .. } => choices
            .iter()
            .find(|choice| choice.eq_ignore_ascii_case(value))
            .map(|choice| choice.to_string())
            .ok_or_else(|| invalid(format!("one of {}", choices.join(", ")))),
        Kind::Text(_) | Kind::Button => Ok(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_and_read_back() {
        let mut values = Values::default();
        assert_eq!(values.set("move overhead", "100"), Ok(Id::MoveOverhead));
        assert_eq!(values.number(Id::MoveOverhead), 100);
        assert_eq!(values.set("BACKEND", "Random"), Ok(Id::Backend));
        assert_eq!(values.text(Id::Backend), "random");
        assert_eq!(values.decimal(Id::CPuct), None);
        values.set("CPuct", "2.5").unwrap();
        assert_eq!(values.decimal(Id::CPuct), Some(2.5));
        values.set("CPuct", "auto").unwrap();
        assert_eq!(values.decimal(Id::CPuct), None);
        values.set("SyzygyPath", "<empty>").unwrap();
        assert_eq!(values.text(Id::SyzygyPath), "");
    }

    #[test]
    fn bad_values_change_nothing_and_say_what_is_wanted() {
        let mut values = Values::default();
        for (name, value) in [
            ("Hash", "0"),
            ("Hash", "99999999999999999999"),
            ("Hash", "lots"),
            ("MultiPV", "501"),
            ("Ponder", "maybe"),
            ("CPuct", "NaN"),
            ("CPuct", "-1"),
            ("Backend", "abacus"),
            ("Contempt", "auto"),
        ] {
            let error = values.set(name, value).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("is not"), "{error}");
        }
        assert!(matches!(values.set("Nonsense", "1"), Err(OptionError::Unknown(_))));
        assert_eq!(values, Values::default());
    }
}
