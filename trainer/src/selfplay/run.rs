//! A run: jobs out to engines, games in, shards on disk.

use super::SelfplayError;
use super::arbor::{Arbor, Heard, check_hash};
use super::openings::{Beginning, Openings};
use super::record::{Expected, record};
use super::settings::Settings;
use super::store::{Size, Store};
use super::telemetry::Telemetry;
use super::uci_games::{UciGames, play_in_turn};
use crate::interrupt;
use crate::progress;
use crate::shards::{Outcome, Record};
use engine::search::Random;
use engine::selfplay::protocol::{GameReport, Job, Reply, Totals};
use indicatif::ProgressBar;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Between looks at the clock, the network's file and Ctrl-C.
const GLANCE: Duration = Duration::from_millis(100);

/// So many deaths in a row, without a game in between, are no accident.
const MOST_DEATHS: usize = 3;

/// So often a game that does not hold is played again, each time with another
/// seed; one that is over before its first move is such a game.
const MOST_ATTEMPTS: u32 = 4;

/// Games that are told when Ctrl-C comes are heard for so long.
const FAREWELL: Duration = Duration::from_secs(5);

/// Before an engine that cannot be started is tried once more.
const PAUSE: Duration = Duration::from_secs(1);

pub struct Run<'a> {
    settings: &'a Settings,
    openings: Openings,
    store: Store,
    /// What the engine did, in earlier runs too.
    machine: Totals,
    /// What other engines than ours have done in this run, which began then.
    others: Totals,
    began: Instant,
    settings_hash: String,
    player: Player,
    /// Of every network that may have games under way.
    networks: Vec<String>,
    waiting: VecDeque<u64>,
    under_way: BTreeMap<u64, Beginning>,
    /// In a row, without a game in between.
    deaths: usize,
    /// What ended the run before its time; those who still play are to stop.
    has_failed: bool,
    restarts: u32,
    /// Of games that did not hold.
    attempts: BTreeMap<u64, u32>,
    /// White's wins, draws, Black's wins in this run.
    results: [u64; 3],
    bar: ProgressBar,
}

/// Who plays.
pub struct Player {
    /// As it calls itself; records have it.
    pub name: String,
    pub is_ours: bool,
}

/// What a run came to.
pub struct Played {
    pub games: u64,
    pub telemetry: Telemetry,
    pub restarts: u32,
}

