//! Baselines by name. In: a name and `key=value` options. Out: a [`Baseline`],
//! or what is wrong and what would be right.

use super::alpha_beta::DEPTHS;
use super::rollouts::{EXPLORATIONS, LENGTHS, ROLLOUTS};
use super::{AlphaBetaSettings, Baseline, MctsSettings};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

impl Baseline {
    /// The baseline of that name; `None` if there is none.
    pub fn parse(name: &str, options: &[(String, String)]) -> Option<Result<Baseline, String>> {
        let mut baseline = match name {
            "random" => Baseline::Random,
            "greedy" => Baseline::Greedy,
            "mcts" => Baseline::Mcts(MctsSettings::default()),
            "alphabeta" => Baseline::AlphaBeta(AlphaBetaSettings::default()),
            _ => return None,
        };
        let set = options.iter().try_for_each(|(key, value)| baseline.set(key, value));
        Some(match set {
            Ok(()) => Ok(baseline),
            Err(reason) => Err(format!("{name}: {reason}; {}", baseline.usage())),
        })
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let done = match (self, key) {
            (Baseline::Mcts(settings), "rollouts") => read(value, ROLLOUTS, &mut settings.rollouts),
            (Baseline::Mcts(settings), "exploration") => {
                read(value, EXPLORATIONS, &mut settings.exploration)
            }
            (Baseline::Mcts(settings), "length") => read(value, LENGTHS, &mut settings.length),
            (Baseline::AlphaBeta(settings), "depth") => read(value, DEPTHS, &mut settings.depth),
            _ => return Err(format!("no option '{key}'")),
        };
        done.ok_or_else(|| format!("{key}={value} is not allowed"))
    }

    fn usage(&self) -> String {
        match self {
            Baseline::Random | Baseline::Greedy => "it has no options".into(),
            Baseline::Mcts(_) => format!(
                "its options are rollouts={}, exploration={} and length={}",
                span(ROLLOUTS),
                span(EXPLORATIONS),
                span(LENGTHS)
            ),
            Baseline::AlphaBeta(_) => format!("its option is depth={}", span(DEPTHS)),
        }
    }
}

/// Sets `target` if `value` is a number within `allowed`.
fn read<T: FromStr + PartialOrd>(
    value: &str,
    allowed: RangeInclusive<T>,
    target: &mut T,
) -> Option<()> {
    *target = value.parse().ok().filter(|number| allowed.contains(number))?;
    Some(())
}

fn span<T: Display>(allowed: RangeInclusive<T>) -> String {
    format!("{}..{}", allowed.start(), allowed.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, options: &str) -> Option<Result<Baseline, String>> {
        let options: Vec<(String, String)> = options
            .split_whitespace()
            .map(|option| option.split_once('=').unwrap())
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        Baseline::parse(name, &options)
    }

    fn refusal(name: &str, options: &str) -> String {
        parse(name, options).unwrap().unwrap_err()
    }

    #[test]
    fn names_and_options() {
        assert_eq!(parse("random", ""), Some(Ok(Baseline::Random)));
        assert_eq!(parse("greedy", ""), Some(Ok(Baseline::Greedy)));
        let mcts = MctsSettings { rollouts: 800, exploration: 1.2, length: 7 };
        let text = "rollouts=800 exploration=1.2 length=7";
        assert_eq!(parse("mcts", text), Some(Ok(Baseline::Mcts(mcts))));
        assert_eq!(parse("mcts", ""), Some(Ok(Baseline::Mcts(MctsSettings::default()))));
        let deep = AlphaBetaSettings { depth: 4 };
        assert_eq!(parse("alphabeta", "depth=4"), Some(Ok(Baseline::AlphaBeta(deep))));
        assert_eq!(parse("stockfish", "depth=4"), None);
    }

    #[test]
    fn refusals_say_what_is_allowed() {
        assert_eq!(
            refusal("alphabeta", "depth=9"),
            "alphabeta: depth=9 is not allowed; its option is depth=1..8"
        );
        assert_eq!(
            refusal("mcts", "rollouts=10 depth=3"),
            "mcts: no option 'depth'; its options are rollouts=1..1000000, exploration=0..10 and \
             length=1..1000"
        );
        assert_eq!(refusal("random", "depth=3"), "random: no option 'depth'; it has no options");
        for bad in ["rollouts=0", "rollouts=1000001", "rollouts=x", "exploration=NaN", "length=-1"]
        {
            assert!(refusal("mcts", bad).contains("not allowed"), "{bad}");
        }
        assert!(refusal("alphabeta", "depth=0").contains("1..8"));
    }

    #[test]
    fn written_with_name_and_settings() {
        let written = |baseline: Baseline| serde_json::to_string(&baseline).unwrap();
        assert_eq!(written(Baseline::Random), r#"{"name":"random"}"#);
        let deep = Baseline::AlphaBeta(AlphaBetaSettings { depth: 4 });
        assert_eq!(written(deep), r#"{"name":"alphabeta","depth":4}"#);
    }
}
