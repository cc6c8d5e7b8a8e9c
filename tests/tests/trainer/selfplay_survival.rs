//! `trainer selfplay` when something dies, fills up or changes in between: no
//! finished game is lost.

use crate::driver::{engine, interrupt, run_ok, run_refused, trainer};
use crate::selfplay::{
    command, false_arbor, games, on_disk, quick_games, records, script, spooled, start, wait_for,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A run that tells a file what goes wrong.
fn start_with_errors(folder: &Path, args: &[&str]) -> Child {
    let errors = fs::File::create(folder.join("errors.txt")).unwrap();
    let mut command = Command::new(trainer());
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(errors).spawn().unwrap()
}

/// Seeds of the games that a folder has, in shards or in the spool.
fn seeds(folder: &Path) -> BTreeSet<u64> {
    let text = fs::read_to_string(folder.join("games/games.spool")).unwrap_or_default();
    let games = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    let waiting = games.filter_map(|game: serde_json::Value| game["seed"].as_u64());
    let written = records(&folder.join("games")).into_iter().filter_map(|record| record.seed);
    waiting.chain(written).collect()
}

/// Goes on with an engine that plays nothing, so that a game which gets lost on
/// the way is not just played again. No game may be gone after it.
#[cfg(unix)]
fn resume_without_playing(folder: &Path, name: &str, args: &[&str]) {
    let before = seeds(folder);
    let engine = false_arbor(folder, name, "", "read -r line");
    let errors = run_refused(folder, &[args, &["--engine", &engine]].concat());
    assert!(errors.contains("ended"), "{errors}");
    let after = seeds(folder);
    let lost: Vec<u64> = before.difference(&after).copied().collect();
    assert!(!before.is_empty() && lost.is_empty(), "{lost:?} of {} games are gone", before.len());
}

/// Names of files that a killed process left half written.
fn leftovers(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".tmp")).collect()
}

/// Plays until there are some games in the spool, and none in shards.
fn fill_spool(folder: &Path, openings: &str) {
    let more = ["--shard-games", "400", "--openings", openings];
    let mut child = start(folder, &quick_games("400", &more));
    wait_for(&mut child, folder, 20);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(spooled(folder).len() >= 20 && records(&folder.join("games")).is_empty());
}

#[cfg(unix)]
#[test]
fn neither_sides_death_loses_or_doubles_a_game() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let whole = tempfile::tempdir().unwrap();
    run_ok(whole.path(), &command("300", &[]));
    // The trainer dies.
    for kill_at in [5, 20, 37] {
        let mut child = start(folder, &command("300", &[]));
        wait_for(&mut child, folder, kill_at);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(on_disk(folder) >= kill_at, "finished games are gone");
        resume_without_playing(folder, &format!("idle-{kill_at}"), &command("300", &[]));
    }
    // The engine dies, with most of the games still to play.
    let mut child = start_with_errors(folder, &command("300", &[]));
    wait_for(&mut child, folder, 50);
    let killed = Command::new("pkill").args(["-9", "-P", &child.id().to_string()]).status();
    assert!(killed.unwrap().success());
    assert!(child.wait().unwrap().success());
    let errors = fs::read_to_string(folder.join("errors.txt")).unwrap();
    assert!(errors.contains("is restarted"), "{errors}");
    assert_eq!(games(folder), games(whole.path()));
}

/// Shards that are smaller now: some are whole as soon as the spool is read.
#[cfg(unix)]
#[test]
fn a_spool_is_whole_until_all_of_its_games_are_in_shards() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fill_spool(folder, "random:6");
    fs::write(folder.join("games/selfplay-00000000.parquet.77.tmp"), "half").unwrap();
    let smaller = quick_games("400", &["--shard-games", "3", "--openings", "random:6"]);
    resume_without_playing(folder, "idle", &smaller);
    assert!(!records(&folder.join("games")).is_empty());
    assert!(leftovers(&folder.join("games")).is_empty());
}

#[cfg(unix)]
#[test]
fn games_are_kept_though_the_book_has_changed() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let book = folder.join("book.epd");
    fs::write(&book, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n").unwrap();
    fill_spool(folder, "book:book.epd");
    fs::write(&book, "4k3/4p3/8/8/8/8/4P3/4K3 w - -\n").unwrap();
    let more = ["--shard-games", "400", "--openings", "book:book.epd"];
    resume_without_playing(folder, "idle", &quick_games("400", &more));
}

