//! Threads that read and encode: jobs in, their results out, each by a channel
//! of its own so that the asker decides the order.

use super::error::DatasetError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

/// Jobs start in the order they came. Dropping finishes them, ends the threads
/// and waits.
pub struct Workers {
    /// There until the drop.
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
}

impl Workers {
    /// Once `stop` is set, jobs that have not begun are passed over.
    pub fn start(count: usize, stop: Arc<AtomicBool>) -> Result<Workers, DatasetError> {
        let mut threads = Vec::with_capacity(count);
        let pool = ThreadPoolBuilder::new()
            .num_threads(count)
            .spawn_handler(|worker| {
                let builder = thread::Builder::new().name(format!("dataset-{}", worker.index()));
                threads.push(builder.spawn(|| worker.run())?);
                Ok(())
            })
            // Without one a panic would end the process; so the job's channel
            // closes, and whoever waits on it reports that.
            .panic_handler(|_| {})
            .build()
            .map_err(|error| DatasetError::Threads(error.to_string()))?;
        Ok(Workers { pool: Some(pool), threads, stop })
    }

    pub fn count(&self) -> usize {
        self.threads.len()
    }

    /// Queues a job. Nothing arrives if it panics or is passed over.
    pub fn run<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
        let (sender, receiver) = sync_channel(1);
        let stop = Arc::clone(&self.stop);
        if let Some(pool) = &self.pool {
            pool.spawn(move || {
                if !stop.load(Ordering::Relaxed) {
                    // Nobody may be waiting any more.
                    let _ = sender.send(job());
                }
            });
        }
        receiver
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.pool = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
