//! A layer's keys and values, held against the table of keys. What is wrong is
//! told and taken out, so that the rest can be checked too.

use super::keys::{KEYS, is_list, key_at, names_below};
use super::layer::Layer;
use super::nearest::nearest;
use super::problem::{Origin, Problem};
use serde_json::{Map, Value};

/// The layer with sound values alone; the problems are added to the list.
pub fn check(layer: Layer, problems: &mut Vec<Problem>) -> Layer {
    let mut checker = Checker { origin: &layer.origin, problems };
    let tree = checker.table("", "", layer.tree).unwrap_or_else(|| Value::Object(Map::new()));
    Layer { origin: layer.origin, tree }
}

struct Checker<'a> {
    origin: &'a Origin,
    problems: &'a mut Vec<Problem>,
}

impl Checker<'_> {
    fn refuse(&mut self, place: &str, message: String) -> Option<Value> {
        let place = place.to_string();
        self.problems.push(Problem { origin: self.origin.clone(), place, message });
        None
    }

    /// What `path` is in the table of keys, `place` is in the layer: they differ
    /// in lists. `None` leaves the value out.
    fn node(&mut self, path: &str, place: &str, value: Value) -> Option<Value> {
        if let Some(key) = key_at(path) {
            if key.optional && value.is_null() {
                // In a list the settings have their own word for what is missing.
                return if path.contains("[]") { None } else { Some(value) };
            }
            let accepted = key.kind.accept(&value);
            return accepted
                .or_else(|| self.refuse(place, format!("{value} should be {}", key.kind)));
        }
        if is_list(path) {
            return self.list(path, place, value);
        }
        self.table(path, place, value)
    }

    fn table(&mut self, path: &str, place: &str, value: Value) -> Option<Value> {
        let Value::Object(entries) = value else {
            let names: Vec<&str> = unique(names_below(path)).collect();
            let message = format!("{value} should be a table with {}", names.join(", "));
            return self.refuse(place, message);
        };
        let mut sound = Map::new();
        for (name, value) in entries {
            let join =
                |base: &str| if base.is_empty() { name.clone() } else { format!("{base}.{name}") };
            let (path, place) = (&join(path), &join(place));
            let known =
                || key_at(path).is_some() || is_list(path) || names_below(path).next().is_some();
            // A name with a dot is a path that the format did not take apart.
            let kept = match !name.contains(['.', '[']) && known() {
                true => self.node(path, place, value),
                false => self.refuse(place, unknown(path, &name)),
            };
            sound.extend(kept.map(|value| (name, value)));
        }
        Some(Value::Object(sound))
    }

    fn list(&mut self, path: &str, place: &str, value: Value) -> Option<Value> {
        let inside = format!("{path}[]");
        let Value::Array(parts) = value else {
            let names: Vec<&str> = unique(names_below(&inside)).collect();
            let message = format!("{value} should be a list of tables with {}", names.join(", "));
            return self.refuse(place, message);
        };
        let before = self.problems.len();
        let mut sound = vec![];
        for (index, part) in parts.into_iter().enumerate() {
            let place = format!("{place}[{index}]");
            let Some(part) = self.table(&inside, &place, part) else { continue };
            for name in unique(names_below(&inside)) {
                let needed = key_at(&format!("{inside}.{name}")).is_some_and(|key| !key.optional);
                // A value that was refused is not missing.
                let told = self.problems.iter().any(|p| p.place == format!("{place}.{name}"));
                if needed && part.get(name).is_none() && !told {
                    self.refuse(&place, format!("{name} is missing"));
                }
            }
            sound.push(part);
        }
        (self.problems.len() == before).then_some(Value::Array(sound))
    }
}

fn unknown(path: &str, name: &str) -> String {
    let (parent, _) = path.rsplit_once('.').unwrap_or(("", path));
    let beside = nearest(name, names_below(parent)).map(str::to_string);
    // The right name in the wrong section.
    let elsewhere = || {
        let same = |key: &&super::keys::Key| key.path.rsplit('.').next() == Some(name);
        KEYS.iter().find(same).map(|key| key.path.to_string())
    };
    match beside.or_else(elsewhere) {
        Some(meant) => format!("unknown key; did you mean {meant}?"),
        None => {
            let names: Vec<&str> = unique(names_below(parent)).collect();
            format!("unknown key; there are {}", names.join(", "))
        }
    }
}

/// Without the repetitions of names that several keys share, which are neighbors.
fn unique(names: impl Iterator<Item = &'static str> + Clone) -> impl Iterator<Item = &'static str> {
    let before = std::iter::once("").chain(names.clone());
    names.zip(before).filter(|(name, before)| name != before).map(|(name, _)| name)
}
