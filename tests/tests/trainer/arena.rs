//! `trainer arena`: real players, bad ones, killed matches.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::driver::{engine, interrupt, root, run_in, run_ok, run_refused, stockfish, trainer};

/// The finished games of a journal, by number.
fn journal(folder: &Path) -> BTreeMap<u64, Value> {
    let text = fs::read_to_string(folder.join("match.jsonl")).unwrap();
    let mut games = BTreeMap::new();
    for line in text.lines().skip(1) {
        let game: Value = serde_json::from_str(line).unwrap();
        let number = game["game"].as_u64().unwrap();
        assert!(games.insert(number, game).is_none(), "game {number} twice");
    }
    games
}

/// What two matches must agree in: everything but times.
fn essence(games: &BTreeMap<u64, Value>) -> Vec<String> {
    let moves = |game: &Value| -> Vec<String> {
        game["moves"].as_array().unwrap().iter().map(|m| m["m"].to_string()).collect()
    };
    let opening = |game: &Value| game["opening"]["moves"].to_string();
    games
        .iter()
        .map(|(number, game)| {
            format!("{number} {} {:?} {}", opening(game), moves(game), game["result"])
        })
        .collect()
}

fn arena(folder: &TempDir, args: &[&str]) -> Value {
    let args = [&["arena", "--out", "match", "--json"], args].concat();
    serde_json::from_str(&run_ok(folder.path(), &args)).unwrap()
}

fn tiny_net() -> String {
    format!("net:{}", root().join("nets/tiny-basic18.onnx").display())
}

#[test]
fn a_hundred_games_of_baselines_eight_at_a_time() {
    let folder = tempdir().unwrap();
    let report = arena(&folder, &["greedy", "random", "--games", "100", "--concurrency", "8"]);
    assert_eq!(report["games"], 100);
    let encounter = &report["encounters"][0];
    let pairs: u64 =
        encounter["pairs"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(pairs, 50);
    assert!(encounter["comparison"]["los"].as_f64().unwrap() > 0.99, "{encounter}");
    assert_eq!(report["players"][0]["name"], "greedy");
    assert!(report["overhead_ms"].as_f64().unwrap() < 2.0);

    // Pairs: the same opening with swapped colors.
    let games = journal(&folder.path().join("match"));
    assert_eq!(games.len(), 100);
    for pair in 0..50 {
        let (a, b) = (&games[&(2 * pair)], &games[&(2 * pair + 1)]);
        assert_eq!(a["opening"], b["opening"]);
        assert_eq!((&a["white"], &a["black"]), (&b["black"], &b["white"]));
    }
    // Our own importer takes every game of the PGN.
    let text =
        run_ok(folder.path(), &["import-pgn", "match/games.pgn", "--out", "shards", "--json"]);
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&summary["kept"], &summary["broken"]), (&100.into(), &0.into()), "{summary}");

    // The same again plays nothing, and more games go on.
    let again = arena(&folder, &["greedy", "random", "--games", "100"]);
    assert_eq!(again["encounters"], report["encounters"]);
    assert_eq!(arena(&folder, &["greedy", "random", "--games", "120"])["games"], 120);
    assert_eq!(journal(&folder.path().join("match")).len(), 120);
}

