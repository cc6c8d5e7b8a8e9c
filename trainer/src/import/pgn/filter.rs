//! Which games are wanted.

use crate::shards::Outcome;
use engine::search::Random;
use serde::{Deserialize, Serialize};

/// The rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    Standard,
    Chess960,
}

impl Variant {
    /// From the PGN tag; `None` for variants with rules of their own. Spaces,
    /// dashes and case differ from site to site.
    pub fn parse(tag: &str) -> Option<Variant> {
        let letters = tag.chars().filter(char::is_ascii_alphanumeric);
        let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        match name.as_str() {
            "" | "standard" | "normal" | "chess" | "fromposition" => Some(Variant::Standard),
            "chess960" | "960" | "frc" | "fischerandom" | "fischerrandom" | "fischerandomchess"
            | "fischerrandomchess" | "freestyle" | "freestylechess" => Some(Variant::Chess960),
            _ => None,
        }
    }
}

/// Why a game is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Rating,
    Result,
    Termination,
    Variant,
    NoMoves,
    Length,
    Sampling,
}

impl Reason {
    pub fn text(self) -> &'static str {
        match self {
            Reason::Rating => "rating",
            Reason::Result => "result",
            Reason::Termination => "termination",
            Reason::Variant => "variant",
            Reason::NoMoves => "no moves",
            Reason::Length => "length",
            Reason::Sampling => "sampling",
        }
    }
}

/// `Err` is the reason to leave the game out.
pub type Passed = Result<(), Reason>;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Filter {
    /// For both players; games without ratings are left out if either is set.
    pub min_elo: Option<u16>,
    pub max_elo: Option<u16>,
    pub results: Vec<Outcome>,
    /// The `Termination` tag must contain one of these, in any case; empty: all.
    pub terminations: Vec<String>,
    /// And none of these.
    pub skipped_terminations: Vec<String>,
    pub variants: Vec<Variant>,
    pub min_plies: usize,
    pub max_plies: usize,
    /// The share of games to keep, by a hash of game and seed.
    pub sample: f64,
    pub seed: u64,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            min_elo: None,
            max_elo: None,
            results: Outcome::ALL.to_vec(),
            terminations: Vec::new(),
            skipped_terminations: Vec::new(),
            variants: vec![Variant::Standard, Variant::Chess960],
            min_plies: 1,
            max_plies: usize::MAX,
            sample: 1.0,
            seed: 0,
        }
    }
}

impl Filter {
    pub fn ratings(&self, white: Option<u16>, black: Option<u16>) -> Passed {
        let fits = |elo: Option<u16>| {
            self.min_elo.is_none_or(|min| elo.is_some_and(|elo| elo >= min))
                && self.max_elo.is_none_or(|max| elo.is_some_and(|elo| elo <= max))
        };
        pass(fits(white) && fits(black), Reason::Rating)
    }

    pub fn result(&self, result: Outcome) -> Passed {
        pass(self.results.contains(&result), Reason::Result)
    }

    pub fn termination(&self, text: &str) -> Passed {
        let text = text.to_lowercase();
        let found = |words: &[String]| words.iter().any(|word| text.contains(&word.to_lowercase()));
        let wanted = self.terminations.is_empty() || found(&self.terminations);
        pass(wanted && !found(&self.skipped_terminations), Reason::Termination)
    }

    pub fn variant(&self, variant: Option<Variant>) -> Passed {
        let wanted = variant.is_some_and(|variant| self.variants.contains(&variant));
        pass(wanted, Reason::Variant)
    }

    pub fn plies(&self, plies: usize) -> Passed {
        pass(plies > 0, Reason::NoMoves)?;
        pass((self.min_plies..=self.max_plies).contains(&plies), Reason::Length)
    }

    /// Goes by the game alone, so that the same games stay in whatever else is
    /// imported with them.
    pub fn sample(&self, id: u64) -> Passed {
        let seed = Random::new(self.seed).next_u64();
        pass(Random::new(seed ^ id).unit() < self.sample, Reason::Sampling)
    }
}

fn pass(wanted: bool, reason: Reason) -> Passed {
    if wanted { Ok(()) } else { Err(reason) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_count_for_both_players() {
        let filter = Filter { min_elo: Some(2000), max_elo: Some(2500), ..Filter::default() };
        assert_eq!(filter.ratings(Some(2000), Some(2500)), Ok(()));
        assert_eq!(filter.ratings(Some(1999), Some(2500)), Err(Reason::Rating));
        assert_eq!(filter.ratings(Some(2000), Some(2501)), Err(Reason::Rating));
        assert_eq!(filter.ratings(Some(2000), None), Err(Reason::Rating));
        assert_eq!(Filter::default().ratings(None, None), Ok(()));
    }

    #[test]
    fn terminations_match_by_part_and_case() {
        let skipped = vec!["time forfeit".to_string(), "Abandoned".to_string()];
        let filter = Filter { skipped_terminations: skipped, ..Filter::default() };
        assert_eq!(filter.termination("White lost by Time Forfeit"), Err(Reason::Termination));
        assert_eq!(filter.termination("abandoned"), Err(Reason::Termination));
        assert_eq!(filter.termination(""), Ok(()));
        let filter = Filter { terminations: vec!["normal".into()], ..Filter::default() };
        assert_eq!(filter.termination("Normal"), Ok(()));
        assert_eq!(filter.termination(""), Err(Reason::Termination));
    }

    #[test]
    fn sampling_keeps_its_share_and_repeats() {
        let kept = |seed| -> Vec<u64> {
            let filter = Filter { sample: 0.3, seed, ..Filter::default() };
            (0..10_000).filter(|&id| filter.sample(id).is_ok()).collect()
        };
        assert!((2_800..3_200).contains(&kept(1).len()));
        assert_eq!(kept(1), kept(1));
        assert_ne!(kept(1), kept(2));
    }

    #[test]
    fn variants_have_many_spellings() {
        assert_eq!(Variant::parse("Chess 960"), Some(Variant::Chess960));
        assert_eq!(Variant::parse("fischerandom"), Some(Variant::Chess960));
        assert_eq!(Variant::parse("From Position"), Some(Variant::Standard));
        assert_eq!(Variant::parse("Crazyhouse"), None);
    }
}
