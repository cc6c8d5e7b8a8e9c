//! A thread that plays many games at once: each game runs until it needs the
//! network, then all of them ask together.

use super::game::{Game, Progress};
use super::host::{Host, Player};
use super::protocol::{GameReport, Reply};
use super::thinking::Memory;
use crate::chess::Line;
use crate::eval::{Answers, EvalError, Evaluator, Value};
use crate::search::{EvalCache, rounded_prior, softmax};
use shakmaty::Position;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Batches after which older evaluations may be forgotten.
const CACHE_BATCHES: u64 = 2_000;

pub struct Worker<'a> {
    host: &'a Host<'a>,
    number: usize,
    /// Games that are played at once.
    seats: usize,
    games: Vec<Seat>,
    /// The networks that have games, the newest last.
    tables: Vec<Table>,
    answers: Answers,
    batches: u64,
}

struct Seat {
    game: Game,
    player: u64,
    /// Simulations that the totals have.
    counted: u64,
}

struct Table {
    player: Arc<Player>,
    evaluator: Box<dyn Evaluator>,
    /// Places of the games that asked, in the order of the questions.
    asked: Vec<usize>,
}

/// What evaluations the games of a network may look up.
struct Known<'a> {
    cache: &'a EvalCache,
    player: &'a Player,
    temperature: f32,
}

impl Known<'_> {
    /// Other networks and temperatures have other answers.
    fn key(&self, line: &Line) -> u64 {
        let variant = self.player.number << 32 | u64::from(self.temperature.to_bits());
        // The encoder's key takes clocks that differ little for the same, which
        // would make games depend on each other.
        let variant = variant ^ u64::from(line.last().position.halfmoves()) << 56;
        self.player.encoder.cache_key(line.plies()) ^ variant.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Memory for Known<'_> {
    fn recall(&self, line: &Line, priors: &mut [f32]) -> Option<Value> {
        self.cache.get(self.key(line), priors)
    }
}

impl<'a> Worker<'a> {
    pub fn new(host: &'a Host<'a>, number: usize, seats: usize) -> Worker<'a> {
        Worker {
            host,
            number,
            seats: seats.max(1),
            games: Vec::new(),
            tables: Vec::new(),
            answers: Answers::default(),
            batches: 0,
        }
    }

    /// Plays until no job is left.
    pub fn run(mut self) -> Result<(), EvalError> {
        while self.fill()? {
            self.advance_all();
            self.ask()?;
        }
        Ok(())
    }

    /// Takes jobs for free seats. False when all is done.
    fn fill(&mut self) -> Result<bool, EvalError> {
        while self.games.len() < self.seats {
            let Some(job) = self.host.take(self.games.is_empty()) else { break };
            let id = job.id;
            let lacks_tables = job.settings.adjudicate.tablebase && self.host.tablebases.is_none();
            let game = match lacks_tables {
                true => Err("adjudicate.tablebase needs the option SyzygyPath".to_string()),
                false => Game::new(job),
            };
            match game {
                Ok(game) => {
                    let player = self.seat_player()?;
                    self.games.push(Seat { game, player, counted: 0 });
                }
                Err(reason) => self.host.say(&Reply::Refused { id: Some(id), reason }),
            }
        }
        Ok(!self.games.is_empty() && !self.host.is_aborted())
    }

    /// The number of today's network, which gets a table here.
    fn seat_player(&mut self) -> Result<u64, EvalError> {
        let player = self.host.player();
        let number = player.number;
        if self.tables.iter().all(|table| table.player.number != number) {
            // Networks whose last game is over make room.
            let games = &self.games;
            self.tables.retain(|table| games.iter().any(|seat| seat.player == table.player.number));
            let evaluator = player.source.create(self.seats)?;
            self.tables.push(Table { player, evaluator, asked: Vec::new() });
        }
        Ok(number)
    }

    /// Every game runs to its next question or its end.
    fn advance_all(&mut self) {
        let mut at = 0;
        while at < self.games.len() {
            let Seat { game, player, counted } = &mut self.games[at];
            let number = *player;
            let Some(table) = self.tables.iter_mut().find(|t| t.player.number == number) else {
                self.games.swap_remove(at);
                continue;
            };
            let known = Known {
                cache: &self.host.cache,
                player: &table.player,
                temperature: game.settings().policy_temperature,
            };
            let progress = game.advance(&known, self.host.tablebases);
            let made = game.simulations() - *counted;
            *counted += made;
            self.host.counters.by_thread[self.number].fetch_add(made, Relaxed);
            match progress {
                Progress::Ask => {
                    let (line, moves) = game.question();
                    table.evaluator.push(line.plies(), moves);
                    table.asked.push(at);
                    at += 1;
                }
                Progress::Over(report) => {
                    let network = table.player.network.clone();
                    self.finish(GameReport { network, ..*report });
                    // Later games have not asked yet, so their places may change.
                    self.games.swap_remove(at);
                }
            }
        }
    }

    fn finish(&self, report: GameReport) {
        self.host.counters.games.fetch_add(1, Relaxed);
        self.host.say(&Reply::Game(Box::new(report)));
    }

    /// Evaluates all questions and passes the answers on.
    fn ask(&mut self) -> Result<(), EvalError> {
        let counters = &self.host.counters;
        for table in self.tables.iter_mut().filter(|table| !table.asked.is_empty()) {
            let start = Instant::now();
            self.answers.clear();
            table.evaluator.run(&mut self.answers)?;
            let took = start.elapsed().as_nanos() as u64;
            counters.network_nanoseconds.fetch_add(took, Relaxed);
            counters.batches.fetch_add(1, Relaxed);
            counters.evaluations.fetch_add(table.asked.len() as u64, Relaxed);
            counters.room.fetch_add(self.seats as u64, Relaxed);
            for (index, place) in table.asked.drain(..).enumerate() {
                let game = &mut self.games[place].game;
                let temperature = game.settings().policy_temperature;
                let known = Known { cache: &self.host.cache, player: &table.player, temperature };
                let (value, logits) = self.answers.get(index);
                let mut priors = logits.to_vec();
                softmax(&mut priors, temperature);
                // As the cache will give them back: a game must not depend on
                // whether another one has asked before.
                priors.iter_mut().for_each(|prior| *prior = rounded_prior(*prior));
                let key = known.key(game.question().0);
                let value = self.host.cache.insert(key, value, &priors).value;
                game.answer(&value, &priors);
            }
        }
        self.batches += 1;
        if self.batches.is_multiple_of(CACHE_BATCHES) {
            self.host.cache.new_generation();
        }
        Ok(())
    }
}
