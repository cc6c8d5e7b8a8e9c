//! How positions go into a network and answers come out: by its metadata, or
//! for lc0's networks by names and shapes.

use crate::encode::{Encoder, PolicyMap};
use crate::onnx::{ElementType, ModelInfo, TensorInfo};

pub(super) const SUPPORTED: &str = "metadata arbor.format=1 with arbor.encoder \
     basic18|rich|tactics|threats|az119|nmp72|lc0-112, arbor.policy az4672|lc0-1858|exchange3716 and arbor.value wdl|scalar, \
     input `planes` [batch,P,8,8], outputs `policy` [batch,A], `wdl` [batch,3] or `value` [batch,1], \
     optional `moves_left` [batch,1]; or lc0's own ONNX, input `/input/planes` [batch,112,8,8], \
     outputs `/output/policy` [batch,1858], `/output/wdl` or `/output/value`, optional \
     `/output/mlh`; all f32 or f16 with an open batch dimension";

/// What the value output holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueHead {
    /// Three logits: win, draw, loss for the mover.
    Wdl,
    /// The same after softmax, as lc0 writes it.
    WdlProbabilities,
    /// One number in -1..=1.
    Scalar,
}

impl ValueHead {
    /// The head's name in the metadata.
    pub fn name(self) -> &'static str {
        match self {
            ValueHead::Wdl | ValueHead::WdlProbabilities => "wdl",
            ValueHead::Scalar => "scalar",
        }
    }

    /// Numbers per position.
    pub fn width(self) -> usize {
        match self {
            ValueHead::Wdl | ValueHead::WdlProbabilities => 3,
            ValueHead::Scalar => 1,
        }
    }
}

/// A tensor to fill or to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorPort {
    pub name: String,
    pub half: bool,
}

/// The network's interface, checked against its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    pub encoder: Encoder,
    pub policy: PolicyMap,
    pub value: ValueHead,
    pub input: TensorPort,
    pub policy_output: TensorPort,
    pub value_output: TensorPort,
    pub moves_left_output: Option<TensorPort>,
}

impl Layout {
    /// Finds the layout, or says in words what does not fit.
    pub(super) fn detect(model: &ModelInfo) -> Result<Layout, String> {
        let find = |name: &str| model.outputs.iter().find(|t| t.name == name);
        let plan = if model.metadata.contains_key("arbor.format") {
            Plan::from_metadata(model)?
        } else if model.inputs.iter().any(|t| t.name == "/input/planes") {
            Plan::lc0(find("/output/wdl").is_some())
        } else {
            return Err("its layout is unknown".to_string());
        };
        let [input] = model.inputs.as_slice() else {
            return Err(format!("it has {} inputs instead of one", model.inputs.len()));
        };
        let output = |name: &str| find(name).ok_or(format!("the output `{name}` is missing"));
        let planes = plan.encoder.planes() as i64;
        if input.name != plan.input {
            return Err(format!("the input is `{}` instead of `{}`", input.name, plan.input));
        }
        Ok(Layout {
            encoder: plan.encoder,
            policy: plan.policy,
            value: plan.value,
            input: port(input, &[planes, 8, 8])?,
            policy_output: port(output(plan.policy_output)?, &[plan.policy.len() as i64])?,
            value_output: port(output(plan.value_output)?, &[plan.value.width() as i64])?,
            moves_left_output: find(plan.moves_left_output).map(|t| port(t, &[1])).transpose()?,
        })
    }

    /// In words, e.g. `basic18 -> az4672 + wdl, f32`.
    pub fn describe(&self) -> String {
        let moves_left = if self.moves_left_output.is_some() { " + moves left" } else { "" };
        let precision = if self.input.half { "f16" } else { "f32" };
        let (encoder, policy) = (self.encoder.name(), self.policy.name());
        format!("{encoder} -> {policy} + {}{moves_left}, {precision}", self.value.name())
    }
}

/// Names and sizes to look for.
struct Plan {
    encoder: Encoder,
    policy: PolicyMap,
    value: ValueHead,
    input: &'static str,
    policy_output: &'static str,
    value_output: &'static str,
    moves_left_output: &'static str,
}

impl Plan {
    fn from_metadata(model: &ModelInfo) -> Result<Plan, String> {
        let get = |key: &str| model.metadata.get(key).map_or("", |value| value.trim());
        let format = get("arbor.format");
        if format != "1" {
            return Err(format!(
                "its format is `{format}`, and this engine reads format 1: a newer engine may play it"
            ));
        }
        let unknown = |key: &str| match get(key) {
            "" => format!("its metadata lack `{key}`"),
            value => format!("`{key}` is `{value}`, which this engine does not know"),
        };
        let encoder = Encoder::from_name(get("arbor.encoder"));
        let policy = PolicyMap::from_name(get("arbor.policy"));
        let (value, value_output) = match get("arbor.value") {
            "wdl" => (ValueHead::Wdl, "wdl"),
            "scalar" => (ValueHead::Scalar, "value"),
            _ => return Err(unknown("arbor.value")),
        };
        Ok(Plan {
            encoder: encoder.ok_or_else(|| unknown("arbor.encoder"))?,
            policy: policy.ok_or_else(|| unknown("arbor.policy"))?,
            value,
            input: "planes",
            policy_output: "policy",
            value_output,
            moves_left_output: "moves_left",
        })
    }

    fn lc0(wdl: bool) -> Plan {
        Plan {
            encoder: Encoder::Lc0,
            policy: PolicyMap::Lc0,
            value: if wdl { ValueHead::WdlProbabilities } else { ValueHead::Scalar },
            input: "/input/planes",
            policy_output: "/output/policy",
            value_output: if wdl { "/output/wdl" } else { "/output/value" },
            moves_left_output: "/output/mlh",
        }
    }
}

/// Checks a tensor against its dimensions behind the batch. A shape that the
/// file leaves out is checked on the first run instead.
fn port(tensor: &TensorInfo, rest: &[i64]) -> Result<TensorPort, String> {
    let half = match tensor.element {
        ElementType::F32 => false,
        ElementType::F16 => true,
        other => return Err(format!("`{}` is {other} instead of f32 or f16", tensor.name)),
    };
    if let Some(shape) = &tensor.shape {
        let fits = shape.len() == rest.len() + 1
            && shape[1..].iter().zip(rest).all(|(have, want)| have.is_none_or(|d| d == *want));
        if !fits {
            let want: Vec<String> = rest.iter().map(i64::to_string).collect();
            return Err(format!("{tensor} should be [batch,{}]", want.join(",")));
        }
        if let Some(batch) = shape[0] {
            return Err(format!(
                "`{}` is fixed to batches of {batch}: export it with an open batch dimension",
                tensor.name
            ));
        }
    }
    Ok(TensorPort { name: tensor.name.clone(), half })
}
