//! What changed between two runs: for the message that refuses to go on with
//! other settings.

use serde_json::Value;

/// Where two configurations differ, in words: `search.multipv 1, now 3`.
pub fn differences(before: &Value, now: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", before, now, &mut found);
    found
}

fn compare(name: &str, before: &Value, now: &Value, found: &mut Vec<String>) {
    match (before, now) {
        (Value::Object(old), Value::Object(new)) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                let dot = if name.is_empty() { "" } else { "." };
                let absent = &Value::Null;
                let (old, new) = (old.get(key).unwrap_or(absent), new.get(key).unwrap_or(absent));
                compare(&format!("{name}{dot}{key}"), old, new, found);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                compare(&format!("{name}[{index}]"), old, new, found);
            }
        }
        (old, new) if old != new => found.push(format!("{name} {old}, now {new}")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_named_by_their_place() {
        let before = json!({"a": 1, "search": {"multipv": 1, "limit": {"Nodes": 5}}});
        let now = json!({"a": 1, "search": {"multipv": 3, "limit": {"Depth": 5}}});
        assert_eq!(
            differences(&before, &now),
            [
                "search.limit.Nodes 5, now null",
                "search.limit.Depth null, now 5",
                "search.multipv 1, now 3",
            ]
        );
        assert!(differences(&before, &before).is_empty());
        let (before, now) = (json!({"a": [1, {"b": 2}]}), json!({"a": [1, {"b": 3}]}));
        assert_eq!(differences(&before, &now), ["a[1].b 2, now 3"]);
        assert_eq!(differences(&json!([1]), &json!([1, 2])).len(), 1);
    }
}
