//! Our engine as a child process that plays many games at once.

use super::SelfplayError;
use super::settings::Settings;
use crate::provenance::hash_file;
use crate::uci::{Engine, EngineCommand, NoLine, Process, UciError};
use engine::options::TABLE;
use engine::selfplay::protocol::{Job, Reply, Request};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// How our engine's name begins.
const OUR_NAME: &str = "Arbor";

/// A game with all its searches is a long line, but not that long.
const LONGEST_LINE: u64 = 1 << 26;

pub struct Arbor {
    process: Process,
    patience: Duration,
    /// Of the network that new games are played with.
    pub network: String,
    pub games_at_once: usize,
    /// Of the network's file, when it was loaded.
    pub network_time: Option<SystemTime>,
    /// When it last got on with its games.
    last_word: Instant,
    /// Games and evaluations, as last told.
    progress: (u64, u64),
}

pub enum Heard {
    Reply(Reply),
    /// Nothing yet.
    Silence,
    /// It is gone; how, in words.
    Gone(String),
}

impl Arbor {
    /// What our engine calls itself; `None` if the command starts another one.
    pub fn name(settings: &Settings) -> Result<Option<String>, UciError> {
        let engine = Engine::start(&settings.engine, settings.patience)?;
        let name = engine.name();
        Ok(name.starts_with(OUR_NAME).then(|| name.to_string()))
    }

    /// The engine's command with the settings' network and options.
    fn command(settings: &Settings) -> Result<EngineCommand, SelfplayError> {
        let mut command = settings.engine.clone();
        command.arguments.push("selfplay".to_string());
        if let Some(network) = &settings.network {
            command.arguments.extend(["--net".to_string(), network.display().to_string()]);
        }
        for (name, value) in &settings.options {
            let spec = TABLE.iter().find(|spec| spec.name.eq_ignore_ascii_case(name));
            let spec = spec.ok_or_else(|| {
                SelfplayError::Settings(format!("the engine has no option {name}"))
            })?;
            command.arguments.extend([format!("--{}", spec.flag()), value.clone()]);
        }
        Ok(command)
    }

    /// Starts it and waits until its network is loaded.
    pub fn start(settings: &Settings) -> Result<Arbor, SelfplayError> {
        let command = Arbor::command(settings)?;
        // Looked at before the engine does: a change in between is then seen.
        let network_time = settings.network_time();
        let process = Process::start(&command, LONGEST_LINE)
            .map_err(|source| SelfplayError::Start { command: command.to_string(), source })?;
        let mut arbor = Arbor {
            process,
            patience: settings.patience,
            network: String::new(),
            network_time,
            games_at_once: 1,
            last_word: Instant::now(),
            progress: (0, 0),
        };
        let died = |how: String| SelfplayError::Died { command: command.to_string(), how };
        match arbor.process.receive(Instant::now() + settings.patience) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(Reply::Ready { network, games_at_once, .. }) => {
                    check_hash(settings, &network, network_time)?;
                    (arbor.network, arbor.games_at_once) = (network, games_at_once.max(1));
                    Ok(arbor)
                }
                _ => Err(died(format!("its first word was {line:?}"))),
            },
            Err(NoLine::Late) => Err(died(format!(
                "it had not loaded its network after {} s",
                settings.patience.as_secs()
            ))),
            Err(NoLine::Ended) => {
                let status = arbor.process.status();
                Err(died(format!("{status}; {}", arbor.process.said())))
            }
        }
    }

    /// From now on it has something to do, and silence counts.
    pub fn begin(&mut self) {
        self.last_word = Instant::now();
    }

    pub fn play(&mut self, job: Job) -> bool {
        self.send(&Request::Play(Box::new(job)))
    }

    pub fn change_network(&mut self, path: &Path) -> bool {
        self.send(&Request::Network { path: path.to_path_buf() })
    }

    pub fn finish(&mut self) -> bool {
        self.send(&Request::Finish)
    }

    pub fn abort(&mut self) -> bool {
        self.send(&Request::Abort)
    }

    /// False when it is gone.
    fn send(&mut self, request: &Request) -> bool {
        match serde_json::to_string(request) {
            Ok(line) => self.process.send(&line).is_ok(),
            Err(_) => false,
        }
    }

    /// It reports its totals every two seconds, games or not; only those that
    /// have grown are a sign of life.
    fn note(&mut self, reply: &Reply) {
        match reply {
            Reply::Totals(totals) if (totals.games, totals.evaluations) == self.progress => return,
            Reply::Totals(totals) => self.progress = (totals.games, totals.evaluations),
            Reply::Ready { network, .. } => self.network = network.clone(),
            Reply::Game(_) | Reply::Refused { .. } => {}
        }
        self.last_word = Instant::now();
    }

    /// The next reply, if one comes within `wait`.
    pub fn hear(&mut self, wait: Duration) -> Heard {
        match self.process.receive(Instant::now() + wait) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(reply) => {
                    self.note(&reply);
                    Heard::Reply(reply)
                }
                Err(error) => Heard::Gone(format!("it said what is no reply: {error}")),
            },
            Err(NoLine::Late) if self.last_word.elapsed() > self.patience => {
                Heard::Gone(format!("it did nothing for {} s", self.patience.as_secs()))
            }
            Err(NoLine::Late) => Heard::Silence,
            Err(NoLine::Ended) => {
                let status = self.process.status();
                Heard::Gone(format!("{status}; {}", self.process.said()))
            }
        }
    }
}

/// The engine's word for its network, against the file that had this time when
/// it was loaded. A watched one may have changed since, and the random backend
/// has none.
pub fn check_hash(
    settings: &Settings,
    said: &str,
    loaded: Option<SystemTime>,
) -> Result<(), SelfplayError> {
    let Some(path) = settings.network.as_ref().filter(|_| !said.is_empty()) else {
        return Ok(());
    };
    let found = hash_file(path);
    // Looked at last: it may be changing right now, or be gone for a moment.
    if settings.watch_network && settings.network_time() != loaded {
        return Ok(());
    }
    let failed = |source| SelfplayError::Write { path: path.clone(), source };
    let found = found.map_err(failed)?;
    if said == found {
        return Ok(());
    }
    Err(SelfplayError::WrongNetwork { path: path.clone(), said: said.to_string(), found })
}