/// A file-size limit stands in for a full disk: writing fails in the middle.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_and_costs_no_finished_game() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let args = quick_games("40", &["--shard-games", "40", "--openings", "random:6"]);
    let line = args.join(" ");
    let line = format!("trap '' XFSZ; ulimit -f 512; exec {} {line}", trainer().display());
    let output = Command::new("bash").args(["-c", &line]).current_dir(folder).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("games.spool"), "{errors}");
    let text = fs::read_to_string(folder.join("games/games.spool")).unwrap();
    assert!(text.ends_with('\n') && text.lines().count() == spooled(folder).len());
    resume_without_playing(folder, "idle", &args);
    run_ok(folder, &args);
    assert_eq!(games(folder).len(), 40);
}

/// Mates at once, but dies of its first game.
#[cfg(unix)]
#[test]
fn another_engine_that_dies_is_restarted() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("book.epd"), "6k1/5ppp/8/8/8/8/8/R5K1 w - -\n").unwrap();
    fs::write(folder.join("search.yaml"), "visits: 1\ntemperature: {start: 0}\n").unwrap();
    let body = "while read -r line; do\n\
                  case \"$line\" in\n\
                    uci) echo 'id name Mortal'; echo uciok ;;\n\
                    isready) echo readyok ;;\n\
                    go*) mkdir grave 2>/dev/null && exit 1\n\
                         echo 'info depth 1 score mate 1 pv a1a8'; echo 'bestmove a1a8' ;;\n\
                    quit) exit ;;\n\
                  esac\n\
                done\n";
    let engine = script(folder, "mortal", body);
    let mut args = vec!["selfplay", "--engine", &engine, "--games", "3", "--out", "games"];
    args.extend(["--config", "search.yaml", "--openings", "book:book.epd"]);
    let mut child = start_with_errors(folder, &args);
    assert!(child.wait().unwrap().success());
    let errors = fs::read_to_string(folder.join("errors.txt")).unwrap();
    assert!(folder.join("grave").exists() && errors.contains("is restarted"), "{errors}");
    assert_eq!(games(folder).len(), 3);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_finished() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let mut child = start(folder, &command("500", &[]));
    wait_for(&mut child, folder, 10);
    let before = seeds(folder);
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(before.len() >= 10 && before.is_subset(&seeds(folder)));
    resume_without_playing(folder, "idle", &command("500", &[]));
}

/// Games that the engine had told, but nobody had heard yet, when Ctrl-C came.
#[cfg(unix)]
#[test]
fn ctrl_c_keeps_games_that_are_on_their_way() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let ours = engine().display().to_string();
    // A slow messenger, so that there are always some.
    let body = format!(
        "if [ \"$1\" != selfplay ]; then exec {ours} \"$@\"; fi\n\
         {ours} \"$@\" | while read -r line; do\n\
           case \"$line\" in\n\
             *'\"reply\":\"game\"'*) sleep 0.3; printf '%s\\n' \"$line\" >> told ;;\n\
           esac\n\
           printf '%s\\n' \"$line\"\n\
         done\n"
    );
    let slow = script(folder, "slow", &body);
    fs::write(folder.join("short.yaml"), "adjudicate: {max_plies: 20}\n").unwrap();
    let told = || -> BTreeSet<u64> {
        let text = fs::read_to_string(folder.join("told")).unwrap_or_default();
        let games = text.lines().filter_map(|line| serde_json::from_str(line).ok());
        games.filter_map(|game: serde_json::Value| game["seed"].as_u64()).collect()
    };
    let mut child = start(folder, &command("500", &["--engine", &slow, "--config", "short.yaml"]));
    wait_for(&mut child, folder, 3);
    interrupt(&child);
    let before = told();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(told().len() > before.len(), "none was on its way");
    assert_eq!(seeds(folder), told());
}

/// How fast the engine was is known as far as it went.
#[test]
fn telemetry_survives_a_kill() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let telemetry = || -> Option<serde_json::Value> {
        let text = fs::read(folder.join("games/telemetry.json")).ok()?;
        serde_json::from_slice(&text).ok()
    };
    let mut child = start(folder, &command("100000", &[]));
    let deadline = Instant::now() + Duration::from_secs(60);
    while telemetry().is_none() {
        assert!(Instant::now() < deadline, "no telemetry");
        sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = telemetry().unwrap();
    let seconds = before["machine"]["seconds"].as_f64().unwrap();
    assert!(seconds > 1.0 && before["machine"]["games"].as_u64().unwrap() > 0, "{before}");
    let mut child = start(folder, &command("100000", &[]));
    wait_for(&mut child, folder, on_disk(folder) + 1);
    interrupt(&child);
    child.wait().unwrap();
    let after = telemetry().unwrap();
    assert!(after["machine"]["seconds"].as_f64().unwrap() > seconds, "{after}");
    assert_eq!(after["games"].as_u64().unwrap() as usize, on_disk(folder));
}
