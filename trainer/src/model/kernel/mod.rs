//! The arithmetic of a training step on the processor, on plain slices.
//!
//! burn's own convolution spends most of its time moving memory on boards this
//! small, and even a perfect one needs four times the multiplications of
//! Winograd's. `benches/step` measures both against each other.

mod excite;
mod filters;
mod matrix;
mod scratch;
pub mod sparse;
mod winograd;

pub use engine::winograd::SQUARES;
pub use excite::{excite, excite_backward};
pub use filters::to_points;
pub use winograd::{Backward, Shape, backward, forward};
