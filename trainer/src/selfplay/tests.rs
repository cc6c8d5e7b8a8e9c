//! What becomes a record, and what is refused.

use super::openings::Beginning;
use super::record::{Expected, record};
use crate::shards::{Outcome, Record, SearchKind};
use engine::chess::{Line, PackedMove, parse_move};
use engine::selfplay::protocol::{GameReport, MoveReport, PlyReport, Resignation, SearchReport};
use engine::selfplay::{Adjudicate, KldStop, PlayoutCap, Resign, Settings, Verdict};
use shakmaty::{Chess, EnPassantMode, fen::Fen};

const SEED: u64 = 7;

pub fn settings() -> Settings {
    Settings { visits: 10, ..Settings::default() }
}

/// The shortest mate, its first move an opening, the others searched.
pub fn game() -> GameReport {
    let mut line = Line::new(Chess::default());
    let mut plies = Vec::new();
    for (at, text) in ["f2f3", "e7e5", "g2g4", "d8h4"].iter().enumerate() {
        let m = parse_move(&line.last().position, text).unwrap();
        let played = PackedMove::new(m).0;
        let list = line.legal_moves();
        let share = 1.0 / list.len() as f32;
        let moves = list.iter().map(|m| {
            let m = PackedMove::new(*m).0;
            let visits = if m == played { 10 } else { 0 };
            MoveReport { m, weight: share, visits, prior: share, value: None }
        });
        let search = SearchReport {
            full: true,
            visits: 10,
            q: 0.25,
            wdl: [0.5, 0.25, 0.25],
            moves: moves.collect(),
            score: None,
        };
        plies.push(PlyReport { played, search: (at > 0).then_some(search) });
        line.push(m);
    }
    GameReport {
        id: 1,
        seed: SEED,
        network: "abc".to_string(),
        settings: settings().hash(),
        start_fen: Fen::from_position(&Chess::default(), EnPassantMode::Legal).to_string(),
        result: "0-1".to_string(),
        termination: "checkmate".to_string(),
        plies,
        ..GameReport::default()
    }
}

pub fn judged(report: &GameReport, search: &Settings) -> Result<Record, String> {
    let first = parse_move(&Chess::default(), "f2f3").unwrap();
    let beginning = Beginning { moves: vec![PackedMove::new(first).0], ..Beginning::default() };
    record(
        report,
        &Expected {
            seed: SEED,
            beginning: &beginning,
            random: false,
            networks: &["abc".to_string()],
            settings: &settings().hash(),
            search,
            is_ours: true,
            generation: Some(3),
            engine: "Arbor",
        },
    )
}

#[test]
fn a_game_that_holds_becomes_a_record() {
    let record = judged(&game(), &settings()).unwrap();
    assert_eq!((record.result, record.plies.len()), (Outcome::Black, 4));
    assert_eq!(record.plies[0].kind, SearchKind::Book);
    assert_eq!((record.plies[1].kind, record.plies[1].weight), (SearchKind::Full, 1.0));
    assert_eq!(record.network.as_deref(), Some("abc"));
}

/// Spoils the game; the complaint must have these words.
fn refused(part: &str, spoil: impl Fn(&mut GameReport)) {
    let mut spoiled = game();
    spoil(&mut spoiled);
    let told = judged(&spoiled, &settings()).expect_err(part);
    assert!(told.contains(part), "{part}: {told}");
}

fn search(game: &mut GameReport) -> &mut SearchReport {
    game.plies[2].search.as_mut().unwrap()
}

#[test]
fn games_that_were_not_asked_for_are_refused() {
    refused("seed is 8", |game| game.seed = 8);
    refused("other settings", |game| game.settings = "x".to_string());
    refused("another network, def", |game| game.network = "def".to_string());
    refused("it begins at", |game| game.chess960 = true);
    refused("it begins at 8/8", |game| game.start_fen = "8/8".to_string());
    refused("begin with the opening", |game| game.plies[0].played = 11 | 27 << 6);
    refused("begin with the opening", |game| game.plies.clear());
}

