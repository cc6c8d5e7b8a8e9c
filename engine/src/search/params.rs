//! Every number that shapes the search, resolved from the options.

/// PUCT's exploration constant, which grows slowly with the parent's visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cpuct {
    pub init: f32,
    pub base: f32,
    pub factor: f32,
}

impl Cpuct {
    pub fn at(&self, visits: u32) -> f32 {
        self.init + self.factor * ((visits as f32 + self.base) / self.base).ln()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    pub cpuct: Cpuct,
    pub cpuct_root: Cpuct,
    /// Value of an unvisited move: the parent's, less this times the square
    /// root of the policy already visited.
    pub fpu_reduction: f32,
    pub fpu_reduction_root: f32,
    pub policy_temperature: f32,
    /// Share of Dirichlet noise in the root's priors; 0 is none.
    pub noise_epsilon: f32,
    pub noise_alpha: f32,
    /// Temperature of the final choice by visits; 0 plays the best move.
    pub move_temperature: f32,
    /// Game ply from which `move_temperature` is 0.
    pub temperature_plies: u32,
    /// Stop when no rival can catch up within remaining visits / this; 0: never.
    pub smart_pruning: f32,
    /// Search-contempt: visits after which replies at odd depths are drawn from
    /// the frozen visit distribution; 0 is off.
    pub contempt_freeze: u32,
    /// What a draw costs the side to move at the root when it is winning.
    pub contempt: f32,
    /// Extra exploration of moves whose outcome is uncertain.
    pub uncertainty_bonus: f32,
    /// How far drawn siblings lift the value of unvisited moves.
    pub draw_sibling_fpu: f32,
    /// How much exploration depends on the spread of the values found.
    pub spread_scale: f32,
    /// Part of a value that is gone when the fifty-move clock has run out.
    pub clock_damping: f32,
    pub seed: u64,
}

/// The spread at which exploration stays as it is, and how many visits it is
/// worth where few were made.
const USUAL_SPREAD: f32 = 0.3;
const USUAL_VISITS: f32 = 4.0;

impl Params {
    /// Factor of exploration at a node whose values have this variance: where all
    /// lines come to the same, a closer look at the best pays; where they do not,
    /// a look at others.
    pub fn spread_factor(&self, variance: f32, visits: u32) -> f32 {
        if self.spread_scale == 0.0 {
            return 1.0;
        }
        let visits = visits as f32;
        let usual = USUAL_SPREAD * USUAL_SPREAD * USUAL_VISITS;
        let spread = ((usual + variance * visits) / (USUAL_VISITS + visits)).sqrt();
        1.0 + self.spread_scale * (spread / USUAL_SPREAD - 1.0)
    }

    /// What the fifty-move clock leaves of a value after so many plies.
    pub fn fresh(&self, clock: u32) -> f32 {
        1.0 - self.clock_damping * (clock.min(100) as f32 / 100.0)
    }
}

impl Default for Params {
    /// lc0's values, tuned by its users over years.
    fn default() -> Params {
        let cpuct = Cpuct { init: 1.745, base: 38739.0, factor: 3.894 };
        Params {
            cpuct,
            cpuct_root: cpuct,
            fpu_reduction: 0.33,
            fpu_reduction_root: 0.33,
            policy_temperature: 1.359,
            noise_epsilon: 0.0,
            noise_alpha: 0.3,
            move_temperature: 0.0,
            temperature_plies: 30,
            smart_pruning: 1.33,
            contempt_freeze: 0,
            contempt: 0.0,
            uncertainty_bonus: 0.0,
            draw_sibling_fpu: 0.0,
            spread_scale: 0.0,
            clock_damping: 0.5,
            seed: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploration_follows_the_spread_once_there_are_visits() {
        let params = Params { spread_scale: 0.5, ..Params::default() };
        let factor = |spread: f32, visits| params.spread_factor(spread * spread, visits);
        assert!((factor(USUAL_SPREAD, 1000) - 1.0).abs() < 1e-4);
        assert!((factor(2.0 * USUAL_SPREAD, 100_000) - 1.5).abs() < 1e-3);
        assert!((factor(0.0, 100_000) - 0.5).abs() < 1e-2);
        // One visit says little.
        assert!(factor(0.0, 1) > 0.9);
        let off = Params { spread_scale: 0.0, ..params.clone() };
        assert_eq!(off.spread_factor(0.5, 1000), 1.0);
    }
}
