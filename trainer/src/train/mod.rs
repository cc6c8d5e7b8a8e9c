//! Batches in, trained weights out.
//!
//! [`Session`] is a run: it takes batches from the dataset, and `learner` turns
//! each into one step: forward pass, `loss`, gradients, `optimizer`, average.
//! `checkpoint` keeps all of that state; `score` says how good the answers are.

mod checkpoint;
mod clock;
mod device;
mod learner;
mod loss;
mod memory;
mod muon;
mod optimizer;
mod reference;
mod run_folder;
mod score;
mod session;
mod tensors;
mod update_ops;

pub use checkpoint::{
    Checkpoint, CheckpointError, DEFAULT_NETWORK, Progress, all as checkpoints,
    path as checkpoint_path,
};
pub use device::{DeviceError, open_device};
pub use learner::{Learner, LearnerParts};
pub use memory::keep_freed_memory;
pub use run_folder::RunFolder;
pub use score::{DECISIVE, rank};
pub use session::{Session, SessionError};
