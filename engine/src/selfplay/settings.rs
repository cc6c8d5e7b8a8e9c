//! Every number that shapes self-play, as jobs carry them.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Trees of so many visits are as large as memory can be.
const MOST_VISITS: u32 = 10_000_000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Visits of a full search, those of earlier moves included where the tree
    /// is kept.
    pub visits: u32,
    /// Most moves get a short search and no place in training.
    pub playout_cap: Option<PlayoutCap>,
    /// PUCT: exploration, and how it grows with the parent's visits.
    pub cpuct: f32,
    pub cpuct_base: f32,
    pub cpuct_factor: f32,
    /// How much worse than its parent an unvisited move is taken to be, times
    /// the root of the policy visited; at the root 0.
    pub fpu_reduction: f32,
    pub policy_temperature: f32,
    /// Keep what earlier searches know of the position.
    pub reuse_tree: bool,
    pub noise: Noise,
    pub temperature: Temperature,
    /// KataGo's k: a root move with a prior gets at least the root of k times
    /// prior times visits; 0 is off. The target is cleared of these visits.
    pub forced_playouts: f32,
    /// Chooses among root moves by sequential halving instead of PUCT.
    pub gumbel: Option<Gumbel>,
    /// Search-contempt: visits after which the opponent's replies are drawn from
    /// the visits they had by then; 0 is off.
    pub contempt_freeze: u32,
    /// Ends a search that has ceased to learn.
    pub kld_stop: Option<KldStop>,
    pub resign: Option<Resign>,
    pub adjudicate: Adjudicate,
}

/// KataGo's playout-cap randomization.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayoutCap {
    /// Share of moves with a full search.
    pub full_share: f32,
    pub cheap_visits: u32,
}

/// Dirichlet noise at the root of full searches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Noise {
    /// Its share of the priors; 0 is off.
    pub epsilon: f32,
    pub alpha: f32,
    /// Alpha is divided by the number of moves and multiplied by this, so that
    /// few moves get even noise and many a spiky one; 0 takes alpha as it is.
    pub per_moves: f32,
}

/// How far moves are drawn by visits instead of the best being played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Temperature {
    pub start: f32,
    /// Plies of the game that have the temperature of the start.
    pub plies: u32,
    /// Plies in which it halves after that; 0: it falls to `end` at once.
    pub half_life: f32,
    /// It never falls below this.
    pub end: f32,
    /// Moves whose value is this much below that of the move with the most visits
    /// are never drawn.
    pub value_cutoff: f32,
}

/// Gumbel root selection with sequential halving and completed values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gumbel {
    /// Root moves that are looked at.
    pub considered: u32,
    /// How much values count against priors, at first and per visit.
    pub visit_offset: f32,
    pub value_scale: f32,
}

/// Stops when the visits' distribution has moved less than `gain` nats per
/// visit over the last `interval` visits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KldStop {
    pub interval: u32,
    pub gain: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resign {
    /// A side resigns when it expects less than minus this, -1 to 1,
    pub value: f32,
    /// on so many of its moves in a row.
    pub moves: u32,
    /// Share of games that are played on, to learn how often that is wrong.
    pub play_on: f32,
}

/// Ends that nobody needs to see.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Adjudicate {
    pub win: Option<Verdict>,
    pub draw: Option<Verdict>,
    /// Plies after which a game is a draw; 0 for no limit.
    pub max_plies: u32,
    /// Whether tablebases decide; the engine must have some.
    pub tablebase: bool,
}

/// Both sides agree for a while. The limit moves from `value` at `from_ply` to
/// `final_value` at `to_ply`, so that long games end more easily.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Of a win: at least this; of a draw: at most this.
    pub value: f32,
    pub plies: u32,
    #[serde(default)]
    pub from_ply: u32,
    #[serde(default)]
    pub to_ply: u32,
    #[serde(default)]
    pub final_value: Option<f32>,
}

impl Verdict {
    /// The limit at a ply of the game; `None` before `from_ply`.
    pub fn limit(&self, ply: u32) -> Option<f32> {
        if ply < self.from_ply {
            return None;
        }
        let last = self.final_value.unwrap_or(self.value);
        let span = self.to_ply.saturating_sub(self.from_ply);
        let gone = if span == 0 { 1.0 } else { (ply - self.from_ply) as f32 / span as f32 };
        Some(self.value + (last - self.value) * gone.min(1.0))
    }
}

impl Temperature {
    pub fn at(&self, ply: u32) -> f32 {
        if ply < self.plies {
            return self.start;
        }
        if self.half_life <= 0.0 {
            return self.end;
        }
        let halvings = (ply - self.plies) as f32 / self.half_life;
        (self.start * 0.5_f32.powf(halvings)).max(self.end)
    }
}