#[test]
fn networks_and_engines_play_with_a_clock() {
    let folder = tempdir().unwrap();
    let net = format!("{}?Threads=1&name=Net", tiny_net());
    let other = format!("cmd:{} --backend random?Threads=1&name=Other", engine().display());
    // The margin is for machines that are busy with other tests.
    let clock = ["--tc", "1+0.01", "--margin", "3000", "--concurrency", "2"];
    let report = arena(&folder, &[&[&net, &other, "--games", "4"], &clock[..]].concat());
    assert_eq!(report["games"], 4);
    for player in report["players"].as_array().unwrap() {
        assert!(player["faults"].as_object().unwrap().is_empty(), "{player}");
        assert!(player["mean_depth"].as_f64().unwrap() > 0.0, "{player}");
    }
    let pgn = fs::read_to_string(folder.path().join("match/games.pgn")).unwrap();
    for tag in
        ["[White \"Net\"]", "[TimeControl \"1+0.01\"]", "[%eval ", "[%emt 0:00:00.", "[Opening \""]
    {
        assert!(pgn.contains(tag), "{tag}\n{pgn}");
    }
    // Evaluations come back as value targets.
    run_ok(folder.path(), &["import-pgn", "match/games.pgn", "--out", "shards"]);
    let shards = run_ok(folder.path(), &["inspect", "shards"]);
    assert!(shards.contains("comment"), "{shards}");
    // Where everything came from.
    let text = fs::read_to_string(folder.path().join("match/match.jsonl")).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let player = &header["settings"]["players"][0]["kind"]["engine"];
    assert_eq!(player["network"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(player["program"].as_str().unwrap().len(), 64);
    assert!(header["settings"]["openings"]["sha256"].as_str().unwrap().len() == 64);
    assert!(header["command"].as_array().unwrap().len() > 4 && header["host"]["cores"].is_u64());
}

#[test]
fn ratings_are_anchored_and_in_order() {
    let folder = tempdir().unwrap();
    let report = arena(
        &folder,
        &[
            "alphabeta?depth=2",
            "greedy?anchor=500",
            "random",
            "--format",
            "gauntlet",
            "--games",
            "20",
            "--max-moves",
            "80",
        ],
    );
    assert_eq!(report["encounters"].as_array().unwrap().len(), 2);
    let rating = |name: &str| {
        let players = report["players"].as_array().unwrap();
        players.iter().find(|p| p["name"] == name).unwrap()["rating"].clone()
    };
    assert_eq!(
        (&rating("greedy")["elo"], &rating("greedy")["anchored"]),
        (&500.0.into(), &true.into())
    );
    assert!(rating("alphabeta (depth=2)")["elo"].as_f64().unwrap() > 500.0);
    assert!(
        rating("random")["elo"].as_f64().unwrap()
            < rating("alphabeta (depth=2)")["elo"].as_f64().unwrap()
    );

    let text = run_ok(
        folder.path(),
        &["arena", "random", "greedy", "random?name=chance", "--games", "4", "--out", "other"],
    );
    assert!(text.contains("mean 0") && text.contains("chance"), "{text}");
    assert_eq!(text.matches(" against ").count(), 3, "{text}");
}

#[test]
fn a_sequential_test_ends_the_match() {
    let folder = tempdir().unwrap();
    let args = ["greedy", "random", "--sprt", "0,10", "--seed", "3"];
    let report = arena(&folder, &args);
    assert_eq!(report["sprt"]["decision"], "H1");
    assert!(report["sprt"]["llr"].as_f64().unwrap() >= report["sprt"]["upper"].as_f64().unwrap());
    let played = report["games"].as_u64().unwrap();
    assert!(played < 2000, "{played}");
    assert_eq!(arena(&folder, &args)["games"], played);
    let reversed = ["random", "greedy", "--sprt", "-10,10", "--out", "b", "--json"];
    let text = run_ok(folder.path(), &[&["arena"], &reversed[..]].concat());
    assert!(text.contains("\"H0\""), "{text}");
}

/// A program that is `first` when it is started for the first time, and our
/// engine from then on.
#[cfg(unix)]
fn bad_first(folder: &TempDir, name: &str, first: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let (path, flag) = (folder.path().join(name), folder.path().join(format!("{name}.started")));
    let script = format!(
        "#!/bin/sh\n\
         if [ -e {flag} ]; then exec {engine} --backend random --threads 1; fi\n\
         touch {flag}\n\
         while read -r line; do\n\
           case \"$line\" in\n\
             uci) echo 'id name Bad'; echo uciok ;;\n\
             isready) echo readyok ;;\n\
             go*) {first} ;;\n\
             quit) exit ;;\n\
           esac\n\
         done\n",
        flag = flag.display(),
        engine = engine().display(),
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("cmd:{}", path.display())
}

#[cfg(unix)]
#[test]
fn bad_players_lose_games_and_the_match_goes_on() {
    let folder = tempdir().unwrap();
    for (name, first, fault, tc) in [
        ("crash", "echo 'out of memory' >&2; exit 3", "crash", "nodes=20"),
        ("illegal", "echo 'bestmove a1a8'", "illegal move", "nodes=20"),
        ("nothing", "echo 'bestmove (none)'", "illegal move", "nodes=20"),
        ("hang", "sleep 60", "no answer", "nodes=20"),
        ("late", "sleep 0.4; echo 'bestmove a2a3'", "time loss", "0.1+0.1"),
    ] {
        let (player, out) = (bad_first(&folder, name, first), format!("{name}-match"));
        let args = ["arena", &player, "random", "--games", "4", "--tc", tc, "--out", &out];
        let more = ["--json", "--patience", "5", "--concurrency", "1", "--max-moves", "5"];
        let output = run_in(folder.path(), &[&args[..], &more[..]].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
        assert!(errors.contains(&format!("{name} lost against random by {fault}")), "{errors}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["games"], 4, "{name}");
        let players = report["players"].as_array().unwrap();
        let bad = players.iter().find(|player| player["name"] == name).unwrap();
        // A player that is only late is not restarted, and is late again.
        let count = bad["faults"][fault].as_u64().unwrap();
        assert!(if name == "late" { count >= 1 } else { count == 1 }, "{name}: {bad}");
        let pgn = fs::read_to_string(folder.path().join(&out).join("games.pgn")).unwrap();
        assert!(pgn.contains(fault), "{pgn}");
        if name == "crash" {
            assert!(errors.contains("out of memory") && pgn.contains("out of memory"), "{errors}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_player_that_cannot_start_ends_the_match_with_its_words() {
    let folder = tempdir().unwrap();
    let errors = run_refused(folder.path(), &["arena", "cmd:false", "random", "--games", "2"]);
    assert!(errors.contains("false cannot be started"), "{errors}");
    let wrong = format!("cmd:{}?Sorcery=1", engine().display());
    let errors = run_refused(folder.path(), &["arena", &wrong, "random", "--games", "2"]);
    assert!(errors.contains("no option Sorcery"), "{errors}");
}

#[cfg(unix)]
#[test]
fn patience_is_with_silence_not_with_thinking() {
    let folder = tempdir().unwrap();
    let thinks = "for i in 1 2 3 4 5; do sleep 0.8; echo \"info depth $i score cp 1 pv a2a3\"; done; \
                  echo 'bestmove 0000'";
    let player = bad_first(&folder, "slow", thinks);
    let args = ["arena", &player, "random", "--games", "2", "--tc", "nodes=1", "--out", "match"];
    let more = ["--patience", "3", "--concurrency", "1", "--max-moves", "3"];
    let output = run_in(folder.path(), &[&args[..], &more[..]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("slow lost against random by illegal move: bestmove 0000"), "{errors}");
}

/// Whether a process with this word in its command line is there.
#[cfg(target_os = "linux")]
fn runs(word: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(word))
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_think_ends_with_the_match_and_leaves_nothing_behind() {
    let folder = tempdir().unwrap();
    // A number that no other process has in its command line.
    let nap = format!("86{}", std::process::id());
    let player = bad_first(&folder, "thinker", &format!("sleep {nap}"));
    let mut command = Command::new(trainer());
    command.args(["arena", "random", &player, "--games", "2", "--tc", "movetime=600"]);
    command.args(["--out", "match", "--concurrency", "1"]).current_dir(folder.path());
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !runs(&format!("sleep\0{nap}")) {
        assert!(Instant::now() < deadline, "it does not think");
        sleep(Duration::from_millis(20));
    }
    let interrupted = Instant::now();
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(interrupted.elapsed() < Duration::from_secs(10));
    assert!(journal(&folder.path().join("match")).is_empty());
    assert!(!runs(&format!("sleep\0{nap}")), "what the player started is still there");
}

/// A match that takes some seconds: deterministic players.
const SLOW: [&str; 8] = [
    "arena",
    "alphabeta?depth=3",
    "mcts?rollouts=60",
    "--games",
    "24",
    "--max-moves",
    "25",
    "--json",
];

fn start(folder: &Path, out: &str) -> Child {
    let mut command = Command::new(trainer());
    command.args(SLOW).args(["--out", out, "--concurrency", "2"]);
    command.current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the journal has so many games.
fn wait_for_games(folder: &Path, games: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let journal = folder.join("match.jsonl");
    while fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < games + 1 {
        assert!(Instant::now() < deadline, "no games");
        sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn a_killed_match_goes_on_without_playing_anything_twice() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    run_ok(path, &[&SLOW[..], &["--out", "whole"]].concat());
    for games in [1, 8, 15] {
        let mut child = start(path, "killed");
        wait_for_games(&path.join("killed"), games);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // A game that was being written, and a PGN file that lags behind.
    let journal_path = path.join("killed/match.jsonl");
    let mut text = fs::read_to_string(&journal_path).unwrap();
    text.push_str("{\"game\":23,\"white\":\"alph");
    fs::write(&journal_path, text).unwrap();
    fs::write(path.join("killed/games.pgn"), "[Event \"torn").unwrap();
    let before = journal_lines(&journal_path);
    run_ok(path, &[&SLOW[..], &["--out", "killed"]].concat());
    let after = journal_lines(&journal_path);
    assert_eq!(before[..before.len() - 1], after[..before.len() - 1], "finished games were lost");
    assert_eq!(essence(&journal(&path.join("killed"))), essence(&journal(&path.join("whole"))));
    let pgn = fs::read_to_string(path.join("killed/games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event ").count(), 24);
}

fn journal_lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_string).collect()
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_says_how_it_stands_and_goes_on() {
    let folder = tempdir().unwrap();
    let child = start(folder.path(), "match");
    wait_for_games(&folder.path().join("match"), 2);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let played = journal(&folder.path().join("match")).len();
    assert!((2..24).contains(&played), "{played}");
    run_ok(folder.path(), &[&SLOW[..], &["--out", "match"]].concat());
    assert_eq!(journal(&folder.path().join("match")).len(), 24);
}

/// Children of a process, and those of them that are zombies.
#[cfg(target_os = "linux")]
fn children(parent: u32) -> (usize, usize) {
    let (mut all, mut zombies) = (0, 0);
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, fields)) = stat.rsplit_once(") ") else { continue };
        let mut fields = fields.split(' ');
        let (state, of) = (fields.next(), fields.next().and_then(|pid| pid.parse().ok()));
        if of == Some(parent) {
            all += 1;
            zombies += usize::from(state == Some("Z"));
        }
    }
    (all, zombies)
}

#[cfg(target_os = "linux")]
#[test]
fn engines_are_neither_leaked_nor_left_as_zombies() {
    let folder = tempdir().unwrap();
    let ours = format!("cmd:{} --backend random --hash 1?Threads=1", engine().display());
    let bad = bad_first(&folder, "crash", "exit 1");
    let players = [format!("{ours}&name=a"), format!("{ours}&name=b"), bad];
    let mut command = Command::new(trainer());
    command.args(["arena", &players[0], &players[1], &players[2], "--games", "20"]);
    command.args(["--tc", "nodes=10", "--concurrency", "8", "--max-moves", "30", "--quiet"]);
    command.current_dir(folder.path()).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut most, mut zombie_streak, mut longest_streak) = (0, 0, 0);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let (all, zombies) = children(child.id());
        most = most.max(all);
        // One that has just ended is a zombie until it is waited for.
        zombie_streak = if zombies > 0 { zombie_streak + 1 } else { 0 };
        longest_streak = longest_streak.max(zombie_streak);
        sleep(Duration::from_millis(20));
    };
    assert!(status.success());
    assert!((2..=17).contains(&most), "{most} engines for eight games");
    assert!(longest_streak < 100, "zombies for {longest_streak} looks");
}

#[test]
fn settings_come_from_a_file_and_flags_count_over_it() {
    let folder = tempdir().unwrap();
    let text = "players:\n  - greedy\n  - {player: random, name: dice, tc: depth=1}\n\
                games: 8\nmax-moves: 30\nseed: 5\nopenings: lines.epd\nin-order: true\n";
    fs::write(folder.path().join("match.yaml"), text).unwrap();
    let lines = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"Open\"; c0 \"e4 e5\";\n\
                 bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1\n";
    fs::write(folder.path().join("lines.epd"), lines).unwrap();
    let report = arena(&folder, &["--config", "match.yaml", "--games", "4"]);
    assert_eq!((&report["games"], &report["encounters"][0]["second"]), (&4.into(), &"dice".into()));
    let games = journal(&folder.path().join("match"));
    assert_eq!(games[&0]["opening"]["name"], "Open");
    assert_eq!(games[&2]["opening"]["chess960"], true);
    let pgn = fs::read_to_string(folder.path().join("match/games.pgn")).unwrap();
    assert!(pgn.contains("[Variant \"Chess960\"]"), "{pgn}");

    let errors = run_refused(
        folder.path(),
        &["arena", "--config", "match.yaml", "--games", "4", "--seed", "6", "--out", "match"],
    );
    assert!(errors.contains("begun with other settings (seed 5, now 6)"), "{errors}");
    fs::write(folder.path().join("bad.yaml"), "players: [greedy, random]\ngmaes: 4\n").unwrap();
    let errors = run_refused(folder.path(), &["arena", "--config", "bad.yaml"]);
    assert!(errors.contains("bad.yaml:2") && errors.contains("gmaes"), "{errors}");
}

#[test]
fn nonsense_is_refused_with_a_reason() {
    let folder = tempdir().unwrap();
    for (args, reason) in [
        (&["greedy"][..], "at least two"),
        (&["greedy", "greedy"], "two players are called `greedy`"),
        (&["greedy", "random", "--games", "3"], "even number"),
        (&["greedy", "random", "mcts", "--sprt", "0,5"], "for two players"),
        (&["greedy", "random", "--sprt", "5,0"], "must be below"),
        (&["greedy", "random", "--sprt", "5"], "2 numbers"),
        (&["greedy", "random", "--draw=-1,2,3"], "3 numbers"),
        (&["greedy", "random", "--openings", "missing.epd"], "missing.epd"),
        (&["net:missing.onnx", "random"], "missing.onnx"),
        (&["greedy", "random", "mcts", "--format", "match"], "gauntlet or round-robin"),
        (&["greedy", "random", "--syzygy", "no/such/folder"], "no/such/folder"),
    ] {
        let errors = run_refused(folder.path(), &[&["arena"], args].concat());
        assert!(errors.contains(reason), "{args:?}: {errors}");
    }
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/games.pgn"), "[Event \"mine\"]").unwrap();
    let errors = run_refused(folder.path(), &["arena", "greedy", "random", "--out", "mine"]);
    assert!(errors.contains("games.pgn: not of this match"), "{errors}");
    let output = run_in(folder.path(), &["arena", "leela:0", "random", "--tc", "fast"]);
    assert_eq!(output.status.code(), Some(2));
    fs::create_dir(folder.path().join("taken")).unwrap();
    fs::write(folder.path().join("taken/match.jsonl"), "hello\n").unwrap();
    let errors = run_refused(folder.path(), &["arena", "greedy", "random", "--out", "taken"]);
    assert!(errors.contains("match.jsonl, line 1: not the journal of a match"), "{errors}");
}

#[test]
fn stockfish_levels_anchor_a_rating() {
    let Some(stockfish) = stockfish() else { return };
    let folder = tempdir().unwrap();
    let args = ["alphabeta?depth=2", "stockfish:1400", "stockfish:1600", "--format", "gauntlet"];
    let more =
        ["--stockfish", &stockfish, "--games", "2", "--tc", "movetime=0.01", "--margin", "5000"];
    let report = arena(&folder, &[&args[..], &more].concat());
    assert_eq!(report["games"], 4);
    let players = report["players"].as_array().unwrap();
    let level = players.iter().find(|player| player["name"] == "Stockfish 1600").unwrap();
    assert_eq!(level["rating"]["elo"], 1600.0);
    let wrong = ["arena", "random", "stockfish:5000", "--stockfish", &stockfish, "--games", "2"];
    let errors = run_refused(folder.path(), &wrong);
    assert!(errors.contains("UCI_Elo") && errors.contains("5000"), "{errors}");
}

#[test]
fn tablebases_end_games() {
    let Some(tables) = std::env::var_os("ARBOR_TEST_SYZYGY").map(PathBuf::from) else {
        println!("skipped: ARBOR_TEST_SYZYGY is not set");
        return;
    };
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("kqk.epd"), "4k3/8/8/8/8/8/8/Q3K3 w - -\n").unwrap();
    let tables = tables.display().to_string();
    let args = ["greedy", "random", "--games", "2", "--openings", "kqk.epd", "--syzygy", &tables];
    let report = arena(&folder, &args);
    assert_eq!(report["endings"]["adjudication: tablebase"], 2);
    assert_eq!(report["encounters"][0]["games"]["wins"], 1);
}
