//! `trainer loop`, `sweep` and `report` with the real binaries.

use crate::driver::{interrupt, run_in, run_ok, run_refused, trainer};
use crate::fixtures::shards;
use crate::tensorboard::read_by_tensorboard;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Instant;
use trainer::config::{Format, TrainConfig};
use trainer::train::{Checkpoint, checkpoints};

/// A loop of seconds: the smallest network, a few short games.
const QUICK: &str = "
name: quick
generations: 3
selfplay:
  games: 12
  openings: random:4
  search: {visits: 4, resign: null, adjudicate: {max_plies: 40}}
  options: {Threads: 2, Batch: 4, Hash: 16, Backend: native}
window: {first: 2, growth: 0.5, most: 3}
train:
  preset: nano
  steps: 12
  reuse: 50
  set: {data.batch_size: 32, model.blocks: 1, model.channels: 8, train.checkpoint_every: 1}
";

fn quick(folder: &Path, more: &str) {
    fs::write(folder.join("loop.yaml"), format!("{QUICK}{more}")).unwrap();
}

const RUN: [&str; 3] = ["loop", "--config", "loop.yaml"];

fn start(folder: &Path) -> Child {
    let mut command = Command::new(trainer());
    command.args(RUN).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn state(folder: &Path) -> serde_json::Value {
    let text = fs::read_to_string(folder.join("loops/quick/state.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Everything that must be the same however often a loop was killed: networks
/// byte for byte, and the games.
fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for number in 0..=3 {
        let generation = folder.join(format!("loops/quick/generations/{number:04}"));
        found.insert(format!("net {number}"), fs::read(generation.join("net.onnx")).unwrap());
        if number == 0 {
            continue;
        }
        let mut games = Vec::new();
        for path in trainer::shards::find_shards(&[generation.join("games")]).unwrap() {
            for record in trainer::shards::Reader::open(&path).unwrap().records().unwrap() {
                games.push(format!("{:?}", record.unwrap()));
            }
        }
        assert_eq!(games.len(), 12);
        found.insert(format!("games {number}"), games.join("\n").into_bytes());
    }
    found
}

#[test]
fn a_loop_learns_and_reports() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    // A gate that everybody passes, and all that can be watched.
    quick(
        folder,
        "gate: {kind: score, games: 2, tc: nodes=2, score: 0.0, start: true}\n\
         watch: {every: 1, games: 2, tc: nodes=4,\n\
                 opponents: [random, greedy, mcts, best, older, start]}\n",
    );
    let text = run_ok(folder, &RUN);
    assert!(text.contains("3 generations, 3 accepted; the best is 3"), "{text}");
    let state = state(folder);
    for generation in state["history"].as_array().unwrap() {
        assert_eq!(generation["diverged"], false);
        assert_eq!(generation["games"], 12);
        assert!(generation["new_positions"].as_u64().unwrap() > 12);
        // The best of the first is the start, which needs no match of its own.
        let gate = generation["gate"].as_array().unwrap();
        assert_eq!(gate.len(), if generation["number"] == 1 { 1 } else { 2 }, "{generation}");
        assert!(gate.iter().all(|result| result["games"] == 2), "{generation}");
        assert!(gate.iter().skip(1).all(|result| result["against"] == 0), "{generation}");
        let watched = generation["watch"].as_array().unwrap();
        let named: Vec<(&str, Option<u64>)> = watched
            .iter()
            .map(|result| (result["opponent"].as_str().unwrap(), result["against"].as_u64()))
            .collect();
        // The best is still the one before.
        let number = generation["number"].as_u64().unwrap();
        let rivals = [("best", number - 1), ("older", number / 2), ("start", 0)];
        let rivals = rivals.map(|(name, against)| (name, Some(against)));
        let fixed = ["random", "greedy", "mcts"].map(|name| (name, None));
        assert_eq!(named, [fixed, rivals].concat());
        assert!(watched.iter().all(|result| result["games"] == 2), "{watched:?}");
        assert!(generation["training"]["train/loss"].as_f64().unwrap() > 0.0);
    }
    let loop_folder = folder.join("loops/quick");
    let csv = fs::read_to_string(loop_folder.join("metrics.csv")).unwrap();
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let metrics = fs::read_to_string(loop_folder.join("metrics.jsonl")).unwrap();
    for name in [
        "selfplay/visit_entropy",
        "selfplay/batch_fill",
        "selfplay/length/",
        "selfplay/opening/",
        "selfplay/nodes_per_second/thread1",
        "match/random/score",
        "match/mcts/score",
        "rating/elo_low",
    ] {
        assert!(metrics.contains(name), "{name}");
    }
    events_are_those_of_the_log(&loop_folder, &metrics);
    // More generations go on; other settings do not.
    let text = run_ok(folder, &[&RUN[..], &["--generations", "4"]].concat());
    assert!(text.contains("4 generations"), "{text}");
    let errors = run_refused(folder, &[&RUN[..], &["--set", "window.most=9"]].concat());
    assert!(errors.contains("other settings") && errors.contains("window.most"), "{errors}");

    let text = run_ok(folder, &["report", "loops/quick"]);
    assert!(text.contains("report.html"), "{text}");
    let html = fs::read_to_string(loop_folder.join("report.html")).unwrap();
    let parts = [
        "<svg",
        "Elo, where the start has 0",
        "Training loss",
        "Plies in a game",
        "Openings",
        "Nodes and",
        "random",
    ];
    for part in parts {
        assert!(html.contains(part), "{part}");
    }
    let run = loop_folder.join("generations/0001/run");
    run_ok(folder, &["report", &run.display().to_string()]);
    let of_run = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(of_run.contains("positions, last loss") && of_run.contains("Policy loss"), "{of_run}");
    let addresses = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!addresses.contains("http"), "it needs the net");
}

/// What TensorBoard reads of a loop, where there is one.
fn events_are_those_of_the_log(folder: &Path, metrics: &str) {
    let Some(read) = read_by_tensorboard(folder) else { return };
    for line in metrics.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        for name in ["selfplay/length", "train/loss", "rating/elo"] {
            let series = read["scalars"][name].as_array().unwrap();
            let point = series.iter().find(|point| point[0] == line["step"]).unwrap();
            let (shown, logged) = (point[1].as_f64().unwrap(), line[name].as_f64().unwrap());
            assert!((shown - logged).abs() <= 1e-5 * logged.abs(), "{name}: {shown} {logged}");
        }
    }
    let lengths = read["histograms"]["selfplay/lengths"].as_array().unwrap();
    assert!(lengths.iter().all(|entry| entry["num"] == 12.0), "{lengths:?}");
}