impl Noise {
    pub fn alpha_for(&self, moves: usize) -> f32 {
        match self.per_moves > 0.0 {
            true => self.alpha * self.per_moves / moves.max(1) as f32,
            false => self.alpha,
        }
    }
}

impl Default for Noise {
    fn default() -> Noise {
        Noise { epsilon: 0.25, alpha: 0.3, per_moves: 0.0 }
    }
}

impl Default for Temperature {
    fn default() -> Temperature {
        Temperature { start: 1.0, plies: 30, half_life: 0.0, end: 0.0, value_cutoff: 2.0 }
    }
}

impl Default for Gumbel {
    fn default() -> Gumbel {
        Gumbel { considered: 16, visit_offset: 50.0, value_scale: 1.0 }
    }
}

impl Default for Adjudicate {
    fn default() -> Adjudicate {
        Adjudicate { win: None, draw: None, max_plies: 512, tablebase: false }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            visits: 64,
            playout_cap: None,
            cpuct: 1.5,
            cpuct_base: 19652.0,
            cpuct_factor: 1.0,
            fpu_reduction: 0.2,
            policy_temperature: 1.0,
            reuse_tree: true,
            noise: Noise::default(),
            temperature: Temperature::default(),
            forced_playouts: 0.0,
            gumbel: None,
            contempt_freeze: 0,
            kld_stop: None,
            resign: None,
            adjudicate: Adjudicate::default(),
        }
    }
}