/// The seed of a game: games are alike whatever the order they are played in.
fn game_seed(run: u64, id: u64, attempt: u32) -> u64 {
    let mut random = Random::new(run ^ id.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (0..attempt).for_each(|_| _ = random.next_u64());
    random.next_u64()
}

impl<'a> Run<'a> {
    /// `network` is the hash of the one that plays, if it is ours.
    pub fn open(
        settings: &'a Settings,
        player: Player,
        network: &str,
    ) -> Result<Run<'a>, SelfplayError> {
        let plan = &settings.plan;
        let problems = plan.search.problems();
        if !problems.is_empty() {
            return Err(SelfplayError::Settings(problems.join("; ")));
        }
        let openings = Openings::open(&plan.openings)?;
        let identity = identity(settings, &player, network);
        let size = Size { games: plan.games, shard: settings.shard_games };
        let (store, spooled) = Store::open(&settings.out, identity, size)?;
        let bar = progress::bar(Some(plan.games), "games");
        let mut run = Run {
            settings,
            openings,
            store,
            machine: Telemetry::read(&settings.out).unwrap_or_default().machine,
            others: Totals::default(),
            began: Instant::now(),
            settings_hash: plan.search.hash(),
            player,
            networks: Vec::new(),
            waiting: VecDeque::new(),
            under_way: BTreeMap::new(),
            deaths: 0,
            has_failed: false,
            restarts: 0,
            attempts: BTreeMap::new(),
            results: [0; 3],
            bar,
        };
        run.restore(spooled)?;
        run.waiting = (0..plan.games).filter(|id| !run.store.is_done(*id)).collect();
        run.bar.set_position(run.store.games());
        Ok(run)
    }

    /// Games that an earlier run left in the spool.
    fn restore(&mut self, spooled: Vec<GameReport>) -> Result<(), SelfplayError> {
        let mut games = Vec::new();
        for report in spooled {
            match self.restored(&report) {
                Ok(record) => games.push((report, record)),
                Err(reason) => eprintln!("warning: game {} is played again: {reason}", report.id),
            }
        }
        Ok(self.store.restore(games)?)
    }

    fn restored(&self, report: &GameReport) -> Result<Record, String> {
        let seeds = (0..MOST_ATTEMPTS).map(|n| game_seed(self.settings.plan.seed, report.id, n));
        let mut seeds = seeds.filter(|seed| *seed == report.seed);
        let seed = seeds.next().ok_or("it has the seed of another run")?;
        let networks = [report.network.clone()];
        let begun =
            |beginning: &Beginning| record(report, &self.expected(seed, beginning, &networks));
        // Where openings come from files that have changed, the game itself knows
        // how it began.
        begun(&self.openings.pick(seed)).or_else(|_| begun(&Beginning::of(report)))
    }

    fn expected<'b>(
        &'b self,
        seed: u64,
        beginning: &'b Beginning,
        networks: &'b [String],
    ) -> Expected<'b> {
        Expected {
            seed,
            beginning,
            random: self.openings.is_random(),
            networks,
            settings: &self.settings_hash,
            search: &self.settings.plan.search,
            is_ours: self.player.is_ours,
            generation: self.settings.plan.generation,
            engine: &self.player.name,
        }
    }

    /// Plays with our engine until all games are there, or until Ctrl-C.
    pub fn play(mut self, first: Arbor) -> Result<Played, SelfplayError> {
        let mut engine = Some(first);
        while !self.waiting.is_empty() && !interrupt::requested() {
            let arbor = match engine.take() {
                Some(arbor) => arbor,
                None => match self.restart()? {
                    Some(arbor) => arbor,
                    None => continue,
                },
            };
            self.check_network(&arbor)?;
            let Some(how) = self.with(arbor)? else { break };
            // What was under way is played again, first of all.
            let lost: Vec<u64> = std::mem::take(&mut self.under_way).into_keys().collect();
            for id in lost.into_iter().rev() {
                self.waiting.push_front(id);
            }
            self.mourn(how)?;
        }
        self.end()
    }

    /// The engine again, after it died; `None` if that failed too.
    fn restart(&mut self) -> Result<Option<Arbor>, SelfplayError> {
        let how = match Arbor::start(self.settings) {
            Err(SelfplayError::Died { how, .. }) => how,
            Err(SelfplayError::Start { source, .. }) => source.to_string(),
            started => return started.map(Some),
        };
        self.mourn(how)?;
        // What kills it may pass.
        std::thread::sleep(PAUSE);
        Ok(None)
    }

    /// Plays with other engines, each of which has one game at a time.
    pub fn play_with_others(mut self, first: UciGames) -> Result<Played, SelfplayError> {
        // Such games have no network of ours.
        self.networks.push(String::new());
        let settings = self.settings;
        let run = Mutex::new(self);
        let mut first = Some(first);
        std::thread::scope(|scope| {
            let players: Vec<_> = (0..settings.processes.max(1))
                .map(|number| {
                    let (run, player) = (&run, first.take());
                    scope.spawn(move || play_in_turn(run, number, settings, player))
                })
                .collect();
            let ended =
                |player: ScopedJoinHandle<_>| player.join().unwrap_or(Err(SelfplayError::Thread));
            let ends: Vec<_> = players.into_iter().map(ended).collect();
            ends.into_iter().collect::<Result<(), SelfplayError>>()
        })?;
        let mut run = run.into_inner().unwrap_or_else(PoisonError::into_inner);
        run.machine.add(&run.others);
        run.end()
    }

    /// A game by one of several engines; when it cannot be kept, all of them stop.
    pub fn finished_by(&mut self, player: usize, report: &GameReport) -> Result<(), SelfplayError> {
        let kept = self.finished(report).and_then(|()| self.count_work(player, report));
        self.has_failed |= kept.is_err();
        kept
    }

    /// Counts what another engine than ours did for a game.
    fn count_work(&mut self, player: usize, report: &GameReport) -> Result<(), SelfplayError> {
        let (others, nodes) = (&mut self.others, report.effort.simulations);
        others.seconds = self.began.elapsed().as_secs_f64();
        others.games += 1;
        others.simulations += nodes;
        others.by_thread.resize(others.by_thread.len().max(player + 1), 0);
        others.by_thread[player] += nodes;
        self.store.sync()?;
        self.save_telemetry(&self.others)?;
        Ok(())
    }

    /// The next game for an engine that plays one at a time.
    pub fn next_job(&mut self) -> Option<(Job, Beginning)> {
        if interrupt::requested() || self.has_failed {
            return None;
        }
        let id = self.waiting.pop_front()?;
        let job = self.job(id);
        let beginning = self.under_way.get(&id).cloned().unwrap_or_default();
        Some((job, beginning))
    }

    /// A game that did not come to its end.
    pub fn give_back(&mut self, id: u64) {
        self.under_way.remove(&id);
        self.waiting.push_front(id);
    }

    /// An engine died before its time.
    pub fn mourn(&mut self, how: String) -> Result<(), SelfplayError> {
        self.restarts += 1;
        self.deaths += 1;
        let command = self.settings.engine.to_string();
        let players = if self.player.is_ours { 1 } else { self.settings.processes.max(1) };
        if self.deaths >= MOST_DEATHS * players {
            self.has_failed = true;
            return Err(SelfplayError::Died { command, how });
        }
        self.bar.suspend(|| eprintln!("warning: {command} is restarted: {how}"));
        Ok(())
    }

    fn end(mut self) -> Result<Played, SelfplayError> {
        self.bar.finish_and_clear();
        self.store.sync()?;
        let games = self.store.games();
        let telemetry = self.save_telemetry(&Totals::default())?;
        if self.waiting.is_empty() && self.under_way.is_empty() {
            self.store.finish()?;
        }
        Ok(Played { games, telemetry, restarts: self.restarts })
    }

    /// What all games were like, with what the engine has done since it started.
    /// Games are told by their shards; its speed would be lost with this process.
    fn save_telemetry(&self, totals: &Totals) -> Result<Telemetry, SelfplayError> {
        let mut machine = self.machine.clone();
        machine.add(totals);
        let telemetry = Telemetry { machine, ..self.store.telemetry() };
        telemetry.save(&self.settings.out)?;
        Ok(telemetry)
    }

    /// A network that is not watched must stay the same.
    fn check_network(&self, arbor: &Arbor) -> Result<(), SelfplayError> {
        match (self.networks.first(), &self.settings.network) {
            (Some(known), Some(path))
                if !self.settings.watch_network && *known != arbor.network =>
            {
                let (path, known, found) = (path.clone(), known.clone(), arbor.network.clone());
                Err(SelfplayError::OtherNetwork { path, known, found })
            }
            _ => Ok(()),
        }
    }

    /// Plays with one process. `Some` tells how it died before its time.
    fn with(&mut self, mut arbor: Arbor) -> Result<Option<String>, SelfplayError> {
        self.networks.push(arbor.network.clone());
        arbor.begin();
        let mut changed = arbor.network_time;
        let mut totals = Totals::default();
        let window = arbor.games_at_once * 2;
        let mut is_finishing = false;
        loop {
            while self.under_way.len() < window
                && let Some(id) = self.waiting.pop_front()
            {
                let job = self.job(id);
                if !arbor.play(job) {
                    break;
                }
            }
            if interrupt::requested() {
                arbor.abort();
                self.hear_out(&mut arbor, &mut totals)?;
                self.machine.add(&totals);
                return Ok(None);
            }
            if self.under_way.is_empty() && self.waiting.is_empty() && !is_finishing {
                is_finishing = true;
                arbor.finish();
            }
            match arbor.hear(GLANCE) {
                Heard::Reply(reply) => {
                    if let Reply::Totals(now) = &reply {
                        totals = now.clone();
                        self.store.sync()?;
                        self.save_telemetry(&totals)?;
                        if self.under_way.is_empty() && self.waiting.is_empty() {
                            self.machine.add(&totals);
                            return Ok(None);
                        }
                    }
                    if let Reply::Ready { network, .. } = &reply {
                        check_hash(self.settings, network, changed)?;
                    }
                    self.take(reply)?;
                }
                Heard::Silence => {}
                Heard::Gone(how) => {
                    self.machine.add(&totals);
                    let done = self.under_way.is_empty() && self.waiting.is_empty();
                    return Ok((!done).then_some(how));
                }
            }
            if self.settings.watch_network && self.settings.network_time() != changed {
                changed = self.settings.network_time();
                if let Some(path) = &self.settings.network {
                    arbor.change_network(path);
                }
            }
        }
    }

    /// Games that were told before the end.
    fn hear_out(&mut self, arbor: &mut Arbor, totals: &mut Totals) -> Result<(), SelfplayError> {
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline {
            match arbor.hear(GLANCE) {
                Heard::Reply(Reply::Totals(now)) => *totals = now,
                Heard::Reply(reply) => self.take(reply)?,
                Heard::Silence => {}
                Heard::Gone(_) => break,
            }
        }
        Ok(())
    }

    fn seed(&self, id: u64) -> u64 {
        let attempt = self.attempts.get(&id).copied().unwrap_or(0);
        game_seed(self.settings.plan.seed, id, attempt)
    }

    fn job(&mut self, id: u64) -> Job {
        let plan = &self.settings.plan;
        let seed = self.seed(id);
        let beginning = self.openings.pick(seed);
        let job = Job {
            id,
            seed,
            fen: beginning.fen.clone(),
            chess960: beginning.chess960,
            moves: beginning.moves.clone(),
            settings: plan.search.clone(),
        };
        self.under_way.insert(id, beginning);
        job
    }

    fn take(&mut self, reply: Reply) -> Result<(), SelfplayError> {
        match reply {
            Reply::Ready { network, .. } => {
                if !self.networks.contains(&network) {
                    self.networks.push(network);
                }
                Ok(())
            }
            Reply::Game(report) => self.finished(&report),
            Reply::Refused { id: Some(id), reason } => Err(SelfplayError::Refused { id, reason }),
            // Such as a new network that cannot be read: the old one plays on.
            Reply::Refused { id: None, reason } => {
                self.bar.suspend(|| eprintln!("warning: {reason}"));
                Ok(())
            }
            Reply::Totals(_) => Ok(()),
        }
    }

    fn finished(&mut self, report: &GameReport) -> Result<(), SelfplayError> {
        let Some(beginning) = self.under_way.remove(&report.id) else { return Ok(()) };
        let seed = self.seed(report.id);
        match record(report, &self.expected(seed, &beginning, &self.networks)) {
            Ok(record) => {
                self.count(&record);
                self.store.add(report, record)?;
                self.deaths = 0;
                Ok(())
            }
            Err(reason) => {
                let id = report.id;
                let attempt = self.attempts.entry(id).or_default();
                *attempt += 1;
                if *attempt >= MOST_ATTEMPTS {
                    return Err(SelfplayError::BadGame { id, reason });
                }
                self.bar.suspend(|| eprintln!("warning: game {id} is played again: {reason}"));
                self.waiting.push_back(id);
                Ok(())
            }
        }
    }

    fn count(&mut self, record: &Record) {
        let [white, draws, black] = &mut self.results;
        match record.result {
            Outcome::White => *white += 1,
            Outcome::Black => *black += 1,
            Outcome::Draw | Outcome::Unknown => *draws += 1,
        }
        self.bar.inc(1);
        self.bar.set_message(format!("+{white} ={draws} -{black}"));
    }
}

/// What the games of a folder have in common. More games make a run longer; they
/// do not make it another.
fn identity(settings: &Settings, player: &Player, network: &str) -> Value {
    let mut identity = serde_json::to_value(&settings.plan).unwrap_or_default();
    if let Some(object) = identity.as_object_mut() {
        object.remove("games");
        // Every game tells the version of its engine; a newer one of ours goes on.
        if !player.is_ours {
            object.insert("engine".to_string(), player.name.as_str().into());
        }
        if !settings.watch_network {
            object.insert("network".to_string(), network.into());
        }
    }
    identity
}
