//! Layers on top of each other: what a higher one says, counts.

use super::layer::Layer;
use super::problem::Origin;
use serde_json::{Map, Value};

/// Three ways to say how long to train. A layer that uses one means that one.
const LENGTHS: [&str; 3] = ["train.steps", "train.positions", "train.epochs"];

/// The tree of all layers, lowest first. Tables merge, lists replace.
pub fn merge(layers: &[Layer]) -> Value {
    let mut merged = Layer::empty(Origin::Preset);
    for layer in layers {
        let says = |path: &str| layer.get(path).filter(|value| !value.is_null());
        if LENGTHS.iter().any(|path| says(path).is_some()) {
            LENGTHS.iter().for_each(|path| merged.set(path, Value::Null));
        }
        if let (Some(seed), None) = (says("run.seed"), says("data.seed")) {
            merged.set("data.seed", seed.clone());
        }
        lay_over(&mut merged.tree, &layer.tree);
    }
    merged.tree
}

fn lay_over(below: &mut Value, above: &Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (name, value) in above {
                let empty = || Value::Object(Map::new());
                lay_over(below.entry(name).or_insert_with(empty), value);
            }
        }
        (below, above) => *below = above.clone(),
    }
}
