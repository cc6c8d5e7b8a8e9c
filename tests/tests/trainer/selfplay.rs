//! `trainer selfplay` with the engine's real binary: games on disk, whatever dies.

use crate::driver::{root, run_in, run_ok, run_refused, stockfish, tables, trainer};
use engine::chess::parse_fen;
use engine::tablebase::{Tablebases, Wdl};
use shakmaty::Position;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use trainer::shards::{Outcome, Reader, Record, Score, find_shards};

/// Games in a shard, as in [`command`].
const SHARD: u64 = 16;

/// Quick games without a network.
pub fn command<'a>(games: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let beginning = ["--shard-games", "16", "--openings", "random:6"];
    quick_games(games, &[&beginning[..], more].concat())
}

/// The same, with shards and openings of one's own.
pub fn quick_games<'a>(games: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["selfplay", "--games", games, "--out", "games", "--visits", "12"];
    args.extend(["--option", "Backend=random", "--option", "Hash=16", "--option", "Batch=8"]);
    args.extend(more);
    args
}

pub fn start(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(trainer());
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// All games of a folder; none where it has no shards.
pub fn records(folder: &Path) -> Vec<Record> {
    let shards = find_shards(&[folder.to_path_buf()]).unwrap_or_default();
    let games = |path: &PathBuf| Reader::open(path).unwrap().records().unwrap().map(Result::unwrap);
    shards.iter().flat_map(games).collect()
}

/// Moves, results and searches of all games, by seed.
pub fn games(folder: &Path) -> Vec<(u64, String)> {
    let records = records(&folder.join("games"));
    let mut found: Vec<(u64, String)> =
        records.iter().map(|record| (record.seed.unwrap(), format!("{record:?}"))).collect();
    found.sort();
    found
}

/// Numbers of the games in the spool; a line that is being written is none yet.
pub fn spooled(folder: &Path) -> BTreeSet<u64> {
    let text = fs::read_to_string(folder.join("games/games.spool")).unwrap_or_default();
    let games = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    games.filter_map(|game: serde_json::Value| game["id"].as_u64()).collect()
}

/// Games are in the spool for a moment longer than it takes to write their
/// shard, so each is counted by its number. A shard is named by its first game.
pub fn on_disk(folder: &Path) -> usize {
    let mut found = spooled(folder);
    for entry in fs::read_dir(folder.join("games")).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let first = name.strip_prefix("selfplay-").and_then(|n| n.strip_suffix(".parquet"));
        if let Some(first) = first.and_then(|number| number.parse::<u64>().ok()) {
            found.extend(first..first + SHARD);
        }
    }
    found.len()
}

pub fn wait_for(child: &mut Child, folder: &Path, count: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while on_disk(folder) < count {
        assert!(child.try_wait().unwrap().is_none(), "ended too early");
        assert!(Instant::now() < deadline, "no games");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn games_become_shards() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let text = run_ok(folder, &command("40", &["--generation", "7", "--json"]));
    let telemetry: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(telemetry["games"], 40);
    let report = run_ok(folder, &["inspect", "games", "--verify"]);
    assert!(report.contains("40 games"), "{report}");
    assert!(!folder.join("games/games.spool").exists());
    let all = games(folder);
    assert_eq!(all.len(), 40);
    assert!(all.iter().all(|(_, text)| text.contains("generation: Some(7)")));

    // Again there is nothing to do; more games make it longer; another seed is
    // another run.
    run_ok(folder, &command("40", &["--generation", "7"]));
    run_ok(folder, &command("50", &["--generation", "7"]));
    let more = games(folder);
    assert_eq!(more.len(), 50);
    assert!(all.iter().all(|game| more.contains(game)));
    let errors = run_refused(folder, &command("50", &["--generation", "7", "--seed", "3"]));
    assert!(errors.contains("other settings") && errors.contains("seed"), "{errors}");
}

#[test]
fn a_new_network_is_picked_up_between_games() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let tiny = root().join("nets/tiny-basic18.onnx");
    let net = folder.join("net.onnx");
    fs::copy(&tiny, &net).unwrap();
    let args = [
        "selfplay",
        "--games",
        "60",
        "--out",
        "games",
        "--net",
        "net.onnx",
        "--watch-net",
        "--visits",
        "8",
        "--option",
        "Threads=1",
        "--option",
        "Batch=4",
        "--shard-games",
        "16",
    ];
    let mut child = start(folder, &args);
    wait_for(&mut child, folder, 8);
    let mut bytes = fs::read(&tiny).unwrap();
    // Another file with the same meaning: an empty field that readers pass over.
    bytes.extend([0x32, 0x00]);
    fs::write(folder.join("next.onnx"), &bytes).unwrap();
    fs::rename(folder.join("next.onnx"), &net).unwrap();
    assert!(child.wait().unwrap().success());
    let hashes: BTreeSet<Option<String>> =
        records(&folder.join("games")).into_iter().map(|record| record.network).collect();
    assert_eq!(hashes.len(), 2, "{hashes:?}");
}

