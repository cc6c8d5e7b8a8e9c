//! Presets, files and flags together, as a person gives them.

use super::keys::{KEYS, is_list, key_at};
use super::kind::Kind;
use super::layer::Layer;
use super::*;
use crate::model::Body;
use crate::shards::SearchKind;
use clap::Parser;
use engine::encode::Encoder;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    flags: ConfigFlags,
}

fn resolve(args: &[&str]) -> Result<TrainConfig, ConfigError> {
    let line = std::iter::once("train").chain(args.iter().copied());
    Line::try_parse_from(line).unwrap().flags.resolve()
}

#[track_caller]
fn config(args: &[&str]) -> TrainConfig {
    resolve(&[args, &["--data", "shards"]].concat()).unwrap_or_else(|error| panic!("{error}"))
}

/// The problems, each as its line.
#[track_caller]
fn problems(args: &[&str]) -> Vec<String> {
    match resolve(args) {
        Err(ConfigError::Problems(problems)) => problems.iter().map(|p| p.to_string()).collect(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("no problem with {args:?}"),
    }
}

/// A file in its own folder, which lives as long as the first of the two.
fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_string();
    (folder, path)
}

#[test]
fn every_preset_is_sound() {
    for name in PRESETS {
        let config = config(&["--preset", name]);
        let mut plain = preset(name);
        plain.data.sources = config.data.sources.clone();
        assert_eq!(config, plain, "{name}");
    }
    assert_eq!(config(&[]), config(&["--preset", "small"]));
    let described: Vec<String> = PRESETS.iter().map(|name| preset(name).model.describe()).collect();
    let expected = [
        "resnet 2x16",
        "dense 512",
        "se-resnet 6x64",
        "resnet 6x96",
        "se-resnet 8x128 attention 2",
        "se-resnet 10x128",
        "se-resnet 20x256",
    ];
    assert_eq!(described, expected);
}

#[test]
fn flags_count_over_the_file_and_the_file_over_the_preset() {
    let text =
        "preset: nano\noptimizer:\n  weight_decay: 1e-4\n  beta1: 0\ntrain:\n  log_every: 7\n";
    let (_folder, path) = file("c.yaml", text);
    let made = config(&["--config", &path, "--lr", "3e-4", "--set", "train.log_every=9"]);
    assert_eq!(made.optimizer.weight_decay, 1e-4);
    assert_eq!(made.optimizer.beta1, 0.0);
    assert_eq!(made.optimizer.beta2, preset("nano").optimizer.beta2);
    assert_eq!(made.schedule.learning_rate, 3e-4);
    assert_eq!(made.train.log_every, 9);
    assert_eq!(made.model, preset("nano").model);
    assert_eq!(config(&["--config", &path, "--preset", "base"]).model, preset("base").model);
}

#[test]
fn toml_and_yaml_say_the_same() {
    let yaml = "train: {steps: 1e3}\nschedule:\n  decay: steps\n  drops:\n    - {at: 600, factor: 1}\n\
                data:\n  sources:\n    - paths: [a, b]\n      weight: 2\n    - paths: [c]\n  kinds: [full, Teacher]\n";
    let toml = "[train]\nsteps = 1000\n[schedule]\ndecay = \"steps\"\ndrops = [{at = 600, factor = 1.0}]\n\
                [[data.sources]]\npaths = [\"a\", \"b\"]\nweight = 2.0\n[[data.sources]]\npaths = [\"c\"]\n\
                [data]\nkinds = [\"Full\", \"Teacher\"]\n";
    let (_first, yaml) = file("c.yml", yaml);
    let (_second, toml) = file("c.toml", toml);
    let read = |path: &str| TrainConfig::read(Path::new(path)).unwrap_or_else(|e| panic!("{e}"));
    let made = read(&yaml);
    assert_eq!(made, read(&toml));
    assert_eq!(made.schedule.drops, [Drop { at: 600, factor: 1.0 }]);
    assert_eq!(made.data.sources.iter().map(|s| s.weight).collect::<Vec<_>>(), [2.0, 1.0]);
    assert_eq!(made.train.length(), Length::Steps(1000));
}

