//! `engine selfplay`: requests from a stream, threads that play, replies to
//! another.

use super::host::{Host, Player};
use super::protocol::{Reply, Request};
use super::worker::Worker;
use crate::engine::{LoadError, Loaded};
use crate::eval::{EvalError, EvaluatorSource, workers};
use crate::options::{NetChoice, Settings};
use crate::search::EvalCache;
use crate::tablebase::Tablebases;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Games that a thread plays at once where `Batch` does not say it. More would
/// be no faster on a processor, and leave more batches half empty when the last
/// games come to their ends.
const SEATS: usize = 16;

/// The same where a device evaluates, which wants large batches.
const SEATS_OF_DEVICE: usize = 256;

/// Between two reports of the totals.
const REPORT: Duration = Duration::from_secs(2);

/// Between looks at whether the workers still work.
const GLANCE: Duration = Duration::from_millis(100);

/// Plays until the input ends; `settings` are the engine's options.
pub fn run(
    settings: &Settings,
    input: impl BufRead + Send + 'static,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    let tablebases = tablebases(&settings.syzygy_path)?;
    let cache = EvalCache::new(settings.hash_mb << 20).ok_or_else(|| {
        io::Error::other(format!("no memory for {} MB of Hash", settings.hash_mb))
    })?;
    let player = open(settings, 0).map_err(io::Error::other)?;
    let (threads, seats) = room(settings, player.source.as_ref());
    let ready = ready(&player, threads, seats);
    let host = Host::new(player, cache, tablebases.as_ref(), threads, out);
    host.say(&ready);
    let done = AtomicBool::new(false);
    let lines = lines_of(input);
    let failure = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|number| {
                let host = &host;
                scope.spawn(move || {
                    let play = AssertUnwindSafe(|| Worker::new(host, number, seats).run());
                    let outcome = catch_unwind(play)
                        .unwrap_or_else(|_| Err(EvalError("a worker panicked".into())));
                    if outcome.is_err() {
                        host.abort();
                    }
                    outcome
                })
            })
            .collect();
        let (host, done) = (&host, &done);
        let reporter = scope.spawn(move || report(host, done));
        listen(settings, host, &lines, threads, seats);
        let outcomes = workers.into_iter().map(|worker| worker.join().unwrap_or(Ok(())));
        let failure = outcomes.filter_map(Result::err).next();
        done.store(true, Relaxed);
        let _ = reporter.join();
        failure
    });
    match failure {
        Some(error) => {
            host.say(&Reply::Refused { id: None, reason: format!("the network failed: {error}") });
            Err(io::Error::other(error))
        }
        None => {
            host.say(&Reply::Totals(host.totals()));
            Ok(())
        }
    }
}

/// The tables that were asked for: games by half of them would be other games.
fn tablebases(paths: &str) -> io::Result<Option<Tablebases>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let (opened, problems) = Tablebases::open(paths);
    match (opened.files(), &problems[..]) {
        (0, []) => Err(io::Error::other(format!("SyzygyPath {paths}: no tablebases there"))),
        (_, []) => Ok(Some(opened)),
        (_, problems) => Err(io::Error::other(format!("SyzygyPath: {}", problems.join("; ")))),
    }
}

/// Threads that play, and the games of each.
fn room(settings: &Settings, source: &dyn EvaluatorSource) -> (usize, usize) {
    let threads = match settings.threads {
        0 => workers(source, settings.threads_or_cores()),
        asked => asked,
    };
    let seats = match settings.batch {
        0 if source.is_accelerator() => SEATS_OF_DEVICE,
        0 => SEATS,
        asked => asked,
    };
    (threads, seats)
}

/// The lines of the input. The thread that reads them cannot be interrupted, so
/// nobody waits for it.
fn lines_of(mut input: impl BufRead + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut line = Vec::new();
        // What is no text is no request either, but the lines after it may be.
        while matches!(input.read_until(b'\n', &mut line), Ok(1..)) {
            if sender.send(String::from_utf8_lossy(&line).trim().to_string()).is_err() {
                break;
            }
            line.clear();
        }
    });
    receiver
}

/// Follows requests until there are no more, or until the workers have failed.
fn listen(
    settings: &Settings,
    host: &Host,
    lines: &Receiver<String>,
    threads: usize,
    seats: usize,
) {
    let mut networks = 0;
    while !host.is_aborted() {
        let line = match lines.recv_timeout(GLANCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if line.is_empty() {
            continue;
        }
        match serde_json::from_str(&line) {
            Ok(Request::Play(job)) => host.add(*job),
            Ok(Request::Network { path }) => {
                networks += 1;
                match open_file(settings, &path, networks) {
                    // Said first: a game with it may be over at once.
                    Ok(player) => {
                        host.say(&ready(&player, threads, seats));
                        host.set_player(player);
                    }
                    Err(error) => {
                        let reason = format!("{}: {error}", path.display());
                        host.say(&Reply::Refused { id: None, reason });
                    }
                }
            }
            Ok(Request::Finish) => break,
            Ok(Request::Abort) => host.abort(),
            Err(error) => {
                let reason = format!("not a request: {error}: {}", shortened(&line));
                host.say(&Reply::Refused { id: None, reason });
            }
        }
    }
    host.close();
}

/// Long lines are told by their beginning.
fn shortened(line: &str) -> String {
    const LONGEST: usize = 120;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_string(),
    }
}

fn report(host: &Host, done: &AtomicBool) {
    let mut last = Instant::now();
    while !done.load(Relaxed) {
        thread::sleep(Duration::from_millis(50));
        if last.elapsed() >= REPORT {
            last = Instant::now();
            host.say(&Reply::Totals(host.totals()));
        }
    }
}

fn ready(player: &Player, threads: usize, seats: usize) -> Reply {
    Reply::Ready {
        network: player.network.clone(),
        encoder: player.encoder.name().to_string(),
        backend: player.source.describe(),
        threads,
        games_at_once: threads * seats,
    }
}

fn open_file(settings: &Settings, path: &Path, number: u64) -> Result<Player, LoadError> {
    let mut settings = settings.clone();
    settings.net = NetChoice::File(path.to_path_buf());
    open(&settings, number)
}

fn open(settings: &Settings, number: u64) -> Result<Player, LoadError> {
    // The evaluators are made by the workers; here one proves that it works.
    let mut settings = settings.clone();
    (settings.threads, settings.batch) = (1, 1);
    let loaded = Loaded::open(&settings, &|_| {})?;
    Ok(Player {
        number,
        network: loaded.network.as_ref().map(|network| network.hash.clone()).unwrap_or_default(),
        encoder: loaded.encoder,
        source: loaded.source,
    })
}
