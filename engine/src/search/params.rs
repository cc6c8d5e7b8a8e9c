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
    pub seed: u64,
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
            seed: 0,
        }
    }
}
