//! `trainer label` with real teachers, with bad ones, and interrupted.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, Position};
use tempfile::{TempDir, tempdir};
use trainer::shards::{Reader, Record, SearchKind, find_shards, validate};

use crate::driver::{engine, interrupt, run_in, run_ok, run_refused, stockfish, trainer};

/// All records, in the order of the files; each makes sense.
fn records(folder: &Path) -> Vec<Record> {
    let shards = find_shards(&[folder.to_path_buf()]).unwrap();
    let records: Vec<Record> = shards
        .iter()
        .flat_map(|path| Reader::open(path).unwrap().records().unwrap())
        .map(Result::unwrap)
        .collect();
    records.iter().for_each(|record| validate(record).unwrap());
    records
}

fn label<'a>(teacher: &'a str, out: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    [&["label", "--teacher", teacher, "--out", out], rest].concat()
}

#[test]
fn stockfish_gives_soft_policies_and_segments() {
    let Some(stockfish) = stockfish() else { return };
    let folder = tempdir().unwrap();
    let flags = [
        "--nodes",
        "300",
        "--multipv",
        "3",
        "--random",
        "20",
        "--follow",
        "2",
        "--follow-random",
        "0.5",
        "--option",
        "Hash=1",
        "--option",
        "Sorcery=1",
    ];
    let output = run_in(folder.path(), &label(&stockfish, "out", &flags));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("no option Sorcery") && errors.contains("MultiPV"), "{errors}");

    let records = records(&folder.path().join("out"));
    assert_eq!(records.len(), 20);
    assert!(records.iter().any(|record| record.plies.len() == 3));
    let mut random_moves = 0;
    for record in &records {
        assert!(record.engine.as_ref().unwrap().starts_with("Stockfish"));
        assert_eq!((record.source.as_str(), record.seed), ("random", Some(0)));
        assert_eq!(record.config.as_ref().unwrap().len(), 64);
        for ply in &record.plies {
            assert_eq!(ply.kind, SearchKind::Teacher);
            assert!(ply.wdl.is_some() && ply.score.is_some());
            assert!(!ply.policy.is_empty() && ply.policy.len() <= 3);
            assert!(ply.policy.iter().all(|target| target.value.is_some()));
            let sum: f32 = ply.policy.iter().map(|target| target.weight).sum();
            assert!((sum - 1.0).abs() < 0.01, "{sum}");
            random_moves += i32::from(ply.played.is_some_and(|m| m != ply.policy[0].m));
        }
    }
    assert!(random_moves > 0);
}

#[test]
fn our_own_engine_teaches_positions_of_every_kind_of_file() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.pgn"), "[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n").unwrap();
    let start = Fen::from_position(&Chess::default(), EnPassantMode::Legal).to_string();
    let list = format!("# a list\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\nnonsense\n{start}\n");
    let packed = zstd::encode_all(list.as_bytes(), 3).unwrap();
    fs::write(path("b.epd.zst"), packed).unwrap();
    // From Chess960: king and rooks where no standard game has them.
    fs::write(path("c.csv"), "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1;e1b1;cp 3;1 2 3\n").unwrap();
    let teacher = format!("{} --backend random --hash 16", engine().display());
    let flags = ["a.pgn", "b.epd.zst", "c.csv", "--nodes", "50", "--option", "Threads=1"];
    let output = run_in(folder.path(), &label(&teacher, "out", &flags));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("b.epd.zst:3: "), "{errors}");

    let found = records(&path("out"));
    let sources: Vec<&str> = found.iter().map(|record| record.source.as_str()).collect();
    // Five positions of the game (its last is mate), one of them in the list too.
    assert_eq!(sources, [["a.pgn"; 5].as_slice(), &["b.epd.zst", "c.csv"]].concat());
    assert!(found[6].chess960 && !found[5].chess960);
    assert!(found[..5].iter().all(|record| record.group == found[0].group));

    // Every other position of the game, wherever that begins.
    run_ok(folder.path(), &label(&teacher, "half", &["a.pgn", "--nodes", "5", "--every", "2"]));
    let half = records(&path("half"));
    assert!((2..=3).contains(&half.len()));
    assert!(half.iter().all(|record| record.start_fen.contains(" w ")) || half.len() == 2);

    // Endgames alone: the list has some, the game has none.
    let flags = ["a.pgn", "b.epd.zst", "c.csv", "--nodes", "5", "--max-men", "12"];
    run_ok(folder.path(), &label(&teacher, "few", &flags));
    let few = records(&path("few"));
    assert!(!few.is_empty() && few.len() < found.len());
    for record in &few {
        let board = record.start_fen.split(' ').next().unwrap();
        assert!(board.chars().filter(|c| c.is_alphabetic()).count() <= 12, "{board}");
    }

    // And its own output, disturbed.
    let flags = ["out", "--nodes", "50", "--random-plies", "1", "--limit", "3"];
    run_ok(folder.path(), &label(&teacher, "again", &flags));
    let again = records(&path("again"));
    assert_eq!(again.len(), 3);
    let known = |record: &Record| found.iter().any(|other| other.start_fen == record.start_fen);
    assert!(!again.iter().any(known));
}

