//! Properties of the UCI parser, over many thousand generated lines.

use engine::uci::{Command, parse};
use proptest::prelude::*;

/// Words that the protocol knows, and some it does not.
const WORDS: &[&str] = &[
    "uci",
    "isready",
    "setoption",
    "name",
    "value",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "movetime",
    "nodes",
    "depth",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
    "stop",
    "quit",
    "debug",
    "on",
    "off",
    "ponderhit",
    "register",
    "ucinewgame",
    "e2e4",
    "e7e8q",
    "0",
    "1",
    "-1",
    "99999999999999999999",
    "1e9",
    "0x10",
    "8/8/8/8/8/8/8/8",
    "w",
    "-",
    "Hash",
    "Clear",
    "NaN",
    "\u{fffd}",
    "\t",
    "",
];

fn config() -> ProptestConfig {
    // Failures are printed with their input; no file of past failures is kept.
    ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_text_is_parsed_or_refused(line in any::<String>()) {
        if let Err(error) = parse(&line) {
            let message = error.to_string();
            prop_assert!(!message.contains(['\n', '\r']));
            prop_assert!(message.len() < 400);
        }
    }

    #[test]
    fn any_mix_of_words_is_parsed_or_refused(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..24)
    ) {
        let line = words.join(" ");
        if let Err(error) = parse(&line) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn a_go_line_means_what_it_says(
        wtime in 0_u64..10_000_000, binc in 0_u64..100_000, depth in 0_u32..400,
        nodes in 0_u64..u64::MAX / 8192, ponder in any::<bool>(), infinite in any::<bool>(),
    ) {
        let mut parts = vec![
            format!("wtime {wtime}"), format!("binc {binc}"), format!("depth {depth}"),
            format!("nodes {nodes}"),
        ];
        if ponder { parts.push("ponder".into()) }
        if infinite { parts.push("infinite".into()) }
        // Any order means the same.
        for _ in 0..parts.len() {
            parts.rotate_left(1);
            let Ok(Some(Command::Go(go))) = parse(&format!("go {}", parts.join("  "))) else {
                return Err(TestCaseError::fail("refused"));
            };
            prop_assert_eq!(go.limits.white.map(|t| t.as_millis()), Some(u128::from(wtime)));
            prop_assert_eq!(go.limits.black_increment.as_millis(), u128::from(binc));
            prop_assert_eq!(go.limits.depth, Some(depth));
            prop_assert!(go.limits.nodes.is_some_and(|n| n == nodes || n >= 3_155_760_000_000));
            prop_assert_eq!((go.limits.ponder, go.limits.infinite), (ponder, infinite));
            prop_assert_eq!((go.limits.black, go.limits.movetime, go.limits.mate), (None, None, None));
        }
    }

    #[test]
    fn option_names_and_values_come_through(name in "[A-Za-z_]{1,12}( [A-Za-z]{1,8}){0,2}", value in "[^\\s]{0,20}") {
        prop_assume!(!name.split(' ').any(|word| word == "value") && value != "value");
        let parsed = parse(&format!("setoption name {name} value {value}"));
        prop_assert_eq!(parsed, Ok(Some(Command::SetOption { name, value })));
    }
}
