//! The table of all options.

use super::spec::{Kind, Spec};

macro_rules! options {
    ($($id:ident, $name:literal, $kind:expr, $help:literal;)*) => {
        /// Every option, in the order of [`TABLE`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Id { $($id),* }

        pub const TABLE: &[Spec] = &[
            $(Spec { id: Id::$id, name: $name, kind: $kind, help: $help }),*
        ];
    };
}

const fn decimal(default: f32, min: f32, max: f32) -> Kind {
    Kind::Decimal { default: Some(default), min, max }
}

const fn auto(min: f32, max: f32) -> Kind {
    Kind::Decimal { default: None, min, max }
}

const fn spin(default: i64, min: i64, max: i64) -> Kind {
    Kind::Spin { default, min, max }
}

const BACKENDS: &[&str] = &[
    "auto", "cpu", "cuda", "tensorrt", "openvino", "coreml", "directml", "native", "rust", "random",
];

options! {
    Net, "Net", Kind::Text("<auto>"),
        "Network file (ONNX). `<auto>` takes `nets/default.onnx` beside the binary or in a folder above it, else the same network as it was built in.";
    Backend, "Backend", Kind::Combo { default: "auto", choices: BACKENDS },
        "What runs the network. `auto` takes the best that works here; a named one runs or says why not.";
    RuntimeLibrary, "RuntimeLibrary", Kind::Text(""),
        "ONNX Runtime library to load. Empty: `ORT_DYLIB_PATH`, beside the binary, the cache folder, the system.";
    Device, "Device", spin(0, 0, 63),
        "Number of the GPU to use, where there are several.";
    Fp16, "Fp16", Kind::Check(false),
        "16-bit arithmetic on a GPU: faster, a little less exact.";
    Threads, "Threads", spin(0, 0, 512),
        "Search threads. 0: one per CPU core (two with a GPU).";
    Batch, "Batch", spin(0, 0, 1024),
        "Positions evaluated at once by each thread. 0: measured for this network and device.";
    Hash, "Hash", spin(256, 1, 1_048_576),
        "Memory for tree and evaluation cache in MB; a hard bound.";
    CacheHistory, "CacheHistory", spin(8, 1, 8),
        "Positions of the line that a cached evaluation is tied to. Below what the network sees (lc0's own habit is 1) more transpositions are found, but evaluations are shared that can differ.";
    ClearHash, "Clear Hash", Kind::Button,
        "Forget the tree and all cached evaluations.";
    Ponder, "Ponder", Kind::Check(false),
        "Tells the engine that the GUI may let it think on the opponent's time.";
    MultiPv, "MultiPV", spin(1, 1, 500),
        "Number of best lines to show.";
    MoveOverhead, "Move Overhead", spin(30, 0, 10_000),
        "Milliseconds per move kept back for GUI and network delays.";
    SyzygyPath, "SyzygyPath", Kind::Text(""),
        "Folders with Syzygy tablebases, separated as in PATH; sub-folders are searched too.";
    Chess960, "UCI_Chess960", Kind::Check(false),
        "Chess960: castling is written as king takes rook.";
    AnalyseMode, "UCI_AnalyseMode", Kind::Check(false),
        "Analysis rather than a game: no contempt, no move temperature.";
    ShowWdl, "UCI_ShowWDL", Kind::Check(false),
        "Add win, draw and loss per mille to the info lines.";
    Opponent, "UCI_Opponent", Kind::Text(""),
        "Title, rating, kind and name of the opponent, as the GUI sends it; kept for the log.";
    VerboseMoveStats, "VerboseMoveStats", Kind::Check(false),
        "Print statistics of every root move in lc0's format, as Nibbler shows them.";
    LogFile, "Debug Log File", Kind::Text(""),
        "File to which everything read and written is appended.";
    CPuct, "CPuct", auto(0.0, 100.0),
        "Exploration: higher tries more moves, lower looks deeper.";
    CPuctBase, "CPuctBase", auto(1.0, 1e9),
        "Visits over which exploration grows.";
    CPuctFactor, "CPuctFactor", auto(0.0, 1000.0),
        "How much exploration grows with visits.";
    CPuctAtRoot, "CPuctAtRoot", auto(0.0, 100.0),
        "`CPuct` at the root; auto: what suits the network, or `CPuct` where that is set.";
    CPuctBaseAtRoot, "CPuctBaseAtRoot", auto(1.0, 1e9),
        "`CPuctBase` at the root; auto: as everywhere.";
    CPuctFactorAtRoot, "CPuctFactorAtRoot", auto(0.0, 1000.0),
        "`CPuctFactor` at the root; auto: as everywhere.";
    FpuReduction, "FpuReduction", auto(-10.0, 10.0),
        "How much worse than its parent an unvisited move is taken to be.";
    FpuReductionAtRoot, "FpuReductionAtRoot", auto(-10.0, 10.0),
        "`FpuReduction` at the root; auto: as everywhere.";
    PolicyTemperature, "PolicyTemperature", auto(0.01, 10.0),
        "Above 1 flattens the network's move probabilities, below 1 sharpens them.";
    SmartPruning, "SmartPruning", decimal(1.33, 0.0, 10.0),
        "In games with a clock: stop when no other move can catch up in the time left divided by this; 0 never stops early.";
    NoiseEpsilon, "NoiseEpsilon", decimal(0.0, 0.0, 1.0),
        "Share of Dirichlet noise in the root's move probabilities.";
    NoiseAlpha, "NoiseAlpha", decimal(0.3, 0.001, 100.0),
        "Shape of that noise: small is spiky.";
    Temperature, "Temperature", decimal(0.0, 0.0, 100.0),
        "Play moves at random by visits^(1/T) instead of the best; 0 is off.";
    TemperaturePlies, "TemperaturePlies", spin(30, 0, 10_000),
        "Game ply from which `Temperature` is 0.";
    SearchContempt, "SearchContempt", spin(0, 0, 1_000_000),
        "Search-contempt: visits after which the opponent's replies are drawn from their frozen distribution; 0 is off.";
    Contempt, "Contempt", decimal(0.0, 0.0, 1.0),
        "What a draw costs when winning; 0 is off.";
    UncertaintyBonus, "UncertaintyBonus", decimal(0.0, 0.0, 10.0),
        "More exploration for moves whose outcome is open; 0 is off.";
    DrawSiblingFpu, "DrawSiblingFpu", decimal(0.0, 0.0, 1.0),
        "Where the visited moves draw, judge unvisited ones less harshly; 0 is off.";
    CPuctSpread, "CPuctSpread", auto(0.0, 1.0),
        "How much exploration depends on how far the values found so far differ: more where they do, less where they agree; 0 is off.";
    ClockDamping, "ClockDamping", decimal(0.5, 0.0, 1.0),
        "Part of the network's value that is gone when the fifty-move clock has run out; makes the side that is ahead do something in time.";
    Seed, "Seed", spin(0, 0, i32::MAX as i64),
        "Seed of everything random.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_confuse_gui_parsers() {
        for (i, spec) in TABLE.iter().enumerate() {
            assert_eq!(spec.id as usize, i);
            for word in spec.name.split_whitespace() {
                let reserved = ["name", "type", "default", "min", "max", "var", "value"];
                assert!(!reserved.contains(&word.to_lowercase().as_str()), "{}", spec.name);
            }
            assert!(TABLE[..i].iter().all(|other| other.flag() != spec.flag()), "{}", spec.name);
        }
    }

    #[test]
    fn backends_are_those_that_exist() {
        let known: Vec<&str> = crate::eval::Backend::ALL.iter().map(|b| b.name()).collect();
        assert_eq!(BACKENDS, known);
    }

    #[test]
    fn flags_read_well() {
        let flag = |id: Id| TABLE[id as usize].flag();
        assert_eq!(flag(Id::MoveOverhead), "move-overhead");
        assert_eq!(flag(Id::ShowWdl), "uci-show-wdl");
        assert_eq!(flag(Id::CPuctFactorAtRoot), "cpuct-factor-at-root");
    }
}