#[test]
fn data_flags_have_weights() {
    let made = resolve(&["--data", "a", "--data", "b=0.5", "--data", "c=d"]).unwrap();
    let sources: Vec<(&Path, f64)> =
        made.data.sources.iter().map(|s| (s.paths[0].as_path(), s.weight)).collect();
    assert_eq!(sources, [(Path::new("a"), 1.0), (Path::new("b"), 0.5), (Path::new("c=d"), 1.0)]);
}

#[test]
fn the_length_is_the_one_given_last() {
    let (_folder, path) = file("c.toml", "[train]\npositions = 1_000_000\n");
    assert_eq!(config(&["--config", &path]).train.length(), Length::Positions(1_000_000));
    assert_eq!(config(&["--config", &path]).total_steps(5), 3907);
    let made = config(&["--config", &path, "--epochs", "2", "--set", "optimizer.accumulate=2"]);
    assert_eq!(made.train.length(), Length::Epochs(2.0));
    assert_eq!(made.total_steps(1_000_000), 3907);
    let both = problems(&["--data", "a", "--epochs", "2", "--steps", "900"]);
    assert_eq!(both, ["command line: train.steps: keep one of train.steps, train.epochs"]);
}

#[test]
fn one_seed_is_for_all_unless_the_data_has_its_own() {
    let made = config(&["--seed", "7"]);
    assert_eq!((made.run.seed, made.data.seed), (7, 7));
    let made = config(&["--seed", "7", "--set", "data.seed=8"]);
    assert_eq!((made.run.seed, made.data.seed), (7, 8));
    assert_eq!(config(&["--seed", "9223372036854775807"]).run.seed, i64::MAX as u64);
    assert_eq!(problems(&["--data", "a", "--seed", "9223372036854775808"]).len(), 1);
}

#[test]
fn a_saved_config_reads_back_identically() {
    let changes: [&[&str]; 4] = [
        &["--epochs", "1.5", "--name", "007", "--seed", "9223372036854775807"],
        &["--lr", "0.30000000000000004", "--set", "data.validation=0.1", "--set", "data.window=3"],
        &["--set", "schedule.decay=steps", "--set", "schedule.drops=[{at: 100, factor: 1e-1}]"],
        &["--set", "loss.kl.network=a: b # c", "--set", "loss.kl.weight=1", "--data", "é \"x\"=2"],
    ];
    let folder = tempfile::tempdir().unwrap();
    for name in PRESETS {
        for change in changes {
            let made = config(&[&["--preset", name], change].concat());
            for (format, ending) in [(Format::Toml, "toml"), (Format::Yaml, "yaml")] {
                let path = folder.path().join(format!("saved.{ending}"));
                fs::write(&path, made.to_text(format).unwrap()).unwrap();
                let again = TrainConfig::read(&path).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(again, made, "{name} {change:?} {ending}");
                assert_eq!(again.hash().unwrap(), made.hash().unwrap());
            }
        }
    }
    let shares = config(&["--set", "data.validation=0.1"]).to_text(Format::Toml).unwrap();
    assert!(shares.contains("validation = 0.1\n"), "{shares}");
    assert_ne!(config(&[]).hash().unwrap(), config(&["--seed", "1"]).hash().unwrap());
}

#[test]
fn all_problems_are_told_at_once_with_file_and_path() {
    let text = "optimizer:\n  wieght_decay: 0.1\n  ema: 1.0\n  learning_rate: 0.1\n\
                data: {validation: 0.6, sources: [{weight: 1}, {paths: a}]}\n\
                model: {blocks: many, attention_blocks: 9, value: scalar}\nlos: 1\n\
                train: {steps: 1.5, log_every: 0, keep_checkpoints: null}\nschedule: cosine\n";
    let (_folder, path) = file("bad.yaml", text);
    let told = problems(&["--config", &path, "--preset", "smal", "--set", "run.device=tpu"]);
    let expected = [
        "command line: preset: \"smal\" is unknown; did you mean small?".to_string(),
        format!("{path}: data.sources[0]: paths is missing"),
        format!("{path}: data.sources[1].paths: \"a\" should be a list of texts"),
        format!("{path}: data.validation: 0.6 should be a number, 0 to 0.5"),
        format!("{path}: los: unknown key; did you mean loss?"),
        format!("{path}: model.blocks: \"many\" should be a whole number, 1 to 256"),
        format!("{path}: optimizer.ema: 1.0 should be a number, at least 0, below 1"),
        format!(
            "{path}: optimizer.learning_rate: unknown key; did you mean schedule.learning_rate?"
        ),
        format!("{path}: optimizer.wieght_decay: unknown key; did you mean weight_decay?"),
        format!(
            "{path}: schedule: \"cosine\" should be a table with learning_rate, warmup, decay, final_ratio, drops"
        ),
        format!("{path}: train.keep_checkpoints: null should be a whole number, at least 1"),
        format!("{path}: train.log_every: 0 should be a whole number, at least 1"),
        format!("{path}: train.steps: 1.5 should be a whole number, at least 1"),
        "command line: run.device: \"tpu\" should be cpu | cuda | wgpu".to_string(),
        // Of the rules, those whose keys are sound.
        format!(
            "{path}: loss.value: cross-entropy needs model.value=wdl; a scalar value learns by mse"
        ),
    ];
    let (told, expected): (BTreeSet<_>, BTreeSet<_>) =
        (told.into_iter().collect(), expected.into_iter().collect());
    assert_eq!(told, expected);
}

