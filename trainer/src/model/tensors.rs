//! Which tensors an architecture has, and whether given weights are those.

use super::{ATTENTION_KERNEL, Architecture, Body, Norm, ValueKind, Weights};
use engine::encode::PolicyMap;
use std::collections::BTreeSet;
use thiserror::Error;

/// Weights that are not those of the architecture; all reasons at once.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("the weights do not fit the network {network}: {}", problems.join("; "))]
pub struct WeightsError {
    pub network: String,
    pub problems: Vec<String>,
}

/// Names and dimensions of all tensors, in the order of the data flow.
pub fn expected_tensors(architecture: &Architecture) -> Vec<(String, Vec<usize>)> {
    let a = architecture;
    let mut list = List { tensors: Vec::new(), norm: a.norm };
    if a.body == Body::Dense {
        let width = a.hidden + a.value_hidden;
        list.tensors.push(("features.weight".into(), vec![a.encoder.planes() * 64, width]));
        list.tensors.push(("features.shared".into(), vec![a.encoder.planes(), width]));
        list.tensors.push(("features.bias".into(), vec![width]));
        list.dense("policy", [a.encoder.policy().len(), a.hidden]);
        for (head, width) in heads(a) {
            list.dense(&format!("{head}.dense1"), [a.value_hidden, a.hidden]);
            list.dense(&format!("{head}.dense2"), [width, a.value_hidden]);
        }
        return list.tensors;
    }
    list.conv("stem", [a.channels, a.encoder.planes()], 3);
    list.norm("stem.norm", a.channels);
    for block in 0..a.blocks {
        let name = |part: &str| format!("blocks.{block}.{part}");
        for half in [1, 2] {
            list.conv(&name(&format!("conv{half}")), [a.channels; 2], 3);
            list.norm(&name(&format!("norm{half}")), a.channels);
        }
        if a.squeeze > 0 {
            list.dense(&name("squeeze.down"), [a.squeeze, a.channels]);
            list.dense(&name("squeeze.up"), [a.channels, a.squeeze]);
        }
        if a.has_attention(block) {
            list.conv(&name("attention"), [1, 2], ATTENTION_KERNEL);
        }
    }
    list.conv("policy.conv1", [a.policy_channels, a.channels], 3);
    list.norm("policy.norm1", a.policy_channels);
    list.conv("policy.conv2", [PolicyMap::Az4672.len() / 64, a.policy_channels], 1);
    for (head, width) in heads(a) {
        list.conv(&format!("{head}.conv"), [a.value_channels, a.channels], 1);
        list.norm(&format!("{head}.norm"), a.value_channels);
        list.dense(&format!("{head}.dense1"), [a.value_hidden, a.value_channels * 64]);
        list.dense(&format!("{head}.dense2"), [width, a.value_hidden]);
    }
    list.tensors
}

/// The heads that end in few numbers, and in how many.
fn heads(architecture: &Architecture) -> impl Iterator<Item = (&'static str, usize)> {
    let width = match architecture.value {
        ValueKind::Wdl => 3,
        ValueKind::Scalar => 1,
    };
    let moves_left = architecture.moves_left.then_some(("moves_left", 1));
    [("value", width)].into_iter().chain(moves_left)
}

/// Numbers to learn; the running averages of batch normalization do not count.
pub fn parameters(architecture: &Architecture) -> usize {
    expected_tensors(architecture)
        .iter()
        .filter(|(name, _)| !name.ends_with(".mean") && !name.ends_with(".variance"))
        .map(|(_, dims)| dims.iter().product::<usize>())
        .sum()
}

/// Whether `weights` are exactly the architecture's tensors, all finite.
pub fn check_weights(architecture: &Architecture, weights: &Weights) -> Result<(), WeightsError> {
    let expected = expected_tensors(architecture);
    let mut problems = Vec::new();
    for (name, dims) in &expected {
        match weights.get(name) {
            None => problems.push(format!("{name} {dims:?} is missing")),
            Some(tensor) if tensor.dims != *dims => {
                problems.push(format!("{name} is {:?} instead of {dims:?}", tensor.dims));
            }
            Some(tensor) if tensor.data.len() != dims.iter().product::<usize>() => {
                problems.push(format!("{name} {dims:?} has {} numbers", tensor.data.len()));
            }
            Some(tensor) if tensor.data.iter().any(|x| !x.is_finite()) => {
                problems.push(format!("{name} has numbers that are not finite"));
            }
            Some(tensor) if name.ends_with(".variance") && tensor.data.iter().any(|x| *x < 0.0) => {
                problems.push(format!("{name} has numbers below zero"));
            }
            Some(_) => {}
        }
    }
    let known: BTreeSet<&String> = expected.iter().map(|(name, _)| name).collect();
    let unknown = weights.keys().filter(|name| !known.contains(name));
    problems.extend(unknown.map(|name| format!("{name} has no place in it")));
    if problems.is_empty() {
        return Ok(());
    }
    Err(WeightsError { network: architecture.describe(), problems })
}