/// Killed or stopped by Ctrl-C at any moment, a loop ends as if it had not been.
#[test]
fn twenty_kills_change_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    quick(folder, "");
    run_ok(folder, &[&RUN[..], &["--generations", "1", "--set", "name=first"]].concat());
    shards(folder, 300);
    // Everything that a loop can do, from a network of its own.
    let more = "start: first.onnx\n\
                drift: {target: 0.01, limit: 0.02}\n\
                supervised: {paths: [shards], share: 0.3}\n\
                gate: {kind: sprt, games: 24, tc: nodes=2, start: true,\n\
                       sprt: {elo0: -150, elo1: 150, alpha: 0.2, beta: 0.2}}\n\
                watch: {every: 2, games: 2, tc: nodes=2, opponents: [random, older]}\n";
    quick(folder, more);
    let whole = tempfile::tempdir().unwrap();
    for place in [folder, whole.path()] {
        let first = folder.join("loops/first/generations/0001/net.onnx");
        fs::copy(first, place.join("first.onnx")).unwrap();
    }
    shards(whole.path(), 300);
    quick(whole.path(), more);
    let begun = Instant::now();
    run_ok(whole.path(), &RUN);
    let took = begun.elapsed();
    let mut kills = 0_u32;
    while kills < 20 {
        let mut child = start(folder);
        // Long enough to get somewhere, short enough to die twenty times.
        let share = 0.01 + 0.03 * (f64::from(kills) * 0.618).fract();
        sleep(took.mul_f64(share));
        assert!(child.try_wait().unwrap().is_none(), "it ended after {kills} kills");
        if kills % 4 == 3 {
            interrupt(&child);
            // It may have just ended by itself.
            let code = child.wait().unwrap().code();
            assert!(matches!(code, Some(130 | 0)), "{code:?}");
        } else {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        kills += 1;
    }
    run_ok(folder, &RUN);
    let (disturbed, undisturbed) = (results(folder), results(whole.path()));
    for (name, wanted) in &undisturbed {
        assert!(disturbed[name] == *wanted, "{name} differs after {kills} kills");
    }
    let history = |folder: &Path| state(folder)["history"].clone();
    assert_eq!(history(folder), history(whole.path()));
    assert_eq!(lasting_metrics(folder), lasting_metrics(whole.path()));
    let left = files(&folder.join("loops")).into_iter().filter(|name| name.ends_with(".tmp"));
    assert_eq!(left.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Names of all files in a folder and in those inside it.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let names = entries.flat_map(|entry| match entry.file_type().unwrap().is_dir() {
        true => files(&entry.path()),
        false => vec![entry.file_name().to_string_lossy().into_owned()],
    });
    names.collect()
}

/// The log without what depends on how the work was shared among threads, to
/// nine digits: games are summed up in the order in which they end.
fn lasting_metrics(folder: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(folder.join("loops/quick/metrics.jsonl")).unwrap();
    let lasts = |name: &String| {
        let passing = ["wall_time", "per_second", "batch_fill", "cache_hits", "network_share"];
        passing.iter().all(|part| !name.contains(part))
    };
    let lines = text.lines().map(|line| {
        let line: BTreeMap<String, f64> = serde_json::from_str(line).unwrap();
        let lasting = line.into_iter().filter(|(name, _)| lasts(name));
        lasting.map(|(name, value)| (name, format!("{value:.8e}"))).collect()
    });
    lines.collect()
}

#[test]
fn new_positions_bound_the_training() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    quick(folder, "");
    let scarce = ["--generations", "1", "--set", "train.reuse=0.5"];
    run_ok(folder, &[&RUN[..], &scarce].concat());
    let positions = state(folder)["history"][0]["new_positions"].as_u64().unwrap();
    // Batches of 32, twelve of them at most; a fiftieth is kept from training.
    let steps = positions * 98 / 100 / 2 / 32;
    assert!((1..12).contains(&steps), "{positions}");
    assert_eq!(training(folder, 1).train.steps, Some(steps));
}

