//! Real clocks on a busy machine: no game is lost on time.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use shakmaty::Position;

use crate::driver::{Engine, is_best};
use crate::game::{Dice, Game, START};
use crate::turn;

/// Keeps some threads spinning while `work` runs.
fn while_busy(threads: usize, work: impl FnOnce()) {
    struct Release<'a>(&'a AtomicBool);
    impl Drop for Release<'_> {
        fn drop(&mut self) {
            self.0.store(true, Relaxed);
        }
    }
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        // Also when a check in `work` fails, or the scope would never end.
        let _release = Release(&done);
        for _ in 0..threads {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        work();
    });
}

/// Plays both sides with their own clocks, as a GUI counts them. A flag that
/// falls is the error.
fn play(start_ms: u64, increment_ms: u64, moves: usize) -> Result<(), String> {
    let mut engine = Engine::tiny();
    engine.ready();
    let (start, increment) = (Duration::from_millis(start_ms), Duration::from_millis(increment_ms));
    let mut dice = Dice(start_ms);
    let mut game = Game::new(START);
    let mut clocks = [start; 2];
    let mut lowest = start;
    for ply in 0..moves * 2 {
        if game.is_over() {
            game = Game::new(START);
            engine.send("ucinewgame");
        }
        if game.moves.is_empty() {
            game.play_any(dice.roll());
            game.play_any(dice.roll());
        }
        engine.send(&game.command());
        let side = usize::from(game.position.turn().is_black());
        let go = format!(
            "go wtime {} btime {} winc {increment_ms} binc {increment_ms}",
            clocks[0].as_millis(),
            clocks[1].as_millis()
        );
        let sent = engine.send(&go);
        let (lines, arrived) = engine.read_timed(is_best);
        let used = arrived - sent;
        if used >= clocks[side] {
            return Err(format!("ply {ply}: {used:?} of {:?} used by\n{go}", clocks[side]));
        }
        clocks[side] -= used;
        lowest = lowest.min(clocks[side]);
        clocks[side] += increment;
        game.play(&game.check(&lines));
    }
    println!("{start_ms}+{increment_ms} ms: never below {lowest:?}");
    Ok(())
}

#[test]
fn one_second_and_a_hundredth() {
    let _turn = turn::alone();
    while_busy(3, || play(1000, 10, 60).unwrap());
}

#[test]
fn a_tenth_of_a_second_and_a_hundredth() {
    let _turn = turn::alone();
    // Whole games here are shorter than what a crowded machine may stall a
    // process; three stalls in a row are the engine's fault.
    while_busy(2, || {
        let falls: Vec<String> = (0..3).map_while(|_| play(100, 10, 60).err()).collect();
        assert!(falls.len() < 3, "{falls:#?}");
    });
}

#[test]
fn movetime_is_kept() {
    let _turn = turn::alone();
    let mut engine = Engine::tiny();
    engine.ready();
    let mut game = Game::new(START);
    for movetime in [50, 50, 100, 200, 400] {
        engine.send(&game.command());
        let sent = engine.send(&format!("go movetime {movetime}"));
        let (lines, arrived) = engine.read_timed(is_best);
        let (used, wanted) = ((arrived - sent).as_millis() as u64, movetime);
        assert!(used <= wanted + 30, "{used} of {wanted} ms");
        assert!(used + 60 >= wanted, "{used} of {wanted} ms");
        game.play(&game.check(&lines));
    }
}

#[test]
fn a_long_clock_is_used_and_not_used_up() {
    let _turn = turn::alone();
    let mut engine = Engine::start(&[
        "--backend",
        "cpu",
        "--net",
        &crate::driver::tiny_net(),
        "--batch",
        "8",
        // Without it a clear best move ends the search early.
        "--smart-pruning",
        "0",
    ]);
    engine.ready();
    engine.send("position startpos");
    let begun = Instant::now();
    engine.go("go wtime 20000 btime 20000 winc 100 binc 100");
    let used = begun.elapsed();
    assert!(used > Duration::from_millis(200), "{used:?}");
    assert!(used < Duration::from_secs(4), "{used:?}");
}
