//! `trainer suite` with players of every kind.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::driver::{engine, run_in, run_ok, run_refused, stockfish};

/// A mate, a hanging queen, and a move to avoid.
const EPD: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"mate\";\n\
                   3qk3/8/8/8/8/8/8/3RK3 w - - bm Rxd8+; id \"queen\";\n\
                   3rk3/8/8/8/8/8/8/3QK3 w - - am Qd7+; id \"poison\";\n";
const CSV: &str = "PuzzleId,FEN,Moves,Rating,Themes\n\
                   a,6k1/p2R1ppp/8/8/8/8/5K2/8 b - - 0 1,a7a6 d7d8,900,mateIn1 short\n\
                   b,6k1/4Rppp/8/8/8/8/5K2/8 b - - 0 1,h7h6 e7e8 g8h7 e8e1,1800,endgame\n";

#[test]
fn problems_are_counted_by_rating_and_theme() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("a.epd"), EPD).unwrap();
    let packed = zstd::encode_all(CSV.as_bytes(), 3).unwrap();
    fs::write(folder.path().join("b.csv.zst"), packed).unwrap();
    let args = ["suite", "alphabeta?depth=3", "a.epd", "b.csv.zst", "--tc", "depth=3", "--json"];
    let attempts = ["--attempts", "attempts.jsonl", "--unsolved"];
    let text = run_ok(folder.path(), &[&args[..], &attempts].concat());
    let outcomes: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&outcomes[0]["solved"], &outcomes[0]["total"]), (&3.into(), &3.into()), "{text}");
    assert_eq!((&outcomes[1]["solved"], &outcomes[1]["total"]), (&1.into(), &2.into()), "{text}");
    assert_eq!(outcomes[1]["unsolved"][0], "b");
    assert_eq!(outcomes[1]["bands"][0]["from"], 800);
    assert!(outcomes[1]["themes"].to_string().contains("mateIn1"), "{text}");
    assert!(outcomes[1]["rating"]["around"]["rating"].is_f64(), "{text}");
    let lines = fs::read_to_string(folder.path().join("attempts.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 5);

    let table = run_ok(folder.path(), &["suite", "greedy", "a.epd", "b.csv.zst"]);
    assert!(table.contains("greedy at movetime=1") && table.contains("mateIn1"), "{table}");
}

#[test]
fn engines_solve_too() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("a.epd"), EPD).unwrap();
    let ours = format!("cmd:{} --backend random?Threads=1", engine().display());
    let mut players = vec![(ours, Vec::new())];
    if let Some(stockfish) = stockfish() {
        players.push(("stockfish:2500".to_string(), vec!["--stockfish".to_string(), stockfish]));
    }
    for (player, more) in players {
        let mut args = vec!["suite", &player, "a.epd", "--tc", "nodes=3000", "--json"];
        args.extend(more.iter().map(String::as_str));
        let outcomes: Value = serde_json::from_str(&run_ok(folder.path(), &args)).unwrap();
        // Even without knowledge a search of so many nodes finds a mate in one.
        assert!(outcomes[0]["solved"].as_u64().unwrap() >= 1, "{outcomes}");
        assert_eq!(outcomes[0]["faults"], 0);
        assert!(outcomes[0]["nodes_per_problem"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn bad_suites_and_players_are_refused() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("bad.epd"), format!("{EPD}nonsense\n")).unwrap();
    let refused = |args: &[&str]| run_refused(folder.path(), &[&["suite"], args].concat());
    assert!(refused(&["greedy", "bad.epd"]).contains("bad.epd:4: not a FEN"));
    assert!(refused(&["greedy", "missing.epd"]).contains("missing.epd"));
    assert!(refused(&["greedy", "bad.epd", "--skip-bad", "--tc", "10+0.1"]).contains("no clock"));
    assert!(refused(&["oracle", "bad.epd"]).contains("no player"));
    let skipped = run_in(folder.path(), &["suite", "greedy", "bad.epd", "--skip-bad"]);
    assert!(skipped.status.success());
}

/// Moves have values instead of being right or wrong, and players are compared
/// problem by problem.
#[test]
fn labels_with_many_moves_are_suites() {
    let Some(stockfish) = stockfish() else { return };
    let folder = tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.epd"), EPD).unwrap();
    let label = ["label", "a.epd", "--teacher", &stockfish, "--nodes", "5000"];
    run_ok(folder, &[&label[..], &["--multipv", "256", "--out", "rated"]].concat());
    run_ok(folder, &[&label[..], &["--out", "plain"]].concat());
    let suite = ["suite", "alphabeta?depth=3", "rated", "--tc", "depth=3"];
    let more = ["--against", "random", "--attempts", "attempts.jsonl", "--json"];
    let text = run_ok(folder, &[&suite[..], &more].concat());
    let outcomes: Value = serde_json::from_str(&text).unwrap();
    let given_away = |index: usize| outcomes[index]["given_away"]["mean"].as_f64().unwrap();
    assert_eq!(outcomes[0]["total"], 3, "{text}");
    assert!(given_away(0) < 0.05 && given_away(1) > given_away(0), "{text}");
    let difference = outcomes[1]["difference"]["given_away"]["mean"].as_f64().unwrap();
    assert!((difference - (given_away(1) - given_away(0))).abs() < 1e-9, "{text}");
    assert!(outcomes[0]["difference"].is_null(), "{text}");
    let lines = fs::read_to_string(folder.join("attempts.jsonl")).unwrap();
    assert_eq!(lines.matches("\"player\":\"random\"").count(), 3, "{lines}");
    let text = run_ok(folder, &[&suite[..], &["--against", "random"]].concat());
    assert!(text.contains("% of a point") && text.contains("random less alphabeta"), "{text}");
    let errors = run_refused(folder, &["suite", "random", "plain"]);
    assert!(errors.contains("no position in it has values"), "{errors}");
}