/// The config that a generation trained with.
fn training(folder: &Path, number: u32) -> TrainConfig {
    let path = folder.join(format!("loops/quick/generations/{number:04}/run/config.toml"));
    Format::Toml.parse(&fs::read_to_string(&path).unwrap(), &path).unwrap()
}

#[test]
fn a_sequential_gate_ends_when_it_is_sure() {
    // The network of generation 1 is neither 600 Elo better nor 600 worse.
    for (bounds, accepted) in [("elo0: -900, elo1: -600", true), ("elo0: 600, elo1: 900", false)] {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        quick(
            folder,
            &format!("gate: {{kind: sprt, games: 200, tc: nodes=2, sprt: {{{bounds}}}}}\n"),
        );
        run_ok(folder, &[&RUN[..], &["--generations", "1"]].concat());
        let generation = &state(folder)["history"][0];
        assert_eq!(generation["accepted"], accepted, "{bounds}: {generation}");
        assert!(generation["gate"][0]["games"].as_u64().unwrap() < 200, "{generation}");
    }
}

#[test]
fn a_gate_that_nobody_passes_escalates() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    quick(folder, "gate: {kind: score, games: 2, tc: nodes=2, score: 1.01}\n");
    let errors = run_refused(folder, &RUN);
    assert!(errors.contains("gate.score"), "{errors}");
    // Two games that are drawn or won by one side each are never all won.
    shards(folder, 500);
    let more = "gate: {kind: score, games: 20, tc: nodes=2, score: 1.0}\n\
                supervised: {paths: [shards], share: 0.2}\n";
    quick(folder, more);
    let text = run_ok(folder, &[&RUN[..], &["--generations", "5"]].concat());
    assert!(text.contains("5 generations, 0 accepted; the best is 0"), "{text}");
    let state = state(folder);
    assert_eq!(state["vetoes"], 5);
    assert_eq!(state["measures"]["dropped"], 0.5);
    assert_eq!(state["measures"]["rate"], 0.5);
    assert_eq!(state["weights"], 0);
    // From the third veto on, a part of the games is the vetoed network's.
    assert!(folder.join("loops/quick/generations/0004/games/current").is_dir());
    assert!(!folder.join("loops/quick/generations/0003/games/current").is_dir());
    // How each generation was trained: supervised share, learning rate, folders of
    // the window (2, 2, 3, 3, 3 without measures), whether the optimizer goes on.
    let trained = |number| {
        let config = training(folder, number);
        let [window, supervised] = &config.data.sources[..] else { panic!("{config:?}") };
        let rate = config.schedule.learning_rate;
        (supervised.weight, rate, window.paths.len(), config.train.keep_optimizer)
    };
    let rate = trained(1).1;
    assert_eq!(trained(1), (0.2, rate, 1, false));
    assert_eq!(trained(2), (0.45, rate, 1, false));
    assert_eq!(trained(3), (0.45, rate / 2.0, 2, false));
    assert_eq!(trained(4), (0.45, rate / 2.0, 2, false));
    assert_eq!(trained(5), (0.8, rate / 2.0, 1, false));
    // Of generations that training does not go on from only the networks are left.
    let kept = |number: u32| {
        checkpoints(&folder.join(format!("loops/quick/generations/{number:04}/run"))).len()
    };
    assert_eq!([0, 1, 2, 3, 4, 5].map(kept), [1, 0, 0, 0, 0, 0]);
}