impl Architecture {
    /// Whether block number `block` is among the last, which have attention.
    pub fn has_attention(&self, block: usize) -> bool {
        block + self.attention_blocks >= self.blocks
    }
}

struct List {
    tensors: Vec<(String, Vec<usize>)>,
    norm: Norm,
}

impl List {
    fn conv(&mut self, name: &str, [outputs, inputs]: [usize; 2], kernel: usize) {
        self.tensors.push((format!("{name}.weight"), vec![outputs, inputs, kernel, kernel]));
        self.tensors.push((format!("{name}.bias"), vec![outputs]));
    }

    fn dense(&mut self, name: &str, [outputs, inputs]: [usize; 2]) {
        self.tensors.push((format!("{name}.weight"), vec![outputs, inputs]));
        self.tensors.push((format!("{name}.bias"), vec![outputs]));
    }

    fn norm(&mut self, name: &str, channels: usize) {
        let parts: &[&str] = match self.norm {
            Norm::None => &[],
            Norm::Group => &["gamma", "beta"],
            Norm::Batch => &["gamma", "beta", "mean", "variance"],
        };
        self.tensors.extend(parts.iter().map(|part| (format!("{name}.{part}"), vec![channels])));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Activation, random_weights};
    use super::*;
    use engine::encode::Encoder;

    fn architecture() -> Architecture {
        Architecture {
            encoder: Encoder::Basic18,
            body: Body::Tower,
            hidden: 0,
            blocks: 2,
            channels: 8,
            squeeze: 4,
            attention_blocks: 1,
            norm: Norm::Batch,
            groups: 0,
            activation: Activation::Relu,
            policy_channels: 8,
            value: ValueKind::Wdl,
            value_channels: 4,
            value_hidden: 16,
            moves_left: true,
        }
    }

    #[test]
    fn all_tensors_are_named_once() {
        let tensors = expected_tensors(&architecture());
        let names: BTreeSet<&str> = tensors.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), tensors.len());
        assert!(names.contains("blocks.1.attention.weight"));
        assert!(!names.contains("blocks.0.attention.weight"));
        assert!(names.contains("moves_left.norm.variance"));
        // Stem 18*8*9+8 and its norm 2*8, by hand.
        let plain = Architecture { blocks: 0, squeeze: 0, moves_left: false, ..architecture() };
        let plain = Architecture { attention_blocks: 0, norm: Norm::None, ..plain };
        let stem = 18 * 8 * 9 + 8;
        let policy = 8 * 8 * 9 + 8 + 73 * 8 + 73;
        let value = 4 * 8 + 4 + 16 * 256 + 16 + 3 * 16 + 3;
        assert_eq!(parameters(&plain), stem + policy + value);
    }

    #[test]
    fn a_dense_body_has_no_tower() {
        let architecture = Architecture {
            encoder: Encoder::Threats,
            body: Body::Dense,
            hidden: 32,
            ..architecture()
        };
        let tensors = expected_tensors(&architecture);
        let names: Vec<&str> = tensors.iter().map(|(name, _)| name.as_str()).collect();
        let layers = ["features", "policy", "value.dense1", "value.dense2"];
        let layers = [&layers[..], &["moves_left.dense1", "moves_left.dense2"]].concat();
        let (shared, names): (Vec<&str>, Vec<&str>) =
            names.into_iter().partition(|name| name.ends_with(".shared"));
        assert_eq!(shared, ["features.shared"]);
        assert_eq!(names.len(), 2 * layers.len(), "{names:?}");
        for (layer, pair) in layers.iter().zip(names.chunks(2)) {
            assert_eq!(pair, [format!("{layer}.weight"), format!("{layer}.bias")]);
        }
        // Hidden and value_hidden numbers of 182 planes; then the heads.
        let features = (182 * 64 + 182 + 1) * (32 + 16);
        let policy = 3716 * 32 + 3716;
        let heads = 2 * (16 * 32 + 16) + 3 * 16 + 3 + 16 + 1;
        assert_eq!(parameters(&architecture), features + policy + heads);
        assert_eq!(architecture.describe(), "dense 32");
    }

    #[test]
    fn every_problem_is_named() {
        let architecture = architecture();
        let mut weights = random_weights(&architecture, 1);
        assert_eq!(check_weights(&architecture, &weights), Ok(()));
        weights.remove("stem.bias");
        let policy = weights.get_mut("policy.conv2.weight").unwrap();
        policy.dims = vec![73, 8];
        weights.get_mut("value.dense1.bias").unwrap().data[0] = f32::NAN;
        let tensor = weights["value.dense2.bias"].clone();
        weights.insert("blocks.2.conv1.bias".to_string(), tensor);
        let error = check_weights(&architecture, &weights).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the weights do not fit the network se-resnet 2x8 attention 1: \
             stem.bias [8] is missing; \
             policy.conv2.weight is [73, 8] instead of [73, 8, 1, 1]; \
             value.dense1.bias has numbers that are not finite; \
             blocks.2.conv1.bias has no place in it"
        );
    }
}
