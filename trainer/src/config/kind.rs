//! What a key's value may be.

use serde_json::{Number, Value};
use std::fmt;
use std::ops::{Bound, RangeBounds};

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Flag,
    /// A whole number, from the first to the second.
    Count(u64, u64),
    Number(Bound<f64>, Bound<f64>),
    Text,
    Choice(&'static [&'static str]),
    /// Texts; not none.
    Texts,
    /// Some of the choices; not none.
    Choices(&'static [&'static str]),
}

pub const fn at_least(low: f64) -> Kind {
    Kind::Number(Bound::Included(low), Bound::Unbounded)
}

pub const fn above(low: f64) -> Kind {
    Kind::Number(Bound::Excluded(low), Bound::Unbounded)
}

/// From 0 to 1, without 1 itself.
pub const BELOW_ONE: Kind = Kind::Number(Bound::Included(0.0), Bound::Excluded(1.0));

/// From 0 to 1.
pub const SHARE: Kind = Kind::Number(Bound::Included(0.0), Bound::Included(1.0));

/// Whole numbers that every file format can hold.
pub const ANY_COUNT: Kind = Kind::Count(0, i64::MAX as u64);

pub const POSITIVE_COUNT: Kind = Kind::Count(1, i64::MAX as u64);

impl Kind {
    /// The value as the settings want it: numbers of the right sort, choices in
    /// their own spelling. `None` if it does not fit.
    pub fn accept(self, value: &Value) -> Option<Value> {
        match self {
            Kind::Flag => value.as_bool().map(Value::from),
            Kind::Count(low, high) => {
                let count = value.as_u64().or_else(|| whole(value.as_f64()?))?;
                (low..=high).contains(&count).then(|| Value::from(count))
            }
            Kind::Number(low, high) => {
                let number = value.as_f64()?;
                let fits = (low, high).contains(&number);
                fits.then(|| Number::from_f64(number).map(Value::Number)).flatten()
            }
            Kind::Text => value.as_str().filter(|text| !text.is_empty()).map(Value::from),
            Kind::Choice(choices) => {
                let text = value.as_str()?;
                let choice = choices.iter().find(|choice| choice.eq_ignore_ascii_case(text))?;
                Some(Value::from(*choice))
            }
            Kind::Texts => each(value, Kind::Text),
            Kind::Choices(choices) => each(value, Kind::Choice(choices)),
        }
    }

    /// A flag's text as a value, not checked yet.
    pub fn parse(self, text: &str) -> Value {
        let plain = || Value::from(text);
        match self {
            Kind::Text | Kind::Choice(_) => plain(),
            Kind::Texts | Kind::Choices(_) => text.split(',').map(Value::from).collect(),
            Kind::Flag | Kind::Count(..) | Kind::Number(..) => {
                let count = || text.parse::<u64>().map(Value::from).ok();
                let number = || text.parse::<f64>().ok().and_then(Number::from_f64);
                let flag = || text.parse::<bool>().map(Value::from).ok();
                count().or_else(|| number().map(Value::Number)).or_else(flag).unwrap_or_else(plain)
            }
        }
    }
}

/// A list with something in it, all of it of one kind.
fn each(value: &Value, inner: Kind) -> Option<Value> {
    let list = value.as_array().filter(|list| !list.is_empty())?;
    list.iter().map(|value| inner.accept(value)).collect::<Option<Vec<_>>>().map(Value::from)
}

/// Large counts may be written as 1e6.
fn whole(number: f64) -> Option<u64> {
    const EXACT: f64 = (1u64 << 53) as f64;
    (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64)
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Flag => f.write_str("true or false"),
            Kind::Count(0, high) if *high == i64::MAX as u64 => f.write_str("a whole number"),
            Kind::Count(low, high) if *high == i64::MAX as u64 => {
                write!(f, "a whole number, at least {low}")
            }
            Kind::Count(low, high) => write!(f, "a whole number, {low} to {high}"),
            Kind::Number(low, high) => {
                f.write_str("a number")?;
                match (low, high) {
                    (Bound::Included(low), Bound::Included(high)) => write!(f, ", {low} to {high}"),
                    _ => {
                        match low {
                            Bound::Included(low) => write!(f, ", at least {low}")?,
                            Bound::Excluded(low) => write!(f, ", above {low}")?,
                            Bound::Unbounded => {}
                        }
                        match high {
                            Bound::Included(high) => write!(f, ", at most {high}"),
                            Bound::Excluded(high) => write!(f, ", below {high}"),
                            Bound::Unbounded => Ok(()),
                        }
                    }
                }
            }
            Kind::Text => f.write_str("a text"),
            Kind::Choice(choices) => f.write_str(&choices.join(" | ")),
            Kind::Texts => f.write_str("a list of texts"),
            Kind::Choices(choices) => write!(f, "a list of {}", choices.join(" | ")),
        }
    }
}