/// A match that another build of the engine has begun.
#[test]
fn a_match_of_other_players_is_put_aside_and_played_anew() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    quick(folder, "gate: {kind: score, games: 4, tc: nodes=2, score: 0.0}\n");
    let once = [&RUN[..], &["--generations", "1"]].concat();
    run_ok(folder, &once);
    let finished = state(folder);
    let mut judging = finished.clone();
    for (key, value) in [("generation", 1), ("best", 0), ("weights", 0)] {
        judging[key] = value.into();
    }
    judging["stage"] = "judge".into();
    let path = folder.join("loops/quick/state.json");
    fs::write(path, serde_json::to_vec(&judging).unwrap()).unwrap();
    let journal = folder.join("loops/quick/generations/0001/gate/match.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let (header, games) = text.split_once('\n').unwrap();
    let mut header: serde_json::Value = serde_json::from_str(header).unwrap();
    header["settings"]["players"] = "others".into();
    header["settings_sha256"] = "another".into();
    let others = format!("{header}\n{games}");
    fs::write(&journal, &others).unwrap();
    let output = run_in(folder, &once);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.contains("played anew"), "{errors}");
    assert_eq!(state(folder), finished);
    let aside = folder.join("loops/quick/generations/0001/gate-old-1/match.jsonl");
    assert_eq!(fs::read_to_string(aside).unwrap(), others);
}

#[test]
fn training_that_diverges_is_a_veto() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let wild = QUICK.replace("set: {", "set: {schedule.learning_rate: 1.0e+30, ");
    fs::write(folder.join("loop.yaml"), wild).unwrap();
    let text = run_ok(folder, &[&RUN[..], &["--generations", "2"]].concat());
    assert!(text.contains("2 generations, 0 accepted; the best is 0"), "{text}");
    for generation in state(folder)["history"].as_array().unwrap() {
        assert_eq!(generation["diverged"], true);
        assert!(generation["gate"].as_array().unwrap().is_empty());
    }
    // Each has the network of the start, and the loop goes on from it.
    let weights = |number| {
        let name = format!("loops/quick/generations/{number:04}/net.onnx");
        Checkpoint::find(&folder.join(name)).unwrap().weights
    };
    assert!([1, 2].iter().all(|number| weights(*number) == weights(0)));
    assert!(run_ok(folder, &RUN).contains("3 generations, 0 accepted"));
}

#[test]
fn what_was_left_before_the_loop_began_is_made_anew() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    quick(folder, "");
    let start = || fs::read(folder.join("loops/quick/generations/0000/net.onnx")).unwrap();
    let once = [&RUN[..], &["--generations", "1"]].concat();
    run_ok(folder, &once);
    let first = start();
    // Killed before its place was ever written.
    fs::remove_file(folder.join("loops/quick/state.json")).unwrap();
    fs::remove_dir_all(folder.join("loops/quick/generations/0001")).unwrap();
    run_ok(folder, &[&once[..], &["--set", "seed=7"]].concat());
    assert!(start() != first, "weights of another seed");
}

#[test]
fn a_generation_at_work_is_not_counted() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    quick(folder, "");
    run_ok(folder, &[&RUN[..], &["--generations", "2"]].concat());
    // As after Ctrl-C in the training of the second.
    let mut interrupted = state(folder);
    interrupted["generation"] = 2.into();
    interrupted["stage"] = "train".into();
    let path = folder.join("loops/quick/state.json");
    fs::write(path, serde_json::to_vec(&interrupted).unwrap()).unwrap();
    run_ok(folder, &["report", "loops/quick"]);
    let html = fs::read_to_string(folder.join("loops/quick/report.html")).unwrap();
    assert!(html.contains("1 generations, 1 accepted"), "{html}");
}

