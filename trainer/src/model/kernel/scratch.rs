//! Buffers that a thread keeps between calls: fresh memory costs page faults.

use engine::winograd::sized;
use rayon::prelude::*;
use std::cell::RefCell;
use std::mem::MaybeUninit;

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

pub fn zeroed(buffer: &mut Vec<f32>, size: usize) -> &mut [f32] {
    let buffer = sized(buffer, size);
    buffer.fill(0.0);
    buffer
}

/// A vector filled by `work` in chunks, in parallel; each chunk comes zeroed.
/// Zeroing it all at once would be the work of one thread, and go to memory.
pub fn filled_in_parallel(
    length: usize,
    chunk: usize,
    work: impl Fn(usize, &mut [f32]) + Sync,
) -> Vec<f32> {
    let mut data = Box::new_uninit_slice(length);
    data.par_chunks_mut(chunk).enumerate().for_each(|(index, chunk)| {
        chunk.fill(MaybeUninit::new(0.0));
        // SAFETY: all of the chunk was written in the line above.
        work(index, unsafe { chunk.assume_init_mut() });
    });
    // SAFETY: the chunks are all there is, and each was written.
    unsafe { data.assume_init() }.into_vec()
}
