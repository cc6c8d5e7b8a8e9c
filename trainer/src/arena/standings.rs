//! Counts of a match, game by game.

use super::record::Ending;
use super::{GameRecord, MatchSettings};
use crate::openings::family_of;
use crate::statistics::{Encounter, GameResult, Pairs, Tally};
use std::collections::{BTreeMap, HashMap};

/// What a player did in all its games.
#[derive(Clone, Debug, Default)]
pub struct PlayerTally {
    pub games: Tally,
    pub moves: u64,
    pub microseconds: u64,
    pub nodes: u64,
    /// Moves whose depth is known, and the sum of the depths.
    pub depths: (u64, u64),
    /// Games that ended by a fault of its own.
    pub faults: BTreeMap<Ending, u64>,
}

/// What two players did against each other, in the first one's view.
#[derive(Clone, Debug)]
pub struct Encountered {
    pub first: usize,
    pub second: usize,
    pub games: Tally,
    pub pairs: Pairs,
}

pub struct Standings {
    pub players: Vec<PlayerTally>,
    pub encounters: Vec<Encountered>,
    pub endings: BTreeMap<Ending, u64>,
    /// By the family of the opening, in White's view.
    pub openings: BTreeMap<String, Tally>,
    pub games: u64,
    /// Seconds of games that were spent outside of the players' thinking.
    pub overhead: f64,
    /// Pairs of which one game is finished, in the first player's view.
    halves: HashMap<u64, GameResult>,
}

impl Standings {
    pub fn new(players: usize, pairings: &[(usize, usize)]) -> Standings {
        let encounter = |(first, second): &(usize, usize)| Encountered {
            first: *first,
            second: *second,
            games: Tally::default(),
            pairs: Pairs::default(),
        };
        Standings {
            players: vec![PlayerTally::default(); players],
            encounters: pairings.iter().map(encounter).collect(),
            endings: BTreeMap::new(),
            openings: BTreeMap::new(),
            games: 0,
            overhead: 0.0,
            halves: HashMap::new(),
        }
    }

    /// Games come in any order.
    pub fn add(&mut self, game: &GameRecord, settings: &MatchSettings) {
        let (Some(white), Some(black)) = (settings.index(&game.white), settings.index(&game.black))
        else {
            return;
        };
        self.games += 1;
        *self.endings.entry(game.ending).or_default() += 1;
        let result = game.white_result();
        let opening = game.opening.name.as_deref().map_or("unknown", family_of);
        self.openings.entry(opening.to_string()).or_default().add(result);
        self.players[white].games.add(result);
        self.players[black].games.add(result.reversed());
        if game.ending.is_fault()
            && let Some(loser) = game.loser().and_then(|name| settings.index(name))
        {
            *self.players[loser].faults.entry(game.ending).or_default() += 1;
        }
        self.add_moves(game, settings);
        let met = |encounter: &&mut Encountered| {
            let pair = (encounter.first, encounter.second);
            pair == (white, black) || pair == (black, white)
        };
        if let Some(encounter) = self.encounters.iter_mut().find(met) {
            let result = if encounter.first == white { result } else { result.reversed() };
            encounter.games.add(result);
            match self.halves.remove(&(game.game / 2)) {
                Some(other) => encounter.pairs.add([other, result]),
                None => {
                    self.halves.insert(game.game / 2, result);
                }
            }
        }
    }

    fn add_moves(&mut self, game: &GameRecord, settings: &MatchSettings) {
        let black_begins = game.opening.fen.split(' ').nth(1) == Some("b");
        let first = usize::from(black_begins) + game.opening.moves.len();
        let names = [&game.white, &game.black];
        let mut thinking = 0;
        for (ply, m) in game.moves.iter().enumerate() {
            let Some(mover) = settings.index(names[(first + ply) % 2]) else { return };
            let player = &mut self.players[mover];
            player.moves += 1;
            player.microseconds += m.us;
            player.nodes += m.nodes.unwrap_or(0);
            if let Some(depth) = m.depth {
                player.depths.0 += 1;
                player.depths.1 += u64::from(depth);
            }
            thinking += m.us;
        }
        if !game.ending.is_fault() {
            self.overhead += (game.seconds - thinking as f64 / 1e6).max(0.0);
        }
    }

    /// For the rating of a pool.
    pub fn encounters(&self) -> Vec<Encounter> {
        let encounter =
            |e: &Encountered| Encounter { first: e.first, second: e.second, pairs: e.pairs };
        self.encounters.iter().map(encounter).collect()
    }
}
