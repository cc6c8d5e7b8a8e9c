//! Options as the engine uses them: typed, resolved, comparable.

use std::path::PathBuf;
use std::time::Duration;

use super::table::Id;
use super::values::Values;
use crate::encode::Encoder;
use crate::eval::{Backend, Network, TunedFor};
use crate::search::{Cpuct, Params};

/// Which network to load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NetChoice {
    /// The default network, wherever it is found.
    #[default]
    Auto,
    File(PathBuf),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub net: NetChoice,
    pub backend: Backend,
    pub runtime_library: Option<PathBuf>,
    pub device: i32,
    pub fp16: bool,
    /// 0: as many as fit the machine.
    pub threads: usize,
    /// 0: measured.
    pub batch: usize,
    pub hash_mb: usize,
    /// Positions that the key of a cached evaluation covers.
    pub cache_history: usize,
    pub multipv: usize,
    pub overhead: Duration,
    pub syzygy_path: String,
    pub chess960: bool,
    pub show_wdl: bool,
    pub verbose: bool,
    pub log_file: Option<PathBuf>,
    values: Values,
}

impl Settings {
    pub fn new(values: &Values) -> Settings {
        let path = |id| Some(values.text(id)).filter(|t| !t.is_empty()).map(PathBuf::from);
        let count = |id| usize::try_from(values.number(id)).unwrap_or(0);
        Settings {
            net: match path(Id::Net) {
                Some(file) if file.as_os_str() != "<auto>" => NetChoice::File(file),
                _ => NetChoice::Auto,
            },
            backend: values.text(Id::Backend).parse().unwrap_or_default(),
            runtime_library: path(Id::RuntimeLibrary),
            device: values.number(Id::Device) as i32,
            fp16: values.flag(Id::Fp16),
            threads: count(Id::Threads),
            batch: count(Id::Batch),
            hash_mb: count(Id::Hash).max(1),
            cache_history: count(Id::CacheHistory),
            multipv: count(Id::MultiPv).max(1),
            overhead: Duration::from_millis(count(Id::MoveOverhead) as u64),
            syzygy_path: values.text(Id::SyzygyPath),
            chess960: values.flag(Id::Chess960),
            show_wdl: values.flag(Id::ShowWdl),
            verbose: values.flag(Id::VerboseMoveStats),
            log_file: path(Id::LogFile),
            values: values.clone(),
        }
    }

    pub fn seed(&self) -> u64 {
        self.values.number(Id::Seed) as u64
    }

    /// Threads to search with: as set, or all cores.
    pub fn threads_or_cores(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        }
    }

    /// Search parameters: what the user set, else what suits the network.
    pub fn params(&self, network: Option<&Network>) -> Params {
        let base = defaults_for(network);
        let values = &self.values;
        let or = |id, default| values.decimal(id).unwrap_or(default);
        let cpuct = Cpuct {
            init: or(Id::CPuct, base.cpuct.init),
            base: or(Id::CPuctBase, base.cpuct.base),
            factor: or(Id::CPuctFactor, base.cpuct.factor),
        };
        // A tuned root belongs to a tuned tree: who sets one sets both.
        let at_root = or(Id::CPuct, base.cpuct_root.init);
        let fpu_reduction = or(Id::FpuReduction, base.fpu_reduction);
        let playing = !values.flag(Id::AnalyseMode);
        let in_games = |x: f32| if playing { x } else { 0.0 };
        Params {
            cpuct,
            cpuct_root: Cpuct {
                init: or(Id::CPuctAtRoot, at_root),
                base: or(Id::CPuctBaseAtRoot, cpuct.base),
                factor: or(Id::CPuctFactorAtRoot, cpuct.factor),
            },
            fpu_reduction,
            fpu_reduction_root: or(Id::FpuReductionAtRoot, fpu_reduction),
            policy_temperature: or(Id::PolicyTemperature, base.policy_temperature),
            noise_epsilon: or(Id::NoiseEpsilon, base.noise_epsilon),
            noise_alpha: or(Id::NoiseAlpha, base.noise_alpha),
            move_temperature: in_games(or(Id::Temperature, base.move_temperature)),
            temperature_plies: values.number(Id::TemperaturePlies) as u32,
            smart_pruning: or(Id::SmartPruning, base.smart_pruning),
            contempt_freeze: values.number(Id::SearchContempt) as u32,
            contempt: in_games(or(Id::Contempt, base.contempt)),
            uncertainty_bonus: or(Id::UncertaintyBonus, base.uncertainty_bonus),
            draw_sibling_fpu: or(Id::DrawSiblingFpu, base.draw_sibling_fpu),
            spread_scale: or(Id::CPuctSpread, base.spread_scale),
            clock_damping: or(Id::ClockDamping, base.clock_damping),
            seed: self.seed(),
        }
    }
}

