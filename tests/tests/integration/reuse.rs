//! The tree goes along from move to move.

use crate::driver::{Engine, best_and_ponder, is_best};
use crate::info::Info;

/// Visits that the root of the last search brought along.
fn carried(lines: &[String]) -> u64 {
    let line = lines.iter().find(|line| line.contains(" carried ")).expect("no totals");
    let mut words = line.split(' ').skip_while(|word| *word != "carried");
    words.nth(1).unwrap().parse().unwrap()
}

fn answer(lines: &[String]) -> (String, String) {
    let (best, ponder) = best_and_ponder(lines.last().unwrap());
    (best, ponder.expect("no ponder move"))
}

fn start(mut engine: Engine) -> Engine {
    engine.ready();
    engine.send("debug on");
    engine
}

#[test]
fn the_tree_follows_the_game() {
    for mut engine in [start(Engine::random()), start(Engine::tiny())] {
        engine.send("position startpos");
        let lines = engine.go("go nodes 1000");
        assert_eq!(carried(&lines), 0);
        let (best, reply) = answer(&lines);
        engine.send(&format!("position startpos moves {best} {reply}"));
        let lines = engine.go("go nodes 1000");
        let first = carried(&lines);
        assert!(first > 1, "nothing carried");
        // What was carried counts: the limit is on the whole tree.
        assert!(Info::last(&lines).nodes <= 1001);
        let (third, _) = answer(&lines);
        // The other side's search, one ply on, finds its part as well.
        engine.send(&format!("position startpos moves {best} {reply} {third}"));
        assert!(carried(&engine.go("go nodes 1000")) > 1);
        // Another game does not.
        engine.send("position startpos moves h2h3");
        assert_eq!(carried(&engine.go("go nodes 100")), 0);
    }
}

#[test]
fn a_ponder_search_is_not_lost() {
    let mut engine = start(Engine::tiny());
    engine.send("position startpos");
    let (best, reply) = answer(&engine.go("go nodes 500"));
    let guess = format!("position startpos moves {best} {reply}");
    engine.send(&guess);
    engine.send("go ponder wtime 3000 btime 3000");
    engine.read_until(|line| Info::parse(line).is_some());
    engine.send("ponderhit");
    let lines = engine.read_until(is_best);
    let visits = Info::last(&lines).nodes;
    let (best, reply) = answer(&lines);
    engine.send(&format!("{guess} {best} {reply}"));
    let kept = carried(&engine.go("go nodes 100"));
    assert!(kept > 1 && kept < visits, "{kept} of {visits}");
    // The opponent played otherwise: stop, and go on from there.
    engine.send(&guess);
    engine.send("go ponder wtime 3000 btime 3000");
    engine.read_until(|line| Info::parse(line).is_some());
    assert!(is_best(engine.stop().last().unwrap()));
    engine.send("position startpos moves e2e4");
    assert_eq!(carried(&engine.go("go nodes 100")), 0);
}

#[test]
fn a_new_game_and_clear_hash_forget() {
    let mut engine = start(Engine::random());
    for forget in ["ucinewgame", "setoption name Clear Hash", "setoption name Hash value 48"] {
        engine.send("position startpos");
        engine.go("go nodes 500");
        engine.send(forget);
        assert_eq!(carried(&engine.go("go nodes 500")), 0, "{forget}");
        assert!(carried(&engine.go("go nodes 600")) >= 500);
    }
    engine.send("debug off");
    assert!(!engine.go("go nodes 700").iter().any(|line| line.contains("carried")));
}

#[test]
fn the_same_search_twice_gives_the_same_lines() {
    let untimed = |line: &String| {
        let words: Vec<&str> = line.split(" nps ").collect();
        let rest = words.get(1).map_or("", |rest| rest.split_once(" pv").map_or("", |p| p.1));
        format!("{}{rest}", words[0])
    };
    let mut engine = Engine::random();
    engine.ready();
    let mut runs = (0..2).map(|_| {
        engine.send("setoption name Clear Hash");
        engine.send("position startpos");
        let lines = engine.go("go nodes 2000");
        lines[lines.len() - 2..].iter().map(untimed).collect::<Vec<_>>()
    });
    assert_eq!(runs.next(), runs.next());
}