#[test]
fn contradictions_are_told() {
    let cases: [(&[&str], &str); 18] = [
        (&["--name", "../x"], "run.name: \"../x\" should be the name of a folder"),
        (&["--steps", "500"], "schedule.warmup: 500 steps of warm-up leave none of the run's 500"),
        (
            &["--set", "train.positions=25600"],
            "schedule.warmup: 500 steps of warm-up leave none of the run's 100",
        ),
        (
            &["--set", "model.encoder=threats"],
            "model.encoder: threats goes with the policy exchange3716, which needs \
             model.body=dense",
        ),
        (
            &["--set", "model.body=dense", "--set", "model.hidden=0"],
            "model.hidden: a dense body needs a width",
        ),
        (
            &["--set", "model.attention_blocks=7"],
            "model.attention_blocks: 7 is more than there are blocks, 6",
        ),
        (
            &["--set", "model.norm=group", "--set", "model.groups=32"],
            "model.groups: 32 does not divide model.value_channels, 16",
        ),
        (&["--set", "model.value=scalar"], "loss.value: cross-entropy needs model.value=wdl"),
        (&["--set", "optimizer.momentum=0"], "optimizer.momentum: optimizer.nesterov needs"),
        (&["--set", "loss.kl.weight=1"], "loss.kl.weight: needs loss.kl.network"),
        (&["--set", "loss.kl.network=a"], "loss.kl.weight: with 0 loss.kl.network has no effect"),
        (
            &["--set", "model.moves_left=true", "--set", "loss.moves_left_weight=0"],
            "loss.moves_left_weight: with 0",
        ),
        (&["--set", "schedule.decay=steps"], "schedule.drops: schedule.decay=steps needs"),
        (&["--set", "schedule.drops=[{at: 9, factor: 1}]"], "schedule.drops: have no effect"),
        (
            &[
                "--set",
                "schedule.decay=steps",
                "--set",
                "schedule.drops=[{at: 9, factor: 1}, {at: 8, factor: 1}]",
            ],
            "schedule.drops: step 8 must come before 9",
        ),
        (
            &["--set", "data.min_ply=9", "--set", "data.max_ply=8"],
            "data.max_ply: 8 lies before data.min_ply, 9",
        ),
        (&["--set", "data.validation=0"], "train.validate_every: nothing to validate on"),
        (&["--set", "train.steps=null"], "train.steps: how long to train?"),
    ];
    for (args, expected) in cases {
        let told = problems(&[args, &["--data", "shards"]].concat());
        assert_eq!(told.len(), 1, "{told:?}");
        let line = told[0].strip_prefix("command line: ").unwrap_or(&told[0]);
        assert!(line.starts_with(expected), "{line} does not start with {expected}");
    }
    assert_eq!(problems(&[]), ["data.sources: nothing to train on; name shards with --data PATH"]);
}

#[test]
fn a_dense_network_by_flags() {
    let flags = ["model.encoder=threats", "model.body=dense", "model.hidden=96"];
    let flags: Vec<&str> = flags.iter().flat_map(|flag| ["--set", *flag]).collect();
    let made = config(&flags);
    assert_eq!(made.model.describe(), "dense 96");
    assert_eq!((made.model.body, made.model.encoder), (Body::Dense, Encoder::Threats));
}

