//! Work on all cores with the results in order: jobs come from one thread, are
//! done by several, and their results arrive as if one had done them all.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Runs `work` on each job and hands the results to `take`, in the order of the
/// jobs, until it breaks or fails. At most a few jobs per thread are under way
/// at any time, so memory stays bounded however slow one of them is.
pub fn ordered<J: Send, R: Send, E>(
    threads: usize,
    jobs: impl Iterator<Item = J> + Send,
    work: impl Fn(J) -> R + Sync,
    mut take: impl FnMut(R) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let threads = threads.max(1);
    let under_way = 2 * threads + 2;
    // A receiver per job, in order: the queue of what is still to come.
    let (promise, promised) = sync_channel::<Receiver<R>>(under_way);
    let (sender, receiver) = sync_channel::<(J, SyncSender<R>)>(under_way);
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for job in jobs {
                let (answer, result) = sync_channel(1);
                if promise.send(result).is_err() || sender.send((job, answer)).is_err() {
                    return;
                }
            }
        });
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((job, answer)) = next(&receiver) {
                    // Nobody listens any more once `take` has had enough.
                    let _ = answer.send(work(job));
                }
            });
        }
        for result in promised {
            // A worker that died takes the whole scope down with it.
            let Ok(result) = result.recv() else { break };
            if take(result)?.is_break() {
                break;
            }
        }
        Ok(())
    })
}

fn next<T>(queue: &Mutex<Receiver<T>>) -> Option<T> {
    queue.lock().ok()?.recv().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_arrive_in_order() {
        for threads in [1, 2, 5] {
            let mut results = Vec::new();
            let work = |job: u64| {
                std::thread::sleep(Duration::from_micros(job * 7919 % 300));
                job * 2
            };
            let outcome = ordered(threads, 0..200, work, |result| {
                results.push(result);
                Ok::<_, Infallible>(ControlFlow::Continue(()))
            });
            assert!(outcome.is_ok());
            assert_eq!(results, (0..200).map(|job| job * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_slow_taker_holds_the_jobs_back() {
        let started = AtomicUsize::new(0);
        let jobs = (0..).inspect(|_| {
            started.fetch_add(1, Ordering::Relaxed);
        });
        let mut taken = 0;
        let outcome = ordered(
            2,
            jobs,
            |job: u64| job,
            |_| {
                taken += 1;
                std::thread::sleep(Duration::from_millis(2));
                assert!(started.load(Ordering::Relaxed) <= taken + 30);
                Ok::<_, Infallible>(if taken < 20 {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                })
            },
        );
        assert!(outcome.is_ok());
        assert_eq!(taken, 20);
    }

    #[test]
    fn a_failure_ends_the_run() {
        let outcome = ordered(
            2,
            0..,
            |job: u64| job,
            |job| {
                if job == 10 { Err("full") } else { Ok(ControlFlow::Continue(())) }
            },
        );
        assert_eq!(outcome, Err("full"));
    }
}
