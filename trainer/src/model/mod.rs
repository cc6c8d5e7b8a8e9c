//! Networks: planes in, policy, value and moves left out.

mod architecture;
mod board_ops;
mod initial;
mod kernel;
mod layers;
mod network;
mod random;
mod sparse_ops;
mod tensors;
#[cfg(test)]
mod tests;

pub use architecture::{
    ATTENTION_KERNEL, Activation, Architecture, Body, NORM_EPSILON, Norm, Tensor, ValueKind,
    Weights,
};
pub use board_ops::conv3x3;
pub use initial::initial_weights;
pub use network::{Mode, Network, Outputs, Policy};
pub use random::random_weights;
pub use sparse_ops::Asked;
pub use tensors::{WeightsError, check_weights, expected_tensors, parameters};
