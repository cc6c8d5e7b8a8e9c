//! Several loops one after the other, and a round robin of what came of them.

use super::LoopError;
use super::config::LoopConfig;
use super::contest::{Contest, network};
use super::folder::Folder;
use super::run::Loop;
use crate::arena::{Format, Report};
use crate::interrupt;
use crate::players::{Programs, TimeControl};
use std::path::PathBuf;

/// Whom every network should beat.
const BASELINES: [&str; 2] = ["random", "greedy"];

pub struct Sweep {
    pub loops: Vec<LoopConfig>,
    /// Folder of the round robin.
    pub out: PathBuf,
    pub games: u64,
    pub tc: TimeControl,
    pub seed: u64,
    pub programs: Programs,
}

impl Sweep {
    /// Runs or resumes it all; `None` after Ctrl-C.
    pub fn run(&self) -> Result<Option<Report>, LoopError> {
        // What is wrong with the last is told before the first has run for hours.
        for config in &self.loops {
            Loop::open(config.clone(), self.programs.clone())?;
        }
        let mut players: Vec<String> = BASELINES.iter().map(|name| name.to_string()).collect();
        for config in &self.loops {
            eprintln!("{}: {} generations", config.name, config.generations);
            let mut one = Loop::open(config.clone(), self.programs.clone())?;
            one.run()?;
            if interrupt::requested() {
                return Ok(None);
            }
            let best = Folder(config.out.join(&config.name)).network(one.state().best);
            players.push(network(&best, &config.name));
        }
        let contest = Contest {
            players,
            format: Format::RoundRobin,
            games: self.games,
            tc: self.tc,
            sprt: None,
            seed: self.seed,
            out: self.out.clone(),
            programs: &self.programs,
        };
        contest.play()
    }
}
