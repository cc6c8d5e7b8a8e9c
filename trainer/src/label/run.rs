//! A run: one thread finds the roots, one per process has them labeled, and one
//! puts the answers in order and on disk.

use super::collector::{Answer, Collector};
use super::identity::Identity;
use super::positions::{Positions, Reading, Root};
use super::segment::label_root;
use super::store::{Finished, Store};
use super::teacher::{Teacher, start};
use super::{LabelError, Settings, Summary};
use crate::interrupt;
use crate::uci::Engine;
use std::ops::ControlFlow::{Break, Continue};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// A root on its way. `turn` counts the roots of this run without gaps.
struct Job {
    turn: u64,
    number: u64,
    root: Root,
}

/// Labels everything that is not labeled yet, or as much as the user lets it.
pub fn label(settings: &Settings) -> Result<Summary, LabelError> {
    let first = start(&settings.teacher, &settings.search)?;
    warn_of_unknown_options(&first, settings);
    let positions = Positions::new(&settings.positions)?;
    let identity = Identity::new(settings, positions.files(), first.name())?;
    let mut summary = Summary {
        teacher: identity.teacher.clone(),
        out: settings.out.clone(),
        ..Summary::default()
    };
    let mut store = Store::open(&settings.out, identity, settings.part_size)?;
    let roots = match store.roots() {
        Some(roots) => roots,
        None => {
            let roots = count(&positions)?;
            if interrupt::requested() {
                return Ok(summary);
            }
            store.begin(roots)?;
            roots
        }
    };
    summary.roots = roots;
    let finished = store.finished().clone();
    summary.finished = finished.count(roots);
    if summary.finished == roots {
        return Ok(summary);
    }
    let run = Run {
        settings,
        positions,
        finished,
        roots,
        restarts: AtomicU64::new(0),
        over: AtomicBool::new(false),
    };
    run.work(first, store, &mut summary)?;
    if summary.finished < roots && !interrupt::requested() {
        return Err(LabelError::Changed { roots, found: summary.finished });
    }
    Ok(summary)
}

fn warn_of_unknown_options(engine: &Engine, settings: &Settings) {
    for (name, _) in &settings.teacher.options {
        if engine.option(name).is_none() {
            let known: Vec<&str> = engine.options().iter().map(|o| o.name.as_str()).collect();
            let teacher = engine.name();
            eprintln!("warning: {teacher} has no option {name}; it has: {}", known.join(", "));
        }
    }
}

/// Reads everything once: broken places show before any work is done, and the
/// time that is left can be told.
fn count(positions: &Positions) -> Result<u64, LabelError> {
    let mut roots = 0;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    positions.visit(Reading { threads, loud: true }, &mut |_| {
        roots += 1;
        Continue(())
    })?;
    if roots == 0 && !interrupt::requested() {
        return Err(LabelError::NoPositions(
            "name files with games or positions, or ask for --random N".to_string(),
        ));
    }
    Ok(roots)
}

struct Run<'a> {
    settings: &'a Settings,
    positions: Positions<'a>,
    /// Before this run.
    finished: Finished,
    roots: u64,
    restarts: AtomicU64,
    /// Something failed for good.
    over: AtomicBool,
}

impl Run<'_> {
    fn work(&self, first: Engine, store: Store, summary: &mut Summary) -> Result<(), LabelError> {
        let processes = self.settings.teacher.processes.max(1);
        let (jobs, taken) = sync_channel(2 * processes);
        let taken = Arc::new(Mutex::new(taken));
        let (answers, received) = channel();
        let started = Instant::now();
        let outcome = thread::scope(|scope| {
            let feeder = scope.spawn(|| self.feed(jobs));
            let mut engine = Some(first);
            for _ in 0..processes {
                let (taken, answers, engine) = (Arc::clone(&taken), answers.clone(), engine.take());
                scope.spawn(move || self.teach(engine, &taken, &answers));
            }
            // The channels close when the last worker leaves.
            drop((taken, answers));
            let collector = Collector::new(store, summary, &self.restarts);
            let collected = collector.collect(received, &self.over);
            let fed = feeder.join().unwrap_or(Ok(()));
            collected.and(fed)
        });
        summary.time = started.elapsed();
        summary.restarts = self.restarts.load(Relaxed);
        outcome
    }

    fn stopping(&self) -> bool {
        self.over.load(Relaxed) || interrupt::requested()
    }

    /// Numbers the roots and hands out those that are not done.
    fn feed(&self, jobs: SyncSender<Job>) -> Result<(), LabelError> {
        let (mut number, mut turn) = (0, 0);
        self.positions.visit(Reading { threads: 1, loud: false }, &mut |root| {
            let this = number;
            number += 1;
            if this >= self.roots || self.stopping() {
                return Break(());
            }
            if self.finished.contains(this) {
                return Continue(());
            }
            let job = Job { turn, number: this, root };
            turn += 1;
            if jobs.send(job).is_ok() { Continue(()) } else { Break(()) }
        })
    }

    /// Has roots labeled by one process.
    fn teach(&self, engine: Option<Engine>, jobs: &Mutex<Receiver<Job>>, answers: &Sender<Answer>) {
        let mut teacher = Teacher {
            settings: &self.settings.teacher,
            search: &self.settings.search,
            restarts: &self.restarts,
            engine,
            chess960: false,
        };
        let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        while let Some(job) = next() {
            if self.stopping() {
                break;
            }
            let seed = self.settings.positions.seed;
            let outcome = label_root(&mut teacher, &job.root, seed, job.number);
            if outcome.is_err() {
                self.over.store(true, Relaxed);
            }
            let answer = Answer { turn: job.turn, number: job.number, outcome };
            if answers.send(answer).is_err() {
                break;
            }
        }
    }
}
