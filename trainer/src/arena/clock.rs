//! The clocks of one game.

use crate::players::TimeControl;
use crate::uci::{Clocks, Limit};
use shakmaty::{ByColor, Color};
use std::time::Duration;

pub struct Clock {
    sides: ByColor<Side>,
    /// Overstepping that is forgiven: the way through pipes is not the player's.
    margin: Duration,
}

struct Side {
    control: TimeControl,
    left: Duration,
    made: u32,
}

impl Clock {
    pub fn new(controls: ByColor<TimeControl>, margin: Duration) -> Clock {
        let side = |control| {
            let left = match control {
                TimeControl::Clock { base, .. } => base,
                _ => Duration::ZERO,
            };
            Side { control, left, made: 0 }
        };
        Clock { sides: controls.map(side), margin }
    }

    /// What the side to move is told.
    pub fn limit(&self, mover: Color) -> Limit {
        let us = &self.sides[mover];
        match us.control {
            TimeControl::MoveTime(time) => Limit::MoveTime(time),
            TimeControl::Nodes(nodes) => Limit::Nodes(nodes),
            TimeControl::Depth(depth) => Limit::Depth(depth),
            TimeControl::Clock { moves, .. } => {
                // An opponent without a clock is shown with ours.
                let shown = |color: Color| match &self.sides[color] {
                    Side { control: TimeControl::Clock { increment, .. }, left, .. } => {
                        (*left, *increment)
                    }
                    _ => (us.left, Duration::ZERO),
                };
                let ((white, white_increment), (black, black_increment)) =
                    (shown(Color::White), shown(Color::Black));
                let moves_to_go = moves.map(|moves| moves - us.made % moves);
                let clocks = Clocks { white, black, white_increment, black_increment, moves_to_go };
                Limit::Clock(clocks)
            }
        }
    }

    /// What the side has for its next move, and for all of those to come.
    pub fn left(&self, mover: Color) -> Duration {
        match self.sides[mover].control {
            TimeControl::MoveTime(time) => time,
            _ => self.sides[mover].left,
        }
    }

    /// Takes the time of a move; false when it was too much.
    pub fn spend(&mut self, mover: Color, time: Duration) -> bool {
        let side = &mut self.sides[mover];
        match side.control {
            TimeControl::Nodes(_) | TimeControl::Depth(_) => true,
            TimeControl::MoveTime(allowed) => time <= allowed + self.margin,
            TimeControl::Clock { moves, base, increment } => {
                let in_time = time <= side.left + self.margin;
                side.made += 1;
                side.left = side.left.saturating_sub(time) + increment;
                if moves.is_some_and(|moves| side.made.is_multiple_of(moves)) {
                    side.left += base;
                }
                in_time
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn clock(white: &str, black: &str) -> Clock {
        let controls = ByColor { white: white.parse().unwrap(), black: black.parse().unwrap() };
        Clock::new(controls, 10 * MS)
    }

    fn shown(clock: &Clock, mover: Color) -> Clocks {
        match clock.limit(mover) {
            Limit::Clock(clocks) => clocks,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn time_runs_and_increments_are_added() {
        let mut clock = clock("1+0.1", "2");
        assert!(clock.spend(Color::White, 300 * MS));
        assert!(clock.spend(Color::Black, 500 * MS));
        let clocks = shown(&clock, Color::White);
        assert_eq!((clocks.white, clocks.black), (800 * MS, 1500 * MS));
        assert_eq!((clocks.white_increment, clocks.black_increment), (100 * MS, Duration::ZERO));
    }

    #[test]
    fn the_flag_falls_behind_the_margin() {
        let mut clock = clock("1", "movetime=0.1");
        assert!(clock.spend(Color::White, 1009 * MS));
        // Nothing is left, and the margin is not lent twice.
        assert!(!clock.spend(Color::White, 11 * MS));
        assert!(clock.spend(Color::Black, 105 * MS));
        assert!(!clock.spend(Color::Black, 111 * MS));
    }

    #[test]
    fn a_session_of_moves_brings_new_time() {
        let mut clock = clock("2/1", "nodes=5");
        assert_eq!(shown(&clock, Color::White).moves_to_go, Some(2));
        clock.spend(Color::White, 400 * MS);
        assert_eq!(shown(&clock, Color::White).moves_to_go, Some(1));
        clock.spend(Color::White, 400 * MS);
        let clocks = shown(&clock, Color::White);
        assert_eq!((clocks.white, clocks.moves_to_go), (1200 * MS, Some(2)));
        assert_eq!(clocks.black, clocks.white);
        assert_eq!(clock.limit(Color::Black), Limit::Nodes(5));
        assert!(clock.spend(Color::Black, Duration::from_secs(99)));
    }
}
