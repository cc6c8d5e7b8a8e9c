//! A player as people write it, on the command line or in a config file.
//!
//! `KIND:WHAT?NAME=VALUE&NAME=VALUE`, such as `net:nets/a.onnx?Threads=1`,
//! `cmd:stockfish?UCI_LimitStrength=true&UCI_Elo=2000`, `stockfish:2000` or
//! `alphabeta?depth=3`. In a config file also a table with `player` and the same
//! as fields, where the options have a table of their own.

use super::TimeControl;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq)]
pub struct PlayerEntry {
    /// `net`, `cmd`, `stockfish`, or a baseline's name.
    pub kind: String,
    /// What follows the colon: a file, a command, a level.
    pub what: String,
    pub name: Option<String>,
    pub time: Option<TimeControl>,
    /// A rating that is taken for granted.
    pub anchor: Option<f64>,
    /// In the order they are set.
    pub options: Vec<(String, String)>,
}

impl FromStr for PlayerEntry {
    type Err = String;

    fn from_str(text: &str) -> Result<PlayerEntry, String> {
        let (player, options) = text.split_once('?').unwrap_or((text, ""));
        let (kind, what) = player.split_once(':').unwrap_or((player, ""));
        let mut entry = PlayerEntry {
            kind: kind.trim().to_string(),
            what: what.trim().to_string(),
            name: None,
            time: None,
            anchor: None,
            options: Vec::new(),
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            entry
                .set(&unescape(name), &unescape(value))
                .map_err(|cause| format!("{text}: {cause}"))?;
        }
        Ok(entry)
    }
}

impl PlayerEntry {
    /// The words that mean the player rather than an option of its engine.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "name" => self.name = Some(value.to_string()),
            "tc" => self.time = Some(value.parse()?),
            "anchor" => {
                let rating = value.parse().ok().filter(|rating: &f64| rating.is_finite());
                self.anchor = Some(rating.ok_or(format!("anchor `{value}` is no rating"))?);
            }
            _ => self.options.push((name.to_string(), value.to_string())),
        }
        Ok(())
    }
}

/// `%26` for `&` and the like, as in addresses.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The fields of a table in a config file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    player: String,
    name: Option<String>,
    tc: Option<TimeControl>,
    anchor: Option<f64>,
    #[serde(default)]
    options: BTreeMap<String, Plain>,
}

/// Any simple value, as text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Plain {
    Switch(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Plain::Switch(value) => value.fmt(f),
            Plain::Whole(value) => value.fmt(f),
            Plain::Number(value) => value.fmt(f),
            Plain::Text(value) => value.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for PlayerEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PlayerEntry, D::Error> {
        struct TextOrTable;
        impl<'de> Visitor<'de> for TextOrTable {
            type Value = PlayerEntry;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                write!(f, "a player such as net:a.onnx, or a table with `player`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<PlayerEntry, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<PlayerEntry, M::Error> {
                let table = Table::deserialize(MapAccessDeserializer::new(map))?;
                let mut entry: PlayerEntry = table.player.parse().map_err(M::Error::custom)?;
                entry.name = table.name.or(entry.name);
                entry.time = table.tc.or(entry.time);
                entry.anchor = table.anchor.or(entry.anchor);
                let options = table.options.into_iter();
                entry.options.extend(options.map(|(name, value)| (name, value.to_string())));
                Ok(entry)
            }
        }
        deserializer.deserialize_any(TextOrTable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn options(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn a_line_holds_everything() {
        let text = "net:nets/a b.onnx?Threads=1&name=A%26B&tc=nodes%3D800&anchor=2000&Hash=16";
        let entry: PlayerEntry = text.parse().unwrap();
        assert_eq!((entry.kind.as_str(), entry.what.as_str()), ("net", "nets/a b.onnx"));
        assert_eq!(entry.name.as_deref(), Some("A&B"));
        assert_eq!(entry.time, Some(TimeControl::Nodes(800)));
        assert_eq!(entry.anchor, Some(2000.0));
        assert_eq!(entry.options, options(&[("Threads", "1"), ("Hash", "16")]));
        let plain: PlayerEntry = "random".parse().unwrap();
        assert_eq!((plain.kind.as_str(), plain.what.as_str()), ("random", ""));
        assert!("random?anchor=high".parse::<PlayerEntry>().is_err());
    }

    #[test]
    fn a_percent_sign_alone_stays() {
        assert_eq!(unescape("100%"), "100%");
        assert_eq!(unescape("%zz%41"), "%zzA");
        // An increment's plus sign is not a blank.
        assert_eq!(unescape("10+0.1"), "10+0.1");
    }

    #[test]
    fn a_table_of_a_config_file() {
        let text = "- random\n- player: cmd:stockfish\n  name: SF\n  anchor: 2000\n  options: \
                    {UCI_LimitStrength: true, UCI_Elo: 2000, SyzygyPath: /a b}\n";
        let entries: Vec<PlayerEntry> = serde_saphyr::from_str(text).unwrap();
        assert_eq!(entries[0].kind, "random");
        assert_eq!((entries[1].name.as_deref(), entries[1].anchor), (Some("SF"), Some(2000.0)));
        let expected = [("SyzygyPath", "/a b"), ("UCI_Elo", "2000"), ("UCI_LimitStrength", "true")];
        assert_eq!(entries[1].options, options(&expected));
        assert!(serde_saphyr::from_str::<Vec<PlayerEntry>>("- {player: random, nme: x}").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_player_or_refused(text in "\\PC{0,40}(\\?[ -~]{0,40})?") {
            let _ = text.parse::<PlayerEntry>();
            let _ = text.parse::<TimeControl>();
        }
    }
}
