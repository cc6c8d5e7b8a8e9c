//! Networks: planes in, policy, value and moves left out.

mod architecture;
mod random;
mod tensors;

pub use architecture::{
    ATTENTION_KERNEL, Activation, Architecture, NORM_EPSILON, Norm, Tensor, ValueKind, Weights,
};
pub use random::random_weights;
pub use tensors::{WeightsError, check_weights, expected_tensors, parameters};
