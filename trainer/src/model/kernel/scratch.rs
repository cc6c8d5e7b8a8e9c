//! Buffers that a thread keeps between calls: fresh memory costs page faults.

use std::cell::RefCell;

/// Buffers of one thread; they grow to the largest layer and stay.
#[derive(Default)]
pub struct Scratch {
    /// Transformed tiles.
    pub inputs: Vec<f32>,
    pub outputs: Vec<f32>,
    pub bordered: Vec<f32>,
    pub board: Vec<f32>,
}

/// Lends the calling thread's buffers.
pub fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    thread_local! {
        static SCRATCH: RefCell<Scratch> = RefCell::default();
    }
    SCRATCH.with_borrow_mut(work)
}

/// The first `size` elements, whatever they hold.
pub fn sized(buffer: &mut Vec<f32>, size: usize) -> &mut [f32] {
    if buffer.len() < size {
        buffer.resize(size, 0.0);
    }
    &mut buffer[..size]
}

pub fn zeroed(buffer: &mut Vec<f32>, size: usize) -> &mut [f32] {
    let buffer = sized(buffer, size);
    buffer.fill(0.0);
    buffer
}