#[test]
fn what_cannot_work_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let play = |more: &[&str]| {
        let base = ["selfplay", "--games", "2", "--out", "games"];
        run_refused(folder, &[&base[..], more].concat())
    };
    let errors = play(&["--net", "/no/such.onnx"]);
    assert!(errors.contains("/no/such.onnx"), "{errors}");
    let errors = play(&["--engine", "/no/such/engine"]);
    assert!(errors.contains("/no/such/engine"), "{errors}");
    fs::write(folder.join("bad.yaml"), "visits: 0\nnoise: {epsilon: 2}\n").unwrap();
    let errors = play(&["--config", "bad.yaml"]);
    assert!(errors.contains("visits") && errors.contains("noise.epsilon"), "{errors}");
    fs::write(folder.join("odd.yaml"), "vistis: 3\n").unwrap();
    let errors = play(&["--config", "odd.yaml"]);
    assert!(errors.contains("vistis"), "{errors}");
    let errors = play(&["--watch-net"]);
    assert!(errors.contains("--watch-net") && errors.contains("--net"), "{errors}");
    let errors = play(&["--processes", "2"]);
    assert!(errors.contains("--processes"), "{errors}");
    let output = run_in(folder, &["selfplay", "--games", "1", "--out", "x", "--openings", "moon"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("moon"));
}

#[test]
fn other_engines_play_too() {
    let Some(stockfish) = stockfish() else { return };
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let args = [
        "selfplay",
        "--engine",
        &stockfish,
        "--games",
        "4",
        "--out",
        "games",
        "--visits",
        "200",
        "--option",
        "Threads=1",
        "--openings",
        "book",
        "--json",
    ];
    let telemetry: serde_json::Value = serde_json::from_str(&run_ok(folder, &args)).unwrap();
    let machine = &telemetry["machine"];
    assert_eq!(machine["games"], 4, "{telemetry}");
    assert!(machine["simulations"].as_u64().unwrap() > 0, "{telemetry}");
    assert!(machine["seconds"].as_f64().unwrap() > 0.0, "{telemetry}");
    let all = games(folder);
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|(_, text)| text.contains("Stockfish")), "{all:?}");
    let report = run_ok(folder, &["inspect", "games", "--verify"]);
    assert!(report.contains("4 games"), "{report}");
}

/// A program in the shell; its name must be new, as a file that is being run
/// cannot be written.
#[cfg(unix)]
pub fn script(folder: &Path, name: &str, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{body}")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// Mates at once, with or without a word about it.
#[cfg(unix)]
#[test]
fn moves_without_a_score_are_no_targets() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("book.epd"), "6k1/5ppp/8/8/8/8/8/R5K1 w - -\n").unwrap();
    fs::write(folder.join("search.yaml"), "visits: 1\ntemperature: {start: 0}\n").unwrap();
    for (info, scored) in [("echo 'info depth 1 score mate 1 pv a1a8'", true), (":", false)] {
        let body = format!(
            "while read -r line; do\n\
               case \"$line\" in\n\
                 uci) echo 'id name Mute'; echo uciok ;;\n\
                 isready) echo readyok ;;\n\
                 go*) {info}; echo 'bestmove a1a8' ;;\n\
                 quit) exit ;;\n\
               esac\n\
             done\n"
        );
        let engine = script(folder, &format!("mute-{scored}"), &body);
        let out = format!("games-{scored}");
        let mut args = vec!["selfplay", "--engine", &engine, "--games", "1", "--out", &out];
        args.extend(["--config", "search.yaml", "--openings", "book:book.epd"]);
        run_ok(folder, &args);
        let records = records(&folder.join(&out));
        let [record] = &records[..] else { panic!("{records:?}") };
        assert_eq!(record.plies.len(), 1);
        assert_eq!(record.plies[0].wdl.is_some(), scored, "{record:?}");
        assert_eq!(!record.plies[0].policy.is_empty(), scored, "{record:?}");
        assert_eq!(record.plies[0].score, scored.then_some(Score::Mate(1)));
    }
}