#[test]
fn a_loop_starts_from_a_network_and_stays_near_it() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    quick(folder, "");
    run_ok(folder, &[&RUN[..], &["--generations", "1"]].concat());
    fs::copy(folder.join("loops/quick/generations/0001/net.onnx"), folder.join("start.onnx"))
        .unwrap();
    // Some of the twelve games are kept from training, to measure the drift on.
    let held_out = QUICK.replace("set: {", "set: {data.validation: 0.4, ");
    let drift = "start: start.onnx\ndrift: {target: 0.000001, limit: 0.000002}\n";
    fs::write(folder.join("loop.yaml"), held_out + drift).unwrap();
    let more = ["--generations", "1", "--set", "name=warm"];
    let text = run_ok(folder, &[&RUN[..], &more].concat());
    assert!(text.contains("1 generations"), "{text}");
    let text = fs::read_to_string(folder.join("loops/warm/state.json")).unwrap();
    let state: serde_json::Value = serde_json::from_str(&text).unwrap();
    let generation = &state["history"][0];
    for name in ["train/kl", "validation/kl"] {
        assert!(generation["training"][name].as_f64().unwrap() > 0.0, "{name}: {generation}");
    }
    // Beyond the limit a match decides, though the gate is open.
    assert!(generation["gate"][0]["games"].as_u64().unwrap() >= 20, "{generation}");
}

/// Each generation goes on with the weight that the last one's divergence led to.
#[test]
fn the_pull_to_the_start_adapts_over_generations() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    quick(folder, "");
    let more = ["--generations", "1", "--set", "name=first"];
    run_ok(folder, &[&RUN[..], &more].concat());
    let start = "start: loops/first/generations/0001/net.onnx\n";
    // After a veto too, when training goes back to the start's weights.
    let never = "gate: {kind: score, games: 20, tc: nodes=2, score: 1.0}\n";
    for (drift, gate, grows) in [
        ("target: 0.000001, limit: 9", "", true),
        ("target: 0.000001, limit: 9", never, true),
        ("target: 8, limit: 9", "", false),
    ] {
        let _ = fs::remove_dir_all(folder.join("loops/quick"));
        quick(folder, &format!("{start}{gate}drift: {{{drift}, weight: 0.5}}\n"));
        run_ok(folder, &RUN);
        assert_eq!(state(folder)["vetoes"], if gate.is_empty() { 0 } else { 3 });
        let weights: Vec<f64> =
            (1..=3).map(|number| training(folder, number).loss.kl.weight).collect();
        assert_eq!(weights[0], 0.5);
        let ordered = match grows {
            true => weights.is_sorted_by(|a, b| a < b),
            false => weights.is_sorted_by(|a, b| a > b),
        };
        assert!(ordered, "{drift}: {weights:?}");
    }
}

#[test]
fn a_state_of_another_format_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    quick(folder, "");
    fs::create_dir_all(folder.join("loops/quick")).unwrap();
    for (text, told) in
        [("{\"format\": 7}", "has format 7"), ("{}", "has format none"), ("{", "state.json")]
    {
        fs::write(folder.join("loops/quick/state.json"), text).unwrap();
        let errors = run_refused(folder, &RUN);
        assert!(errors.contains(told) && errors.contains("state.json"), "{errors}");
    }
}

#[test]
fn presets_are_listed_and_swept() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let help = run_ok(folder, &["loop", "--help-config"]);
    assert!(help.contains("tiny-zero") && help.contains("`window.growth`"), "{help}");
    let output = run_in(folder, &["loop", "--preset", "tiny-one"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("tiny-zero"), "{output:?}");
    let small = [
        "selfplay.games=4",
        "selfplay.search.visits=4",
        "selfplay.search.adjudicate={max_plies: 20}",
        "selfplay.options={Threads: 1, Batch: 4}",
        "train={preset: nano, steps: 2, set: {data.batch_size: 16, model.channels: 8}}",
        "gate={kind: none}",
        "watch.every=0",
    ];
    let mut args = vec!["sweep", "efficient", "reference", "--out", "sweep", "--generations", "1"];
    args.extend(["--games", "2", "--tc", "nodes=2", "--json"]);
    small.iter().for_each(|change| args.extend(["--set", *change]));
    let report: serde_json::Value = serde_json::from_str(&run_ok(folder, &args)).unwrap();
    // Everybody has played everybody, twice.
    let encounters = report["encounters"].as_array().unwrap();
    let met: BTreeSet<(&str, &str)> = encounters
        .iter()
        .map(|line| (line["first"].as_str().unwrap(), line["second"].as_str().unwrap()))
        .collect();
    let players = ["random", "greedy", "efficient", "reference"];
    for (at, first) in players.iter().enumerate() {
        for second in &players[at + 1..] {
            assert!(met.contains(&(first, second)), "{first} {second}: {report}");
        }
    }
    assert_eq!((met.len(), &report["games"]), (6, &12.into()), "{report}");
    // The networks are those of the loops.
    for name in ["efficient", "reference"] {
        assert!(folder.join(format!("sweep/{name}/generations/0001/net.onnx")).exists());
    }
}
