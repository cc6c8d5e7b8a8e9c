//! What a match came to: a table for people, JSON for programs.

use super::MatchSettings;
use super::standings::{PlayerTally, Standings};
use crate::statistics::{
    CONFIDENCE, Comparison, Decision, Interval, Pairs, Rating, Sprt, Tally, rate,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Families of openings in the text; JSON has them all.
const SHOWN_OPENINGS: usize = 5;

#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Best first.
    pub players: Vec<PlayerLine>,
    pub encounters: Vec<EncounterLine>,
    pub games: u64,
    /// By the family of the opening, the most played first.
    pub openings: Vec<OpeningLine>,
    /// How the games ended.
    pub endings: BTreeMap<String, u64>,
    pub sprt: Option<SprtLine>,
    /// Milliseconds per move outside of the players' thinking, the preparation of
    /// new games included.
    pub overhead_ms: f64,
    /// Whether any rating is anchored; otherwise their mean is 0.
    pub anchored: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct PlayerLine {
    pub name: String,
    pub rating: Option<Rating>,
    pub interval: Option<Interval>,
    pub games: Tally,
    pub score: f64,
    pub draw_rate: f64,
    pub faults: BTreeMap<String, u64>,
    pub seconds_per_move: f64,
    pub nodes_per_second: f64,
    pub mean_depth: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct OpeningLine {
    pub name: String,
    /// In White's view.
    pub games: Tally,
}

/// In the first player's view.
#[derive(Clone, Debug, Serialize)]
pub struct EncounterLine {
    pub first: String,
    pub second: String,
    pub games: Tally,
    /// Pairs with 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: Pairs,
    pub draw_rate: f64,
    pub comparison: Option<Comparison>,
}

#[derive(Clone, Debug, Serialize)]
pub struct SprtLine {
    pub settings: Sprt,
    pub llr: f64,
    pub lower: f64,
    pub upper: f64,
    pub decision: Option<Decision>,
}

impl SprtLine {
    pub fn new(sprt: Sprt, pairs: &Pairs) -> SprtLine {
        let (lower, upper) = sprt.bounds();
        let llr = sprt.llr(pairs);
        SprtLine { settings: sprt, llr, lower, upper, decision: sprt.decision(pairs) }
    }
}

impl Report {
    pub fn new(settings: &MatchSettings, standings: &Standings) -> Report {
        let anchors: Vec<Option<f64>> =
            settings.players.iter().map(|player| player.anchor).collect();
        let ratings = rate(&anchors, &standings.encounters());
        let mut players: Vec<PlayerLine> = settings
            .players
            .iter()
            .zip(&standings.players)
            .zip(ratings)
            .map(|((spec, tally), rating)| player_line(&spec.name, tally, rating))
            .collect();
        let strength =
            |line: &PlayerLine| line.rating.map_or((0, line.score), |rating| (1, rating.elo));
        players.sort_by(|a, b| {
            strength(b).partial_cmp(&strength(a)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let name = |index: usize| settings.players[index].name.clone();
        let encounters = standings.encounters.iter().map(|encounter| EncounterLine {
            first: name(encounter.first),
            second: name(encounter.second),
            games: encounter.games,
            pairs: encounter.pairs,
            draw_rate: encounter.games.draw_rate(),
            comparison: Comparison::new(&encounter.pairs),
        });
        let moves: u64 = standings.players.iter().map(|player| player.moves).sum();
        Report {
            players,
            encounters: encounters.collect(),
            games: standings.games,
            openings: openings(standings),
            endings: named(&standings.endings),
            sprt: settings.sprt.map(|sprt| SprtLine::new(sprt, &standings.encounters[0].pairs)),
            overhead_ms: 1000.0 * standings.overhead / moves.max(1) as f64,
            anchored: anchors.iter().any(Option::is_some),
        }
    }
}

fn openings(standings: &Standings) -> Vec<OpeningLine> {
    let line = |(name, games): (&String, &Tally)| OpeningLine { name: name.clone(), games: *games };
    let mut lines: Vec<OpeningLine> = standings.openings.iter().map(line).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.games.games()));
    lines
}

fn named(endings: &BTreeMap<super::Ending, u64>) -> BTreeMap<String, u64> {
    endings.iter().map(|(ending, count)| (ending.text().to_string(), *count)).collect()
}

fn player_line(name: &str, tally: &PlayerTally, rating: Option<Rating>) -> PlayerLine {
    let seconds = tally.microseconds as f64 / 1e6;
    PlayerLine {
        name: name.to_string(),
        interval: rating.map(|rating| Interval::around(rating.elo, rating.error)),
        rating,
        games: tally.games,
        score: tally.games.score(),
        draw_rate: tally.games.draw_rate(),
        faults: named(&tally.faults),
        seconds_per_move: seconds / tally.moves.max(1) as f64,
        nodes_per_second: if seconds > 0.0 { tally.nodes as f64 / seconds } else { 0.0 },
        mean_depth: (tally.depths.0 > 0).then(|| tally.depths.1 as f64 / tally.depths.0 as f64),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for encounter in &self.encounters {
            writeln!(f, "{encounter}")?;
        }
        if let Some(sprt) = &self.sprt {
            writeln!(f, "{sprt}")?;
        }
        if self.players.len() > 2 || self.anchored {
            writeln!(f)?;
            self.table(f)?;
        }
        for player in self.players.iter().filter(|player| !player.faults.is_empty()) {
            let faults: Vec<String> =
                player.faults.iter().map(|(fault, count)| format!("{count} by {fault}")).collect();
            writeln!(f, "{} lost {}", player.name, faults.join(", "))?;
        }
        let openings: Vec<String> =
            self.openings.iter().take(SHOWN_OPENINGS).map(OpeningLine::to_string).collect();
        writeln!(f, "most played, results for White: {}", openings.join(", "))?;
        let endings: Vec<String> =
            self.endings.iter().map(|(ending, count)| format!("{count} {ending}")).collect();
        write!(f, "{} games: {}", self.games, endings.join(", "))?;
        write!(f, "\n{:.2} ms per move outside of the players' thinking", self.overhead_ms)
    }
}

impl Report {
    fn table(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let width =
            self.players.iter().map(|player| player.name.chars().count()).max().unwrap_or(0);
        let width = width.max("player".len());
        writeln!(f, "  # {:width$} rating  +/-  games  score  draws   s/move  depth", "player")?;
        for (place, player) in self.players.iter().enumerate() {
            write!(f, "{:3} {:width$}", place + 1, player.name)?;
            match player.rating {
                Some(rating) if rating.anchored => write!(f, " {:6.0}  fix", rating.elo)?,
                Some(rating) => {
                    write!(f, " {:6.0} {:4.0}", rating.elo, CONFIDENCE * rating.error)?;
                }
                None => write!(f, "      ?    ?")?,
            }
            write!(
                f,
                "  {:5} {:5.1}% {:5.1}% {:8.3}",
                player.games.games(),
                100.0 * player.score,
                100.0 * player.draw_rate,
                player.seconds_per_move
            )?;
            match player.mean_depth {
                Some(depth) => write!(f, "  {depth:5.1}")?,
                None => write!(f, "      -")?,
            }
            let damped = player.rating.is_some_and(|rating| rating.damped);
            writeln!(f, "{}", if damped { "  *" } else { "" })?;
        }
        let scale = if self.anchored { "anchored" } else { "mean 0" };
        writeln!(f, "    Elo ({scale}) with 95 % intervals")?;
        if self.players.iter().any(|player| player.rating.is_some_and(|rating| rating.damped)) {
            writeln!(
                f,
                "  * somebody won or lost everything: each encounter counts one more drawn game"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for OpeningLine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Tally { wins, draws, losses } = self.games;
        write!(f, "{} +{wins} ={draws} -{losses}", self.name)
    }
}

impl fmt::Display for EncounterLine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Tally { wins, draws, losses } = self.games;
        write!(f, "{} against {}: +{wins} ={draws} -{losses}", self.first, self.second)?;
        let Some(comparison) = self.comparison else { return write!(f, ", no whole pair yet") };
        write!(
            f,
            ", {:.1} %, Elo {} [{}, {}], normalized {}, LOS {:.1} %, draws {:.1} %, pairs {:?}",
            100.0 * comparison.score,
            elo(comparison.elo),
            elo(comparison.interval.low),
            elo(comparison.interval.high),
            elo(comparison.normalized_elo),
            100.0 * comparison.los,
            100.0 * self.draw_rate,
            self.pairs.0,
        )
    }
}

impl fmt::Display for SprtLine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Sprt { elo0, elo1, .. } = self.settings;
        write!(
            f,
            "LLR {:.2} [{:.2}, {:.2}] for [{elo0}, {elo1}]",
            self.llr, self.lower, self.upper
        )?;
        match self.decision {
            Some(Decision::H0) => write!(f, ": H0 accepted, the difference is rather {elo0}"),
            Some(Decision::H1) => write!(f, ": H1 accepted, the difference is rather {elo1}"),
            None => write!(f, ": not decided"),
        }
    }
}

/// With its sign.
pub fn elo(value: f64) -> String {
    match value {
        f64::INFINITY => "+inf".to_string(),
        f64::NEG_INFINITY => "-inf".to_string(),
        value => format!("{value:+.1}"),
    }
}