/// Gives itself out as our engine of this version with this network; what it does
/// in self-play is told in the shell's language.
#[cfg(unix)]
pub fn false_arbor(folder: &Path, name: &str, network: &str, selfplay: &str) -> String {
    let ready = serde_json::json!({"reply": "ready", "network": network, "encoder": "basic18",
                                   "backend": "none", "threads": 1, "games_at_once": 1});
    let body = format!(
        "if [ \"$1\" = selfplay ]; then echo '{ready}'; {selfplay}; exit; fi\n\
         while read -r line; do\n\
           case \"$line\" in uci) echo 'id name Arbor {}'; echo uciok ;; quit) exit ;; esac\n\
         done\n",
        env!("CARGO_PKG_VERSION")
    );
    script(folder, name, &body)
}

/// Speaks our self-play protocol, but not the truth.
#[cfg(unix)]
#[test]
fn games_that_do_not_hold_are_played_again_and_then_given_up() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let wrong = r#"{"reply":"game","id":0,"seed":1,"network":"","settings":"","start_fen":"","chess960":false,"result":"1-0","termination":"checkmate","plies":[],"resignation":null,"effort":{"searches":0,"simulations":0,"evaluations":0,"cache_hits":0,"depth":0,"deepest":0,"entropy":0,"surprise":0,"full_searches":0}}"#;
    let refusal = r#"{"reply":"refused","id":0,"reason":"it rains"}"#;
    for (name, answer, told) in [
        ("liar", wrong, "game 0 did not hold, however often it was played: its seed is 1"),
        ("mule", refusal, "game 0 was refused: it rains"),
        ("babbler", "what?", "no reply"),
    ] {
        let answers =
            format!("while read -r line; do echo \"$line\" >> {name}.log; echo '{answer}'; done");
        let engine = false_arbor(folder, name, "", &answers);
        let args = ["selfplay", "--engine", &engine, "--games", "1", "--out", "lies"];
        let errors = run_refused(folder, &args);
        assert!(errors.contains(told), "{errors}");
        assert!(records(&folder.join("lies")).is_empty());
        let asked = fs::read_to_string(folder.join(format!("{name}.log"))).unwrap();
        let seeds: BTreeSet<u64> = asked
            .lines()
            // It may have been stopped while it wrote.
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter_map(|job| job["seed"].as_u64())
            .collect();
        // Four attempts, each with a seed of its own.
        assert_eq!(seeds.len(), if name == "liar" { 4 } else { 1 }, "{name}: {asked}");
    }
}

/// An engine that says it plays with another network than the file.
#[cfg(unix)]
#[test]
fn the_network_is_the_one_that_was_asked_for() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("net.onnx"), "some network").unwrap();
    let engine = false_arbor(folder, "liar", "abc", "read -r line");
    let args = ["selfplay", "--engine", &engine, "--net", "net.onnx", "--games", "1"];
    for more in [&["--out", "games"][..], &["--out", "games", "--watch-net"]] {
        let errors = run_refused(folder, &[&args[..], more].concat());
        assert!(errors.contains("plays with abc") && errors.contains("net.onnx is "), "{errors}");
    }
}

#[test]
fn other_engines_resign_and_are_adjudicated() {
    let Some(stockfish) = stockfish() else { return };
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    // White has two queens more; nobody has anything.
    let (won, even) = ("4k3/8/8/8/8/8/8/1QQ1K3 b - -\n", "4k3/7r/8/8/8/8/R7/4K3 w - -\n");
    let resign = "resign: {value: 0.8, moves: 1, play_on: 0}";
    let win = "adjudicate: {win: {value: 0.8, plies: 2}}";
    let draw = "adjudicate: {draw: {value: 0.2, plies: 4}}";
    for (number, (book, rule, end, result)) in [
        (won, resign, "resignation", Outcome::White),
        (won, win, "adjudicated win", Outcome::White),
        (even, draw, "adjudicated draw", Outcome::Draw),
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(folder.join("book.epd"), book).unwrap();
        let search = format!("visits: 500\ntemperature: {{start: 0}}\n{rule}\n");
        fs::write(folder.join("search.yaml"), search).unwrap();
        let out = format!("games-{number}");
        let mut args = vec!["selfplay", "--engine", &stockfish, "--games", "2", "--out", &out];
        args.extend(["--config", "search.yaml", "--openings", "book:book.epd"]);
        run_ok(folder, &args);
        for record in records(&folder.join(&out)) {
            assert_eq!((record.termination.as_str(), record.result), (end, result), "{record:?}");
            assert!(record.plies.len() < 6, "{record:?}");
            assert!(record.plies.iter().all(|ply| ply.score.is_some()), "{record:?}");
        }
    }
    fs::write(folder.join("search.yaml"), "adjudicate: {tablebase: true}\n").unwrap();
    let args = ["selfplay", "--engine", &stockfish, "--games", "1", "--out", "more"];
    let errors = run_refused(folder, &[&args[..], &["--config", "search.yaml"]].concat());
    assert!(errors.contains("adjudicate.tablebase"), "{errors}");
}

