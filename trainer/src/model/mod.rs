//! Networks: planes in, policy, value and moves left out.

mod architecture;

pub use architecture::{
    ATTENTION_KERNEL, Activation, Architecture, NORM_EPSILON, Norm, Tensor, ValueKind, Weights,
};