/// lc0's tuning for lc0's networks. For ours the same, except that the policy
/// is trusted as it is, and that exploration follows the spread of values: +21
/// Elo (-2 to +44) over 480 games of the default networks at 2,500 nodes. What
/// the network says of itself counts over both.
fn defaults_for(network: Option<&Network>) -> Params {
    let mut params = Params::default();
    let Some(network) = network else { return params };
    if network.layout.encoder != Encoder::Lc0 {
        params.policy_temperature = 1.0;
        params.spread_scale = 0.8;
    }
    let TunedFor { policy_temperature, cpuct, cpuct_at_root, fpu_reduction } = network.tuned_for;
    params.policy_temperature = policy_temperature.unwrap_or(params.policy_temperature);
    params.cpuct.init = cpuct.unwrap_or(params.cpuct.init);
    params.cpuct_root.init = cpuct_at_root.unwrap_or(params.cpuct.init);
    params.fpu_reduction = fpu_reduction.unwrap_or(params.fpu_reduction);
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_follows_the_tree_unless_set_apart() {
        let mut values = Values::default();
        values.set("CPuct", "2.5").unwrap();
        values.set("CPuctFactorAtRoot", "1").unwrap();
        let params = Settings::new(&values).params(None);
        assert_eq!(params.cpuct.init, 2.5);
        assert_eq!(params.cpuct_root.init, 2.5);
        assert_eq!(params.cpuct_root.factor, 1.0);
        assert_eq!(params.cpuct.factor, Params::default().cpuct.factor);
    }

    #[test]
    fn a_network_tunes_its_root_until_the_user_speaks() {
        let bytes = crate::onnx::random_network(&Default::default());
        let mut network = Network::from_bytes("tuned.onnx", bytes).unwrap();
        let roots = |settings: &[(&str, &str)], network: &Network| {
            let mut values = Values::default();
            for (name, value) in settings {
                values.set(name, value).unwrap();
            }
            let params = Settings::new(&values).params(Some(network));
            (params.cpuct.init, params.cpuct_root.init)
        };
        network.tuned_for.cpuct = Some(1.5);
        assert_eq!(roots(&[], &network), (1.5, 1.5));
        network.tuned_for.cpuct_at_root = Some(4.0);
        assert_eq!(roots(&[], &network), (1.5, 4.0));
        assert_eq!(roots(&[("CPuctAtRoot", "3")], &network), (1.5, 3.0));
        assert_eq!(roots(&[("CPuct", "2")], &network), (2.0, 2.0));
    }

    #[test]
    fn analysis_is_sober() {
        let mut values = Values::default();
        values.set("Contempt", "0.5").unwrap();
        values.set("Temperature", "1").unwrap();
        assert_eq!(Settings::new(&values).params(None).contempt, 0.5);
        values.set("UCI_AnalyseMode", "true").unwrap();
        let params = Settings::new(&values).params(None);
        assert_eq!((params.contempt, params.move_temperature), (0.0, 0.0));
    }
}