#[test]
fn flags_are_checked_like_files() {
    let told =
        problems(&["--data", "a", "--steps", "many", "--set", "optimizer=3", "--set", "x.y=1"]);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.iter().all(|line| line.starts_with("command line: ")), "{told:?}");
    assert_eq!(
        problems(&["--set", "seed"]),
        ["command line: --set seed: needs the form KEY=VALUE"]
    );
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let message = |name: &str, text: &str| {
        let (_folder, path) = file(name, text);
        let message = TrainConfig::read(Path::new(&path)).unwrap_err().to_string();
        message.trim_start_matches(&path).to_string()
    };
    assert!(message("c.toml", "[train]\nsteps = = 3\n").starts_with(":2:9: "));
    let yaml = message("c.yaml", "train:\n  steps: 3\n bad: [\n");
    assert!(yaml.starts_with(":3:") && !yaml.contains('\n'), "{yaml}");
    assert!(message("c.yaml", "train: {steps: 1, steps: 2}\n").starts_with(":1:"));
    assert_eq!(message("c.ini", ""), ": a config ends in .yaml, .yml or .toml");
    assert!(message("c.yaml", "optimizer.ema: 0.9\n").contains(": optimizer.ema: unknown key"));
    assert!(message("c.yaml", "- 1\n").contains(": [1] should be a table with run, model, "));
    let missing = TrainConfig::read(Path::new("no/such.toml")).unwrap_err().to_string();
    assert!(missing.starts_with("no/such.toml: "), "{missing}");
    let (_folder, empty) = file("c.yaml", "# nothing\n");
    assert_eq!(config(&["--config", &empty]), config(&[]));
}

/// Paths of all values in a tree, as the table of keys writes them.
fn paths(path: &str, value: &Value, out: &mut BTreeSet<String>) {
    let join = |name: &str| if path.is_empty() { name.into() } else { format!("{path}.{name}") };
    match value {
        Value::Object(entries) => entries.iter().for_each(|(k, v)| paths(&join(k), v, out)),
        Value::Array(parts) if parts.iter().any(Value::is_object) => {
            parts.iter().for_each(|part| paths(&format!("{path}[]"), part, out));
        }
        _ => drop(out.insert(path.to_string())),
    }
}

#[test]
fn every_key_is_documented_and_every_documented_key_exists() {
    let mut full = config(&["--data", "x=2"]);
    full.schedule.drops = vec![Drop { at: 1, factor: 0.1 }];
    let mut existing = BTreeSet::new();
    paths("", &Layer::of_preset(&full).unwrap().tree, &mut existing);
    let documented: BTreeSet<String> = KEYS.iter().map(|key| key.path.to_string()).collect();
    assert_eq!(existing, documented);
    assert!(is_list("data.sources") && !is_list("data") && key_at("data").is_none());
    let page = help().unwrap();
    assert!(KEYS.iter().all(|key| page.contains(&format!("\n{} = ", key.path))), "{page}");
    assert!(
        page.contains("optimizer.weight_decay = 0.01\n    weight decay (a number, at least 0)\n")
    );
}

#[test]
fn every_documented_choice_and_optional_key_is_one_of_the_settings() {
    let accepts = |path: &str, value: Value| {
        let mut layer = Layer::of_preset(&preset("small")).unwrap();
        layer.set(path, value);
        serde_json::from_value::<TrainConfig>(layer.tree).unwrap_or_else(|e| panic!("{path}: {e}"));
    };
    for key in KEYS.iter().filter(|key| !key.path.contains("[]")) {
        match key.kind {
            Kind::Choice(choices) => choices.iter().for_each(|c| accepts(key.path, json!(c))),
            Kind::Choices(choices) => choices.iter().for_each(|c| accepts(key.path, json!([c]))),
            _ => {}
        }
        if key.optional {
            accepts(key.path, Value::Null);
        }
    }
    let encoders: Vec<&str> = Encoder::ALL.iter().map(|encoder| encoder.name()).collect();
    assert!(matches!(key_at("model.encoder").unwrap().kind, Kind::Choice(all) if all == encoders));
    let kinds: Vec<Value> = SearchKind::ALL.iter().map(|kind| json!(kind)).collect();
    assert!(matches!(key_at("data.kinds").unwrap().kind, Kind::Choices(all) if all == kinds));
}
