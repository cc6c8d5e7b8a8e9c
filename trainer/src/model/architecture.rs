//! What a network looks like: the part of the config that decides its weights.

use engine::encode::Encoder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What lies between planes and heads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// Residual blocks of convolutions.
    #[default]
    Tower,
    /// One wide layer, which sees the whole board at once. Where few squares of
    /// the planes are set it takes a twentieth of a small tower's time.
    Dense,
}

/// A residual tower with a policy head, a value head and perhaps a third.
///
/// With `x` the planes, every `conv` keeping the 8x8 board, `act` the
/// activation and `norm` the normalization (nothing for [`Norm::None`]):
///
/// ```text
/// x = act(norm(conv3x3 x))                                          stem
/// y = norm2(conv2 3x3 (act(norm1(conv1 3x3 x))))                    each block
/// y = y * sigmoid(up(relu(down(mean over squares of y))))           with squeeze > 0
/// y = y * sigmoid(conv7x7 [mean over channels, max over channels])  in the last attention_blocks
/// x = act(x + y)
/// policy = flatten(conv2 1x1 (act(norm1(conv1 3x3 x))))             73 planes = az4672
/// value = dense2(act(dense1(flatten(act(norm(conv1x1 x))))))        3 logits, or tanh of 1
/// moves_left = softplus(the same shape as value, ending in 1)
/// ```
///
/// or, for [`Body::Dense`], which uses only `encoder`, `hidden` and what is said of
/// value and moves left, always without normalization and with ReLU:
///
/// ```text
/// x, direct = features(flatten x)                                   hidden and value_hidden numbers
/// x = relu(x)^2
/// policy = policy(x)                                                one output for each move
/// value = dense2(relu(dense1(x) + direct))                          3 logits, or tanh of 1
/// moves_left = softplus(dense2(relu(dense1(x))))                    with layers of its own
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// Name of the input layout, e.g. `basic18`.
    #[serde(with = "encoder_name")]
    pub encoder: Encoder,
    /// Younger than the format of checkpoints, so older ones lack it.
    #[serde(default)]
    pub body: Body,
    /// Width of a dense body.
    #[serde(default)]
    pub hidden: usize,
    pub blocks: usize,
    pub channels: usize,
    /// Hidden channels of squeeze and excitation; 0 for a plain tower.
    pub squeeze: usize,
    /// How many of the last blocks have spatial attention.
    pub attention_blocks: usize,
    pub norm: Norm,
    /// Groups of channels for [`Norm::Group`].
    pub groups: usize,
    pub activation: Activation,
    /// Channels of the policy head's hidden convolution.
    pub policy_channels: usize,
    pub value: ValueKind,
    pub value_channels: usize,
    pub value_hidden: usize,
    pub moves_left: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// No normalization; the last convolution of each block starts small.
    None,
    Batch,
    Group,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    Relu,
    Gelu,
    Mish,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    Wdl,
    Scalar,
}

/// Added to variances before the root, in training and export alike.
pub const NORM_EPSILON: f32 = 1e-5;

/// Side of the attention's convolution.
pub const ATTENTION_KERNEL: usize = 7;

impl Architecture {
    /// In words, as in the `arbor.net` metadata: `se-resnet 6x64`.
    pub fn describe(&self) -> String {
        if self.body == Body::Dense {
            return format!("dense {}", self.hidden);
        }
        let family = if self.squeeze > 0 { "se-resnet" } else { "resnet" };
        let attention = match self.attention_blocks {
            0 => String::new(),
            n => format!(" attention {n}"),
        };
        format!("{family} {}x{}{attention}", self.blocks, self.channels)
    }
}

/// A tensor in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub dims: Vec<usize>,
    pub data: Vec<f32>,
}

/// A network's weights by name, in ONNX order (outputs first, but for
/// `features`):
///
/// - `stem`, `blocks.I.conv1`, `blocks.I.conv2`, `blocks.I.attention`,
///   `policy.conv1`, `policy.conv2`, `value.conv`, `moves_left.conv`:
///   `.weight` [out, in, k, k] and `.bias` [out]
/// - `blocks.I.squeeze.down`, `blocks.I.squeeze.up`, `value.dense1`,
///   `value.dense2`, `moves_left.dense1`, `moves_left.dense2`:
///   `.weight` [out, in] and `.bias` [out]
/// - `stem.norm`, `blocks.I.norm1`, `blocks.I.norm2`, `policy.norm1`,
///   `value.norm`, `moves_left.norm`: `.gamma` and `.beta` [channels], for
///   batch normalization also `.mean` and `.variance` [channels]
/// - of a dense body: `features`: `.weight` [in, out], `.shared` [planes, out], which
///   is added for all squares of a plane so that what is learned on one square
///   helps on others, and `.bias` [out]; `policy`,
///   `value.dense1`, `value.dense2`, `moves_left.dense1`, `moves_left.dense2`:
///   `.weight` [out, in] and `.bias` [out]
pub type Weights = BTreeMap<String, Tensor>;

mod encoder_name {
    use engine::encode::Encoder;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(encoder: &Encoder, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(encoder.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Encoder, D::Error> {
        let name = String::deserialize(deserializer)?;
        Encoder::from_name(&name).ok_or_else(|| {
            let known = Encoder::ALL.map(Encoder::name).join(", ");
            D::Error::custom(format!("unknown encoder {name:?}; there are {known}"))
        })
    }
}
