//! The match while it is played: a bar on a terminal, a line now and then in a
//! log.

use super::report::{SprtLine, elo};
use super::standings::Standings;
use super::{GameRecord, MatchSettings};
use crate::progress;
use crate::statistics::Comparison;
use indicatif::{HumanDuration, ProgressBar};
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Between lines of a log.
const QUIET: Duration = Duration::from_secs(15);

pub struct Progress {
    bar: Option<ProgressBar>,
    shown: bool,
    total: u64,
    /// Games that were finished before.
    before: u64,
    started: Instant,
    said: Instant,
}

impl Progress {
    pub fn new(total: u64, before: u64, shown: bool) -> Progress {
        let terminal = shown && std::io::stderr().is_terminal();
        let bar = terminal.then(|| progress::bar(Some(total), "games"));
        let now = Instant::now();
        Progress { bar, shown, total, before, started: now, said: now }
    }

    /// After every game.
    pub fn update(&mut self, settings: &MatchSettings, standings: &Standings) {
        let text = self.text(settings, standings);
        match &self.bar {
            Some(bar) => {
                bar.set_position(standings.games);
                bar.set_message(text);
            }
            None if self.shown && self.said.elapsed() >= QUIET => {
                self.said = Instant::now();
                eprintln!("{}/{} games{text}", standings.games, self.total);
            }
            None => {}
        }
    }

    /// A game that ended by a fault is worth a line of its own.
    pub fn fault(&self, game: &GameRecord) {
        let line = format!(
            "game {}: {} lost against {} by {}{}",
            game.game + 1,
            game.loser().unwrap_or_default(),
            if game.loser() == Some(&game.white) { &game.black } else { &game.white },
            game.ending.text(),
            game.fault.as_ref().map_or(String::new(), |fault| format!(": {fault}"))
        );
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn text(&self, settings: &MatchSettings, standings: &Standings) -> String {
        let mut text = String::new();
        let first = &standings.players[0].games;
        let _ = write!(text, ", {}: ", settings.players[0].name);
        let _ = write!(text, "+{} ={} -{}", first.wins, first.draws, first.losses);
        if let [only] = &standings.encounters[..]
            && let Some(comparison) = Comparison::new(&only.pairs)
        {
            let Comparison { elo: difference, interval, .. } = comparison;
            let (low, high) = (elo(interval.low), elo(interval.high));
            let _ = write!(text, ", Elo {} [{low}, {high}]", elo(difference));
            if let Some(sprt) = settings.sprt {
                let line = SprtLine::new(sprt, &only.pairs);
                let _ =
                    write!(text, ", LLR {:.2} [{:.2}, {:.2}]", line.llr, line.lower, line.upper);
            }
        }
        let minutes = self.started.elapsed().as_secs_f64() / 60.0;
        let speed = (standings.games - self.before) as f64 / minutes;
        let left = (self.total - standings.games) as f64 / speed * 60.0;
        let _ = write!(text, ", {speed:.1} games/min");
        if left.is_finite() {
            let _ = write!(text, ", {} left", HumanDuration(Duration::from_secs_f64(left)));
        }
        text
    }
}