#[test]
fn searches_that_do_not_add_up_are_refused() {
    refused("ply 2: its moves have 10 visits, the search 11", |game| search(game).visits = 11);
    refused("ply 2: its target sums to", |game| search(game).moves[0].weight += 0.5);
    refused("ply 2: its target sums to", |game| search(game).moves[0].weight = f32::NAN);
    refused("ply 2: the move played", |game| game.plies[2].played = 1);
    refused("ply 2", |game| search(game).wdl = [-0.1, 0.6, 0.5]);
    refused("ply 2", |game| search(game).q = f32::NAN);
    // Moves that are not legal: one that was played, one that was searched.
    let illegal = 14 | 38 << 6;
    refused("ply 2", |game| {
        let played = game.plies[2].played;
        let moves = search(game).moves.iter_mut();
        moves.filter(|m| m.m == played).for_each(|m| m.m = illegal);
        game.plies[2].played = illegal;
    });
    refused("ply 2", |game| {
        let played = game.plies[2].played;
        search(game).moves.iter_mut().find(|m| m.m != played).unwrap().m = illegal;
    });
}

#[test]
fn searches_that_ended_early_are_refused_unless_they_may() {
    let mut short = game();
    let played = short.plies[2].played;
    search(&mut short).visits = 9;
    let moves = search(&mut short).moves.iter_mut();
    moves.filter(|m| m.m == played).for_each(|m| m.visits = 9);
    let told = judged(&short, &settings()).unwrap_err();
    assert!(told.contains("9 visits instead of 10"), "{told}");
    let stop = Some(KldStop { interval: 1, gain: 0.1 });
    assert!(judged(&short, &Settings { kld_stop: stop, ..settings() }).is_ok());
    search(&mut short).full = false;
    let told = judged(&short, &settings()).unwrap_err();
    assert!(told.contains("cut short"), "{told}");
    let cap = |cheap_visits| Settings {
        playout_cap: Some(PlayoutCap { full_share: 0.5, cheap_visits }),
        ..settings()
    };
    let record = judged(&short, &cap(9)).unwrap();
    assert_eq!((record.plies[2].kind, record.plies[2].weight), (SearchKind::Cheap, 0.0));
    assert!(judged(&short, &cap(10)).is_err());
}

#[test]
fn ends_that_the_rules_do_not_know_are_refused() {
    refused("does not fit", |game| game.result = "1-0".to_string());
    refused("is no result", |game| game.result = "*".to_string());
    refused("no known end", |game| game.termination = "boredom".to_string());
    for other in ["stalemate", "fifty moves", "insufficient material", "move limit"] {
        refused("does not fit", |game| game.termination = other.to_string());
    }
    refused("does not fit", |game| {
        game.plies.pop();
    });
    refused("over before its first move", |game| game.plies.truncate(1));
    refused("ply 3: nobody thought", |game| game.plies[3].search = None);
}

/// The game without its mate, ended by somebody's word.
fn cut_short(termination: &str, result: &str) -> GameReport {
    let mut game = game();
    game.plies.pop();
    (game.termination, game.result) = (termination.to_string(), result.to_string());
    game
}

#[test]
fn ends_that_nobody_asked_for_are_refused() {
    let verdict = Verdict { value: 0.5, plies: 2, from_ply: 0, to_ply: 0, final_value: None };
    let adjudicate =
        Adjudicate { win: Some(verdict), draw: Some(verdict), max_plies: 3, tablebase: true };
    let resign = Some(Resign { value: 0.9, moves: 2, play_on: 0.0 });
    let lenient = Settings { adjudicate, resign, ..settings() };
    for (termination, result) in [
        ("resignation", "0-1"),
        ("adjudicated win", "1-0"),
        ("adjudicated draw", "1/2-1/2"),
        ("move limit", "1/2-1/2"),
        ("tablebase", "1-0"),
    ] {
        let mut game = cut_short(termination, result);
        game.resignation = Some(Resignation { ply: 2, white: true });
        judged(&game, &lenient).expect(termination);
        let told = judged(&game, &settings()).expect_err(termination);
        assert!(told.contains("does not fit"), "{termination}: {told}");
        // Nobody ends a game that the rules have ended.
        let mated = GameReport { plies: self::game().plies, ..game };
        judged(&mated, &lenient).expect_err(termination);
    }
    let shorter = Settings { adjudicate: Adjudicate { max_plies: 4, ..adjudicate }, ..lenient };
    judged(&cut_short("move limit", "1/2-1/2"), &shorter).unwrap_err();
    judged(&cut_short("threefold repetition", "1/2-1/2"), &lenient).unwrap_err();
    let told = judged(&cut_short("resignation", "0-1"), &lenient).unwrap_err();
    assert!(told.contains("nobody resigned"), "{told}");
    let mut game = cut_short("resignation", "0-1");
    game.resignation = Some(Resignation { ply: 2, white: false });
    let told = judged(&game, &lenient).unwrap_err();
    assert!(told.contains("the other side resigned"), "{told}");
}
