//! `VerboseMoveStats`, as Nibbler reads it.

use regex::{Captures, Regex};

use crate::driver::Engine;
use crate::game::{Game, KIWIPETE};

/// lc0's line: move, index, N, visits in flight, P, WL, D, M, Q, U, S, V.
const FORMAT: &str = concat!(
    r"^info string (?<move>\S+) +\((?<index>\d+) *\) N: +(?<n>\d+) \(\+ *(?<flight>\d+)\) ",
    r"\(P: +(?<p>\d+\.\d+)%\) \(WL: +(?<wl>-?\d\.\d+)\) \(D: (?<d>\d\.\d+)\) ",
    r"\(M: +-?\d+\.\d\) \(Q: +(?<q>-?\d\.\d+)\) \(U: +(?<u>\d+\.\d+)\) ",
    r"\(S: +(?<s>-?\d+\.\d+)\) \(V: +(?:-?\d\.\d+|-\.----)\) ?$"
);

#[test]
fn statistics_of_every_root_move_and_the_node_itself() {
    let format = Regex::new(FORMAT).unwrap();
    for mut engine in [Engine::random(), Engine::tiny()] {
        engine.ready();
        engine.set("VerboseMoveStats", "true");
        let game = Game::new(KIWIPETE);
        engine.send(&game.command());
        let lines = engine.go("go nodes 1500");
        let best = game.check(&lines);
        // The report just before the best move.
        let stats: Vec<_> = lines[..lines.len() - 1]
            .iter()
            .rev()
            .take_while(|line| line.starts_with("info string "))
            .map(|line| format.captures(line).unwrap_or_else(|| panic!("{line:?}")))
            .collect();
        let number = |stat: &Captures<'_>, name: &str| stat[name].parse::<f64>().unwrap();
        assert_eq!(stats.len(), 48 + 1);
        assert_eq!(&stats[0]["move"], "node");
        assert_eq!(&stats[1]["move"], best, "the best move is next to the node");
        let (mut visits, mut policy) = (0.0, 0.0);
        for stat in &stats[1..] {
            assert!(game.read(&stat["move"]).is_some(), "{:?}", &stat["move"]);
            let [n, p, q, d, u, s] = ["n", "p", "q", "d", "u", "s"].map(|name| number(stat, name));
            assert!(q.abs() <= 1.0 || n == 0.0);
            assert!((0.0..=1.0).contains(&d));
            assert!((q + u - s).abs() < 1e-4);
            visits += n;
            policy += p;
        }
        assert_eq!(visits + 1.0, number(&stats[0], "n"));
        assert!((policy - 100.0).abs() < 0.5, "{policy} %");
    }
}

#[test]
fn without_the_option_there_are_none() {
    let mut engine = Engine::random();
    engine.ready();
    assert!(!engine.go("go nodes 200").iter().any(|line| line.contains("(P:")));
}
