//! How long to think: limits from `go` in, a [`Plan`] out.
//!
//! The plan has a soft end, which a settled search may undercut and a restless
//! one may overrun, and a hard end, which nothing overruns. Both leave the
//! communication overhead *and* the measured reaction time of the search in
//! hand: a batch under way cannot be interrupted.

mod limits;

pub use limits::{Clock, Limits};

use std::time::Duration;

/// Moves a game without `movestogo` is assumed to go on for. Most games are
/// decided in the first half, and time that is left at the end is lost; without
/// an increment a long game must still be paid for.
const HORIZON: f64 = 18.0;
const HORIZON_WITHOUT_INCREMENT: f64 = 28.0;
/// Moves for which the cost beside thinking is put by.
const LONG_GAME: f64 = 80.0;
/// Share of the increment that is spent at once.
const INCREMENT_SHARE: f64 = 0.9;
/// The hard end, as a multiple of the soft one.
const STRETCH: f64 = 3.0;
/// Never plan to use more than this share of the clock for one move.
const LARGEST_SHARE: f64 = 0.35;

/// When a search must end, measured from `go` (or `ponderhit`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    pub soft: Duration,
    pub hard: Duration,
}

/// Time that is not for thinking.
#[derive(Clone, Copy, Debug)]
pub struct Reserve {
    /// The user's `Move Overhead`: GUI, network, operating system.
    pub overhead: Duration,
    /// How late the search reacts to a deadline, as measured so far.
    pub reaction: Duration,
}

impl Reserve {
    fn total(&self) -> f64 {
        (self.overhead + self.reaction).as_secs_f64()
    }

    /// `Move Overhead` is meant for the worst case; most moves cost far less.
    fn usual(&self) -> f64 {
        self.overhead.as_secs_f64() / 8.0 + self.reaction.as_secs_f64()
    }
}

/// The plan for this move; `None` when the clock does not limit it.
pub fn plan(limits: &Limits, white_to_move: bool, reserve: Reserve) -> Option<Plan> {
    let fixed = limits.movetime.map(|time| {
        let end = seconds(time.as_secs_f64() - reserve.total());
        Plan { soft: end, hard: end }
    });
    let clock = limits.clock(white_to_move).map(|clock| on_clock(clock, limits.movestogo, reserve));
    match (fixed, clock) {
        (Some(a), Some(b)) => Some(Plan { soft: a.soft.min(b.soft), hard: a.hard.min(b.hard) }),
        (a, b) => a.or(b),
    }
}

fn on_clock(clock: Clock, movestogo: Option<u32>, reserve: Reserve) -> Plan {
    let increment = clock.increment.as_secs_f64();
    let left = (clock.left.as_secs_f64() - reserve.total()).max(0.0);
    let horizon = if increment > 0.0 { HORIZON } else { HORIZON_WITHOUT_INCREMENT };
    let moves = movestogo.map_or(horizon, |n| f64::from(n.clamp(1, 50)));
    // Each later move costs more than its thinking, or many short moves would
    // eat the clock up bit by bit. Up to a time control the whole reserve is
    // put by for each; on an open end the usual cost of a long game, as the
    // plan shrinks with the clock anyway.
    let (cost, later_moves) = match movestogo {
        Some(_) => (reserve.total(), moves - 1.0),
        None => (reserve.usual(), LONG_GAME),
    };
    let later = later_moves * (cost - increment).max(0.0);
    let usable = (left - later).max(left * 0.05);
    let share = usable / moves + INCREMENT_SHARE * (increment - cost).max(0.0);
    // With the last move before the time control everything but the reserve
    // may go; otherwise a share, so that no single move ruins the game.
    let cap = if movestogo == Some(1) { left * 0.9 } else { usable * LARGEST_SHARE };
    let soft = share.min(cap);
    Plan { soft: seconds(soft), hard: seconds((soft * STRETCH).min(cap)) }
}

/// Anything below zero is "at once".
fn seconds(x: f64) -> Duration {
    Duration::try_from_secs_f64(x.max(0.0)).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESERVE: Reserve =
        Reserve { overhead: Duration::from_millis(30), reaction: Duration::from_millis(10) };

    fn clock_ms(left: u64, increment: u64, movestogo: Option<u32>) -> Plan {
        let limits = Limits {
            white: Some(Duration::from_millis(left)),
            white_increment: Duration::from_millis(increment),
            movestogo,
            ..Limits::default()
        };
        plan(&limits, true, RESERVE).unwrap()
    }

    /// Plays out a clock that loses `lag` beyond the hard end on every move.
    fn survives(start: u64, increment: u64, lag: u64, movestogo: Option<u32>) -> bool {
        let mut left = start as i64;
        let mut to_go = movestogo;
        for _ in 0..300 {
            let used = clock_ms(left as u64, increment, to_go).hard.as_millis() as i64 + lag as i64;
            left -= used;
            if left <= 0 {
                return false;
            }
            left += increment as i64;
            if let Some(n) = &mut to_go {
                *n -= 1;
                if *n == 0 {
                    (left, to_go) = (left + start as i64, movestogo);
                }
            }
        }
        true
    }

    #[test]
    fn no_clock_runs_out_when_every_move_takes_its_hard_end() {
        assert!(survives(1000, 10, 9, None));
        assert!(survives(10_000, 100, 40, None));
        assert!(survives(60_000, 600, 40, None));
        assert!(survives(60_000, 0, 35, Some(40)));
        assert!(survives(60_000, 0, 3, None));
        assert!(survives(100, 10, 9, None));
    }

    #[test]
    fn usual_clocks_give_usual_times() {
        let blitz = clock_ms(180_000, 2_000, None);
        assert!((5.0..12.0).contains(&blitz.soft.as_secs_f64()), "{blitz:?}");
        let last = clock_ms(10_000, 0, Some(1));
        assert!(last.soft.as_secs_f64() > 8.0 && last.hard.as_secs_f64() < 9.9, "{last:?}");
    }

    #[test]
    fn short_games_still_leave_time_to_think() {
        let bullet = clock_ms(500, 10, None);
        assert!(bullet.soft >= Duration::from_millis(5), "{bullet:?}");
        let lightning = clock_ms(1000, 10, None);
        assert!(lightning.soft >= Duration::from_millis(20), "{lightning:?}");
    }

    #[test]
    fn movetime_leaves_the_reserve() {
        let limits = Limits { movetime: Some(Duration::from_millis(100)), ..Limits::default() };
        assert_eq!(plan(&limits, true, RESERVE).unwrap().hard, Duration::from_millis(60));
        let hopeless = Limits { movetime: Some(Duration::from_millis(1)), ..Limits::default() };
        assert_eq!(plan(&hopeless, true, RESERVE).unwrap().hard, Duration::ZERO);
        assert_eq!(plan(&Limits::default(), true, RESERVE), None);
    }

    #[test]
    fn the_own_clock_counts_and_a_missing_one_does_not() {
        let limits = Limits { white: Some(Duration::from_millis(100)), ..Limits::default() };
        assert!(plan(&limits, true, RESERVE).is_some());
        // Only the opponent's clock is known: think as if it were ours.
        assert!(plan(&limits, false, RESERVE).is_some());
    }
}