impl Settings {
    /// SHA-256 of the settings as JSON, in hexadecimal: it names them in reports.
    pub fn hash(&self) -> String {
        let json = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(&json).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Everything that cannot work, in words.
    pub fn problems(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut demand = |holds: bool, text: &str| {
            if !holds {
                found.push(text.to_string());
            }
        };
        let share = |x: f32| (0.0..=1.0).contains(&x);
        let sound = |x: f32| x.is_finite() && x >= 0.0;
        let fits = (1..=MOST_VISITS).contains(&self.visits);
        demand(fits, &format!("visits must be 1 to {MOST_VISITS}"));
        if let Some(cap) = &self.playout_cap {
            demand(share(cap.full_share), "playout_cap.full_share is a share, 0 to 1");
            demand(cap.cheap_visits >= 1, "playout_cap.cheap_visits must be at least 1");
            demand(cap.cheap_visits <= self.visits, "playout_cap.cheap_visits is above visits");
        }
        demand(sound(self.cpuct), "cpuct must be 0 or more");
        demand(self.cpuct_base >= 1.0 && self.cpuct_base.is_finite(), "cpuct_base is below 1");
        demand(sound(self.cpuct_factor), "cpuct_factor must be 0 or more");
        demand(self.fpu_reduction.is_finite(), "fpu_reduction is no number");
        let warm = self.policy_temperature;
        demand(warm > 0.0 && warm.is_finite(), "policy_temperature must be above 0");
        demand(share(self.noise.epsilon), "noise.epsilon is a share, 0 to 1");
        demand(self.noise.alpha > 0.0, "noise.alpha must be above 0");
        let largest = self.noise.alpha_for(1);
        demand(largest.is_finite() && self.noise.alpha.is_finite(), "noise.alpha is no number");
        demand(sound(self.noise.per_moves), "noise.per_moves must be 0 or more");
        let t = &self.temperature;
        for (name, x) in [
            ("temperature.start", t.start),
            ("temperature.half_life", t.half_life),
            ("temperature.end", t.end),
            ("temperature.value_cutoff", t.value_cutoff),
        ] {
            demand(sound(x), &format!("{name} must be 0 or more"));
        }
        demand(sound(self.forced_playouts), "forced_playouts must be 0 or more");
        if let Some(gumbel) = &self.gumbel {
            demand(gumbel.considered >= 2, "gumbel.considered must be at least 2");
            demand(sound(gumbel.visit_offset), "gumbel.visit_offset must be 0 or more");
            demand(sound(gumbel.value_scale), "gumbel.value_scale must be 0 or more");
            demand(self.forced_playouts == 0.0, "forced_playouts belong to PUCT, not to gumbel");
            demand(self.kld_stop.is_none(), "kld_stop belongs to PUCT, not to gumbel");
            // Its targets improve on the priors: flattened ones would flatten the
            // network, generation after generation.
            demand(warm == 1.0, "policy_temperature belongs to PUCT, not to gumbel");
        }
        if let Some(stop) = &self.kld_stop {
            demand(stop.interval >= 1, "kld_stop.interval must be at least 1");
            demand(sound(stop.gain), "kld_stop.gain must be 0 or more");
        }
        if let Some(resign) = &self.resign {
            demand(share(resign.value), "resign.value is between 0 and 1");
            demand(resign.moves >= 1, "resign.moves must be at least 1");
            demand(share(resign.play_on), "resign.play_on is a share, 0 to 1");
        }
        let Adjudicate { win, draw, .. } = &self.adjudicate;
        for (name, verdict) in [("win", win), ("draw", draw)] {
            let Some(verdict) = verdict else { continue };
            let last = verdict.final_value.unwrap_or(verdict.value);
            let fits = share(verdict.value) && share(last);
            demand(fits, &format!("adjudicate.{name}: values are between 0 and 1"));
            // One ply is one side's word alone.
            demand(verdict.plies >= 2, &format!("adjudicate.{name}.plies must be at least 2"));
            let arrives = verdict.final_value.is_none() || verdict.to_ply > verdict.from_ply;
            demand(
                arrives,
                &format!("adjudicate.{name}: final_value needs a to_ply after from_ply"),
            );
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperature_falls_by_half_lives_to_its_end() {
        let falling =
            Temperature { start: 1.0, plies: 10, half_life: 20.0, end: 0.1, value_cutoff: 2.0 };
        let close = |ply, wanted: f32| assert!((falling.at(ply) - wanted).abs() < 1e-6, "{ply}");
        close(0, 1.0);
        close(9, 1.0);
        close(30, 0.5);
        close(50, 0.25);
        close(500, 0.1);
        assert_eq!(Temperature { half_life: 0.0, end: 0.0, ..falling }.at(10), 0.0);
    }

    #[test]
    fn noise_is_shaped_by_the_number_of_moves() {
        let noise = Noise { epsilon: 0.25, alpha: 0.3, per_moves: 20.0 };
        assert!((noise.alpha_for(20) - 0.3).abs() < 1e-6);
        assert!((noise.alpha_for(40) - 0.15).abs() < 1e-6);
        assert_eq!(Noise { per_moves: 0.0, ..noise }.alpha_for(40), 0.3);
    }

    #[test]
    fn verdicts_grow_lenient() {
        let verdict =
            Verdict { value: 0.9, plies: 4, from_ply: 100, to_ply: 200, final_value: Some(0.5) };
        assert_eq!(verdict.limit(99), None);
        assert_eq!(verdict.limit(100), Some(0.9));
        assert!((verdict.limit(150).unwrap() - 0.7).abs() < 1e-6);
        assert!((verdict.limit(300).unwrap() - 0.5).abs() < 1e-6);
    }

    #[test]
    fn all_problems_are_told_at_once() {
        assert!(Settings::default().problems().is_empty());
        let bad = Settings {
            visits: 0,
            cpuct: f32::NAN,
            gumbel: Some(Gumbel { considered: 1, ..Gumbel::default() }),
            forced_playouts: 2.0,
            policy_temperature: 1.5,
            resign: Some(Resign { value: 2.0, moves: 0, play_on: 0.1 }),
            adjudicate: Adjudicate {
                win: Some(Verdict {
                    value: 0.9,
                    plies: 1,
                    from_ply: 40,
                    to_ply: 40,
                    final_value: Some(0.5),
                }),
                ..Adjudicate::default()
            },
            ..Settings::default()
        };
        let told = bad.problems().join("; ");
        for part in [
            "visits",
            "cpuct",
            "considered",
            "forced_playouts",
            "policy_temperature",
            "resign.value",
            "win.plies",
            "final_value",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }

    #[test]
    fn numbers_that_would_never_end_are_refused() {
        let infinite = Noise { alpha: f32::INFINITY, ..Noise::default() };
        let product = Noise { alpha: f32::MAX, per_moves: 10.0, ..Noise::default() };
        for noise in [infinite, product] {
            let told = Settings { noise, ..Settings::default() }.problems();
            assert_eq!(told, ["noise.alpha is no number"]);
        }
        let told = Settings { visits: u32::MAX, ..Settings::default() }.problems();
        assert_eq!(told, ["visits must be 1 to 10000000"]);
    }

    #[test]
    fn unknown_keys_are_refused_and_missing_ones_are_defaults() {
        let read = |text| serde_json::from_str::<Settings>(text);
        assert_eq!(read("{}").unwrap(), Settings::default());
        assert_eq!(read(r#"{"visits": 9}"#).unwrap().visits, 9);
        assert!(read(r#"{"visit": 9}"#).is_err());
        assert!(read(r#"{"gumbel": {"considered": 8}}"#).unwrap().gumbel.is_some());
        // One key of a group leaves the others as they are.
        let limited = read(r#"{"adjudicate": {"tablebase": true}}"#).unwrap().adjudicate;
        assert_eq!((limited.tablebase, limited.max_plies), (true, 512));
    }
}