#[test]
fn games_begin_at_positions_of_shards() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    run_ok(folder, &command("8", &[]));
    let mut args = vec!["selfplay", "--games", "6", "--out", "more", "--visits", "4"];
    args.extend(["--option", "Backend=random", "--openings", "shards:games"]);
    run_ok(folder, &args);
    let starts: BTreeSet<String> =
        records(&folder.join("more")).into_iter().map(|record| record.start_fen).collect();
    assert!(starts.len() >= 4, "{starts:?}");
    let errors = run_refused(
        folder,
        &["selfplay", "--games", "1", "--out", "x", "--openings", "shards:nowhere"],
    );
    assert!(errors.contains("nowhere"), "{errors}");
}

#[test]
fn resignations_are_tested_on_a_share_of_the_games() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let resign = "visits: 8\nresign: {value: 0.05, moves: 2, play_on: 0.5}\n";
    fs::write(folder.join("resign.yaml"), resign).unwrap();
    let mut args = vec!["selfplay", "--games", "60", "--out", "games", "--config", "resign.yaml"];
    args.extend(["--option", "Backend=random", "--openings", "random:6", "--json"]);
    let telemetry: serde_json::Value = serde_json::from_str(&run_ok(folder, &args)).unwrap();
    let resigned = telemetry["terminations"]["resignation"].as_u64().unwrap();
    let tested = telemetry["resignations_tested"].as_u64().unwrap();
    let wrong = telemetry["resignations_wrong"].as_u64().unwrap();
    // Half of the games go on, and a network of chance is often wrong.
    assert!((15..=45).contains(&resigned), "{telemetry}");
    assert!(tested >= 5 && wrong > 0 && wrong <= tested, "{telemetry}");
}

#[test]
fn options_are_named_as_the_engine_names_them() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let play = |option: &'static str| command("2", &["--option", option]);
    run_ok(folder, &play("CacheHistory=1"));
    let errors = run_refused(folder, &play("CacheHistroy=1"));
    assert!(errors.contains("no option CacheHistroy"), "{errors}");
}

#[test]
fn tablebases_decide_games() {
    let Some(tables) = tables() else { return };
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    // Five men, one of which is soon taken, and four: a game that the tables know
    // from the first move is played all the same, to the next capture or pawn move.
    let book = "4k3/8/7p/1p6/8/8/8/2R1K3 w - -\n4k3/8/8/1p6/8/8/8/2R1K3 w - -\n";
    fs::write(folder.join("book.epd"), book).unwrap();
    for decide in [true, false] {
        let text = format!("visits: 8\nadjudicate: {{tablebase: {decide}, max_plies: 300}}\n");
        fs::write(folder.join("search.yaml"), text).unwrap();
        let (out, option) = (format!("games-{decide}"), format!("SyzygyPath={tables}"));
        let mut args = vec!["selfplay", "--games", "8", "--out", &out, "--config", "search.yaml"];
        args.extend(["--option", "Backend=random", "--option", &option, "--json"]);
        args.extend(["--openings", "book:book.epd"]);
        let telemetry: serde_json::Value = serde_json::from_str(&run_ok(folder, &args)).unwrap();
        let count = telemetry["terminations"]["tablebase"].as_u64().unwrap_or(0);
        assert_eq!(count > 0, decide, "{telemetry}");
        assert_eq!(telemetry["games"], 8);
    }
    let known = Tablebases::open(&tables).0;
    let mut games = records(&folder.join("games-true"));
    games.retain(|game| game.termination == "tablebase");
    games.iter().for_each(|game| assert_eq!(game.result, told_by(&known, game), "{game:?}"));
    assert!(games.iter().any(|game| game.result != Outcome::Draw));
}

/// How the tables end a game from its last position on.
fn told_by(tables: &Tablebases, game: &Record) -> Outcome {
    let mut position = parse_fen(&game.start_fen, game.chess960).unwrap();
    for played in game.plies.iter().filter_map(|ply| ply.played) {
        let m = played.unpack(&position);
        position.play_unchecked(m);
    }
    let [mover, other] = match position.turn().is_white() {
        true => [Outcome::White, Outcome::Black],
        false => [Outcome::Black, Outcome::White],
    };
    match tables.wdl(&position).unwrap() {
        Wdl::Win => mover,
        Wdl::Loss => other,
        _ => Outcome::Draw,
    }
}