/// An engine of a few lines: plays the first legal move, and has its moods.
/// `moves` are the answers to positions by their number of pieces.
#[cfg(unix)]
fn moody(folder: &TempDir, mood: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path().join("moody");
    let script = format!(
        "#!/bin/sh\n\
         while read -r line; do\n\
           case \"$line\" in\n\
             uci) echo 'id name Moody 1'; echo uciok ;;\n\
             isready) echo readyok ;;\n\
             position*) position=\"$line\" ;;\n\
             go*) {mood}\n\
                  echo 'info depth 1 score cp 20 pv e1d1'; echo 'bestmove e1d1' ;;\n\
             quit) exit ;;\n\
           esac\n\
         done\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// Kings and pawns: in each e1d1 is legal.
#[cfg(unix)]
fn kings(folder: &TempDir, count: usize) {
    let lines = (0..count).map(|n| {
        let (file, rank) = (n % 8, n / 8);
        let row = |file: usize| match (file, 7 - file) {
            (0, after) => format!("p{after}"),
            (before, 0) => format!("{before}p"),
            (before, after) => format!("{before}p{after}"),
        };
        let ranks: Vec<String> =
            (0..4).map(|r| if r == rank { row(file) } else { "8".to_string() }).collect();
        format!("4k3/{}/8/8/4K3 w - - 0 1\n", ranks.join("/"))
    });
    let text: String = lines.collect();
    fs::write(folder.path().join("kings.fen"), text).unwrap();
}

#[cfg(unix)]
const KINGS: [&str; 5] = ["kings.fen", "--nodes", "5", "--processes", "2"];

#[test]
#[cfg(unix)]
fn a_teacher_that_dies_is_restarted() {
    let folder = tempdir().unwrap();
    kings(&folder, 30);
    let mood = "n=$((n + 1)); if [ $n = 10 ]; then echo 'out of cheese' >&2; exit 3; fi";
    let output = run_ok(folder.path(), &label(&moody(&folder, mood), "out", &KINGS));
    assert_eq!(records(&folder.path().join("out")).len(), 30);
    let restarts = output.lines().find(|line| line.starts_with("restarts")).unwrap();
    assert!(restarts.ends_with(" 2") || restarts.ends_with(" 3"), "{output}");
}

#[test]
#[cfg(unix)]
fn a_position_that_always_kills_is_skipped_and_named() {
    let folder = tempdir().unwrap();
    kings(&folder, 12);
    // The one hangs, the other makes it say an illegal move, the third kills it.
    let mood = "case \"$position\" in \
                *4k3/2p5/*) sleep 30 ;; \
                *4k3/3p4/*) echo 'bestmove e1e8'; continue ;; \
                *4k3/4p3/*) echo 'stack overflow' >&2; kill -9 $$ ;; esac";
    let flags = [&KINGS[..], &["--timeout", "0.4"]].concat();
    let output = run_in(folder.path(), &label(&moody(&folder, mood), "out", &flags));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    for (place, cause) in [
        ("4k3/2p5/8/8/8/8/8/4K3 w - - 0 1", "within 0.4 s"),
        ("4k3/3p4/8/8/8/8/8/4K3 w - - 0 1", "e1e8"),
        ("4k3/4p3/8/8/8/8/8/4K3 w - - 0 1", "stack overflow"),
    ] {
        let line = errors.lines().find(|line| line.contains(place));
        let line = line.unwrap_or_else(|| panic!("{place} is not named: {errors}"));
        assert!(line.contains("skipped") && line.contains(cause), "{line}");
    }
    let labeled = records(&folder.path().join("out"));
    assert_eq!(labeled.len(), 9);
    assert!(!labeled.iter().any(|record| record.start_fen.contains("k3/3p4/")));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("12 of 12"), "{text}");
}

#[test]
#[cfg(unix)]
fn a_teacher_that_always_dies_ends_the_run() {
    let folder = tempdir().unwrap();
    kings(&folder, 30);
    let teacher = moody(&folder, "exit 9");
    let errors = run_refused(folder.path(), &label(&teacher, "out", &KINGS));
    assert!(errors.contains("20 positions in a row"), "{errors}");
    assert!(errors.contains("exit status: 9"), "{errors}");
    // Mended, it does them all.
    moody(&folder, "");
    run_ok(folder.path(), &label(&teacher, "out", &KINGS));
    assert_eq!(records(&folder.path().join("out")).len(), 30);
}

#[test]
#[cfg(unix)]
fn what_is_no_teacher_is_refused() {
    let folder = tempdir().unwrap();
    let flags = ["--nodes", "5", "--random", "3", "--timeout", "0.5"];
    for (teacher, complaint) in [
        ("/bin/cat", "no `uciok` within 0.5 s; it said: uci"),
        ("/bin/false", "it ended (exit status: 1) before `uciok`; it said nothing"),
        ("sh -c 'echo I play checkers >&2; exit 2'", "it said: I play checkers"),
        ("no/such/engine --fast", "cannot start `no/such/engine --fast`"),
        ("'sh", "are all quotes closed?"),
    ] {
        let errors = run_refused(folder.path(), &label(teacher, "out", &flags));
        assert!(errors.contains(complaint), "{teacher}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
    let teacher = moody(&folder, "");
    let refused = |rest: &[&str]| {
        run_refused(folder.path(), &label(&teacher, "out", &[&flags[..], rest].concat()))
    };
    assert!(refused(&["--multipv", "2"]).contains("has no option MultiPV"));
    assert!(refused(&["--option", "MultiPV=2"]).contains("--multipv"));
    assert!(refused(&["--sample", "2"]).contains("from 0 to 1"));
    assert!(refused(&["missing.pgn"]).contains("missing.pgn"));
    let engine = engine().display().to_string();
    let errors = run_refused(
        folder.path(),
        &label(&engine, "out", &[&flags[..], &["--option", "Threads=x"]].concat()),
    );
    assert!(errors.contains("option Threads cannot be `x`"), "{errors}");
}

/// Removes what differs from run to run.
fn contents(folder: &Path) -> Vec<(String, Vec<Record>)> {
    let shards = find_shards(&[folder.to_path_buf()]).unwrap();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    shards.iter().map(|path| (name(path), records(path))).collect()
}

fn start(folder: &Path, args: &[&str]) -> Child {
    Command::new(trainer())
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_and_taken_up_again_the_shards_are_the_same() {
    let Some(stockfish) = stockfish() else { return };
    let folder = tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let flags = [
        "--nodes",
        "2000",
        "--new-game",
        "--random",
        "120",
        "--follow",
        "1",
        "--part-size",
        "16",
        "--option",
        "Hash=1",
    ];
    let started = Instant::now();
    let alone = [&flags[..], &["--processes", "1"]].concat();
    run_ok(folder.path(), &label(&stockfish, "whole", &alone));
    let whole_time = started.elapsed();
    let expected = contents(&out("whole"));
    assert_eq!(expected.len(), 8);
    assert_eq!(expected.iter().map(|(_, records)| records.len()).sum::<usize>(), 120);

    let several = [&flags[..], &["--processes", "3"]].concat();
    let args = label(&stockfish, "killed", &several);
    let mut kills = 0;
    for _ in 0..3 {
        let mut child = start(folder.path(), &args);
        sleep(whole_time / 5);
        kills += i32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(kills > 0);
    run_ok(folder.path(), &args);
    assert_eq!(contents(&out("killed")), expected);

    // Done: nothing is done again, and other settings are refused.
    let text = run_ok(folder.path(), &args);
    assert!(text.contains("120 of 120"), "{text}");
    assert_eq!(contents(&out("killed")), expected);
    let errors = run_refused(folder.path(), &[&args[..], &["--seed", "5"]].concat());
    assert!(errors.contains("positions.seed 0, now 5"), "{errors}");
}

#[test]
#[cfg(unix)]
fn ctrl_c_saves_and_the_next_run_goes_on() {
    let folder = tempdir().unwrap();
    kings(&folder, 30);
    let mood = "echo x >> searches; sleep 0.05";
    let args = label(&moody(&folder, mood), "out", &KINGS)
        .iter()
        .map(|a| a.to_string())
        .collect::<Vec<_>>();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let searches = || fs::read(folder.path().join("searches")).map_or(0, |text| text.len() / 2);
    let mut child = start(folder.path(), &args);
    let deadline = Instant::now() + Duration::from_secs(20);
    while searches() < 8 && Instant::now() < deadline {
        sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // Not one search was in vain.
    let text = run_ok(folder.path(), &args);
    assert!(text.contains("30 of 30"), "{text}");
    assert_eq!(searches(), 30);
    let fens: Vec<String> =
        records(&folder.path().join("out")).into_iter().map(|record| record.start_fen).collect();
    let list = fs::read_to_string(folder.path().join("kings.fen")).unwrap();
    assert_eq!(fens, list.lines().map(str::to_string).collect::<Vec<_>>());
}

#[test]
fn random_positions_are_distinct_and_playable() {
    let folder = tempdir().unwrap();
    let teacher = format!("{} --backend random --hash 16", engine().display());
    let flags = ["--nodes", "2", "--random", "200", "--seed", "9", "--option", "Threads=1"];
    run_ok(folder.path(), &label(&teacher, "out", &flags));
    let mut fens: Vec<String> =
        records(&folder.path().join("out")).into_iter().map(|record| record.start_fen).collect();
    for fen in &fens {
        let position: Chess =
            fen.parse::<Fen>().unwrap().into_position(shakmaty::CastlingMode::Standard).unwrap();
        assert!(!position.is_game_over());
    }
    fens.sort();
    fens.dedup();
    assert_eq!(fens.len(), 200);
}
