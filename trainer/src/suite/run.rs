//! All problems of a suite, over several threads.

use super::{Attempt, Problem, Solver, Start, SuiteError};
use crate::uci::Limit;
use engine::search::Random;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Of each move.
    pub limit: Limit,
    /// Problems under way at a time, each with a player of its own.
    pub threads: usize,
    /// Whatever is random in the players follows from it.
    pub seed: u64,
}

/// Solves the problems; `progress` sees each attempt as it ends. The attempts
/// are in the order of the problems, however many threads there are. Once `stop`
/// says so no other problem is begun, and the attempts are those of the first
/// problems.
pub fn run(
    problems: &[Problem],
    settings: Settings,
    start: &Start,
    stop: &(dyn Fn() -> bool + Sync),
    progress: &mut dyn FnMut(&Attempt),
) -> Result<Vec<Attempt>, SuiteError> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let (sender, results) = channel();
    std::thread::scope(|scope| {
        for _ in 0..settings.threads.clamp(1, problems.len().max(1)) {
            let (sender, next, failed) = (sender.clone(), &next, &failed);
            scope.spawn(move || {
                let mut solver = Solver::new(start, settings.limit);
                while !stop() && !failed.load(Ordering::Relaxed) {
                    // Every problem that is taken is also finished, so that what
                    // was done is always a first part of the suite.
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(problem) = problems.get(index) else { return };
                    let result = solver.solve(problem, seed(settings.seed, index));
                    failed.fetch_or(result.is_err(), Ordering::Relaxed);
                    // Nobody listens any more after a failure.
                    let _ = sender.send((index, result));
                }
            });
        }
        drop(sender);
        let mut attempts: Vec<Option<Attempt>> = vec![None; problems.len()];
        for (index, result) in results {
            let attempt = result?;
            progress(&attempt);
            attempts[index] = Some(attempt);
        }
        Ok(attempts.into_iter().flatten().collect())
    })
}

/// Depends on the place of the problem, not on who solves it and when.
fn seed(seed: u64, index: usize) -> u64 {
    Random::new(Random::new(seed).next_u64() ^ index as u64).next_u64()
}

#[cfg(test)]
mod tests {
    use super::super::scripted::Scripted;
    use super::*;
    use crate::players::{Fault, GameLine, Player, Thought};
    use crate::suite::read;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    const SETTINGS: Settings = Settings { limit: Limit::Nodes(100), threads: 1, seed: 9 };

    /// In each of these the rook mates on its own file.
    const ANSWERS: [(&str, &str, &str); 5] = [
        ("a", "R6K", "a1a8"),
        ("b", "1R5K", "b1b7"),
        ("c", "2R4K", "crash"),
        ("d", "3R3K", "d1d7"),
        ("e", "4R2K", "e1e8"),
    ];
    const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];

    fn fen(rank: &str) -> String {
        format!("6k1/5ppp/8/8/8/8/8/{rank} w - - 0 1")
    }

    fn problems() -> Vec<Problem> {
        let line = |(file, rank, _)| format!("{} bm R{file}8; id {file};\n", fen(rank));
        let text: String = ANSWERS.into_iter().map(line).collect();
        read("suite", text.as_bytes(), false).unwrap().problems
    }

    /// Takes its time over the first problem, so that with more than one thread
    /// others are done before it.
    struct Slow(Scripted);

    impl Player for Slow {
        fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
            self.0.new_game(seed)
        }

        fn think(&mut self, game: &GameLine, limit: Limit) -> Result<Thought, Fault> {
            if game.start_fen() == fen(ANSWERS[0].1) {
                std::thread::sleep(Duration::from_millis(30));
            }
            self.0.think(game, limit)
        }
    }

    struct Outcome {
        attempts: Vec<Attempt>,
        /// Sorted, for threads come as they like.
        seeds: Vec<u64>,
        seen: Vec<String>,
    }

    fn outcome(settings: Settings, stop: impl Fn(usize) -> bool + Sync) -> Outcome {
        let table = ANSWERS.map(|(_, rank, answer)| (fen(rank), answer));
        let table: Vec<_> = table.iter().map(|(fen, answer)| (fen.as_str(), *answer)).collect();
        let seeds = Arc::new(Mutex::new(Vec::new()));
        let start = || -> Result<Box<dyn Player>, Fault> {
            let mut player = Scripted::new(&table);
            player.seeds = seeds.clone();
            Ok(Box::new(Slow(player)))
        };
        let mut seen = Vec::new();
        let stop = || stop(seeds.lock().unwrap().len());
        let mut progress = |attempt: &Attempt| seen.push(attempt.id.clone());
        let attempts = run(&problems(), settings, &start, &stop, &mut progress).unwrap();
        let mut seeds = seeds.lock().unwrap().clone();
        seeds.sort_unstable();
        Outcome { attempts, seeds, seen }
    }

    impl Outcome {
        fn ids(&self) -> Vec<&str> {
            self.attempts.iter().map(|attempt| attempt.id.as_str()).collect()
        }
    }

    #[test]
    fn the_result_does_not_depend_on_threads() {
        let alone = outcome(SETTINGS, |_| false);
        assert_eq!((alone.ids(), alone.seen.len()), (IDS.to_vec(), 5));
        let solved: Vec<_> = alone.attempts.iter().map(|attempt| attempt.solved).collect();
        assert_eq!(solved, [true, false, false, false, true]);
        assert_eq!(alone.attempts[2].fault.as_deref(), Some("crash"));
        for threads in [2, 3, 20] {
            let mut together = outcome(Settings { threads, ..SETTINGS }, |_| false);
            together.seen.sort_unstable();
            assert_eq!((&together.seeds, &together.seen), (&alone.seeds, &alone.seen));
            assert_eq!(together.ids(), IDS);
            for (one, other) in together.attempts.iter().zip(&alone.attempts) {
                assert_eq!(one, &Attempt { seconds: one.seconds, ..other.clone() });
            }
        }
    }

    #[test]
    fn each_problem_has_its_own_seed() {
        let mut seeds = outcome(SETTINGS, |_| false).seeds;
        seeds.extend(outcome(Settings { seed: 8, ..SETTINGS }, |_| false).seeds);
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 10);
    }

    #[test]
    fn stopping_leaves_the_first_problems() {
        assert_eq!(outcome(SETTINGS, |begun| begun == 2).ids(), IDS[..2]);
        // The other thread may have passed the question before the second began.
        let stopped = outcome(Settings { threads: 2, ..SETTINGS }, |begun| begun >= 2);
        let done = stopped.ids().len();
        assert!((2..=3).contains(&done), "{done}");
        assert_eq!(stopped.ids(), IDS[..done]);
        assert!(outcome(SETTINGS, |_| true).attempts.is_empty());
    }

    #[test]
    fn without_a_player_there_is_no_run() {
        let start = || Err(Fault::Crash("no such engine".into()));
        for threads in [1, 4] {
            let settings = Settings { threads, ..SETTINGS };
            let error = run(&problems(), settings, &start, &|| false, &mut |_| {}).unwrap_err();
            assert!(matches!(error, SuiteError::Player(Fault::Crash(_))), "{error}");
        }
    }
}
