//! The learning rate of each step.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleSettings {
    pub learning_rate: f64,
    pub warmup: u64,
    pub decay: Decay,
    pub final_ratio: f64,
    pub drops: Vec<Drop>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decay {
    Cosine,
    Constant,
    Steps,
}

/// From step `at` on, the rate is `factor` times what it was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drop {
    pub at: u64,
    pub factor: f64,
}

impl ScheduleSettings {
    /// The rate of a step, counted from 0, in a run of `total` steps. Grows
    /// linearly to the full rate, which the last step of the warm-up has; the
    /// cosine reaches its end with the last step of the run.
    pub fn rate(&self, step: u64, total: u64) -> f64 {
        if step < self.warmup {
            return self.learning_rate * (step + 1) as f64 / self.warmup as f64;
        }
        let factor = match self.decay {
            Decay::Constant => 1.0,
            Decay::Cosine => {
                let length = total.saturating_sub(self.warmup + 1).max(1);
                let done = ((step - self.warmup) as f64 / length as f64).min(1.0);
                let wave = (1.0 + (std::f64::consts::PI * done).cos()) / 2.0;
                self.final_ratio + (1.0 - self.final_ratio) * wave
            }
            Decay::Steps => {
                self.drops.iter().filter(|drop| drop.at <= step).map(|drop| drop.factor).product()
            }
        };
        self.learning_rate * factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(decay: Decay) -> ScheduleSettings {
        let drops = vec![Drop { at: 50, factor: 0.1 }, Drop { at: 80, factor: 0.5 }];
        ScheduleSettings { learning_rate: 0.2, warmup: 10, decay, final_ratio: 0.1, drops }
    }

    #[track_caller]
    fn close(left: f64, right: f64) {
        assert!((left - right).abs() < 1e-12, "{left} is not {right}");
    }

    #[test]
    fn warm_up_is_linear_and_never_zero() {
        for decay in [Decay::Cosine, Decay::Constant, Decay::Steps] {
            let schedule = schedule(decay);
            close(schedule.rate(0, 101), 0.02);
            close(schedule.rate(4, 101), 0.1);
            close(schedule.rate(9, 101), 0.2);
            close(schedule.rate(10, 101), 0.2);
        }
    }

    #[test]
    fn the_cosine_ends_with_the_last_step() {
        let schedule = schedule(Decay::Cosine);
        close(schedule.rate(55, 101), 0.2 * (0.1 + 0.9 * 0.5));
        close(schedule.rate(100, 101), 0.02);
        close(schedule.rate(5000, 101), 0.02);
        let falls = |step| schedule.rate(step + 1, 101) < schedule.rate(step, 101);
        assert!((10..100).all(falls));
    }

    #[test]
    fn drops_multiply() {
        let schedule = schedule(Decay::Steps);
        close(schedule.rate(49, 100), 0.2);
        close(schedule.rate(50, 100), 0.02);
        close(schedule.rate(80, 100), 0.01);
        close(super::tests::schedule(Decay::Constant).rate(80, 100), 0.2);
    }

    #[test]
    fn no_run_is_too_short() {
        let mut schedule = schedule(Decay::Cosine);
        for (warmup, total) in [(0, 1), (0, 2), (10, 10), (10, 3), (10, 11)] {
            schedule.warmup = warmup;
            assert!((0..total).all(|step| schedule.rate(step, total) > 0.0), "{warmup} {total}");
        }
    }
}
