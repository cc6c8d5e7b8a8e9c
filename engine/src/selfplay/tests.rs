//! Whole sessions with the random backend: every setting shows its effect.

use super::protocol::{GameReport, Reply};
use super::*;
use crate::chess::{Line, PackedMove, parse_fen};
use crate::options::{Settings as Options, Values};
use serde_json::{Value as Json, json};
use shakmaty::Chess;
use std::io;

/// For games without a network.
fn options() -> Values {
    let mut values = Values::default();
    for (name, value) in [("Backend", "random"), ("Threads", "1"), ("Hash", "4"), ("Batch", "8")] {
        values.set(name, value).unwrap();
    }
    values
}

/// Plays the jobs and returns all replies.
fn session(lines: &[Json]) -> Vec<Reply> {
    replies(lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes())
}

/// What a session says to its input.
fn replies(input: Vec<u8>) -> Vec<Reply> {
    let mut out = Vec::new();
    run(&Options::new(&options()), io::Cursor::new(input), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn play(count: u64, settings: Json) -> Vec<GameReport> {
    let jobs: Vec<Json> = (0..count)
        .map(|id| json!({"request": "play", "id": id, "seed": id + 1, "settings": settings}))
        .collect();
    let mut games: Vec<GameReport> = session(&jobs)
        .into_iter()
        .filter_map(|reply| match reply {
            Reply::Game(game) => Some(*game),
            Reply::Refused { reason, .. } => panic!("{reason}"),
            _ => None,
        })
        .collect();
    games.sort_by_key(|game| game.id);
    assert_eq!(games.len() as u64, count);
    games
}

/// Replays a game; every move must be legal and every search about its position.
fn check(game: &GameReport) {
    let start = match game.start_fen.is_empty() {
        true => Chess::default(),
        false => parse_fen(&game.start_fen, game.chess960).unwrap(),
    };
    let mut line = Line::new(start);
    for ply in &game.plies {
        let legal = line.legal_moves();
        if let Some(search) = &ply.search {
            assert_eq!(search.moves.len(), legal.len());
            let listed = |m: &shakmaty::Move| {
                search.moves.iter().any(|found| found.m == PackedMove::new(*m).0)
            };
            assert!(legal.iter().all(listed));
            assert_eq!(search.moves.iter().map(|m| m.visits).sum::<u32>(), search.visits);
            let weights: f32 = search.moves.iter().map(|m| m.weight).sum();
            assert!((weights - 1.0).abs() < 1e-3, "{weights}");
            assert!((search.wdl.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            assert!((search.wdl[0] - search.wdl[2] - search.q).abs() < 1e-4);
        }
        let m = legal.iter().find(|m| PackedMove::new(**m).0 == ply.played).unwrap();
        line.push(*m);
    }
}

fn searches(games: &[GameReport]) -> Vec<&super::protocol::SearchReport> {
    games.iter().flat_map(|game| game.plies.iter().filter_map(|ply| ply.search.as_ref())).collect()
}

#[test]
fn games_are_legal_and_the_same_for_the_same_seed() {
    let games = play(12, json!({"visits": 20}));
    games.iter().for_each(check);
    // Who fills the cache for whom depends on when the jobs come.
    let again = play(12, json!({"visits": 20}));
    for (game, again) in games.iter().zip(&again) {
        assert_eq!((&game.plies, &game.result), (&again.plies, &again.result));
        assert_eq!(game.effort.simulations, again.effort.simulations);
    }
    let ends: std::collections::BTreeSet<_> = games.iter().map(|game| &game.termination).collect();
    assert!(ends.len() > 1, "{ends:?}");
    assert!(games.windows(2).all(|pair| pair[0].plies != pair[1].plies));
}

#[test]
fn a_game_does_not_depend_on_its_neighbors() {
    let alone = play(1, json!({"visits": 16}));
    let together = play(9, json!({"visits": 16}));
    assert_eq!(alone[0].plies, together[0].plies);
}

#[test]
fn openings_and_starts_are_those_of_the_job() {
    let start = "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1";
    let castling = 4 | 7 << 6; // The king takes its own rook.
    let job = json!({"request": "play", "id": 5, "fen": start, "moves": [castling],
                     "settings": {"visits": 8}});
    let replies = session(&[job]);
    let Some(Reply::Game(game)) = replies.iter().find(|r| matches!(r, Reply::Game(_))) else {
        panic!("{replies:?}")
    };
    check(game);
    assert_eq!(game.start_fen, start);
    assert_eq!(game.plies[0].played, castling);
    assert!(game.plies[0].search.is_none() && game.plies[1].search.is_some());
}

#[test]
fn what_cannot_be_played_is_refused_and_the_rest_goes_on() {
    let replies = session(&[
        json!({"request": "play", "id": 1, "fen": "no chess"}),
        json!({"request": "play", "id": 2, "moves": [1]}),
        json!({"request": "play", "id": 3, "settings": {"visits": 0}}),
        json!({"request": "play", "id": 5, "settings": {"adjudicate": {"tablebase": true}}}),
        json!({"request": "dance"}),
        json!({"request": "network", "path": "/no/such.onnx"}),
        json!({"request": "play", "id": 4, "settings": {"visits": 4}}),
    ]);
    let refused: Vec<(Option<u64>, &str)> = replies
        .iter()
        .filter_map(|reply| match reply {
            Reply::Refused { id, reason } => Some((*id, reason.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(refused.len(), 5, "{refused:?}");
    let about = |id, part: &str| refused.iter().any(|r| r.0 == id && r.1.contains(part));
    assert!(about(Some(1), "no chess") && about(Some(2), "not legal"), "{refused:?}");
    assert!(about(Some(3), "visits must") && about(None, "dance"), "{refused:?}");
    assert!(about(Some(5), "SyzygyPath"), "{refused:?}");
    assert!(replies.iter().any(|reply| matches!(reply, Reply::Game(game) if game.id == 4)));
    assert!(matches!(replies.last(), Some(Reply::Totals(totals)) if totals.games == 1));
}

#[test]
fn bytes_that_are_no_text_are_refused_and_the_rest_goes_on() {
    let job = |id: u64| json!({"request": "play", "id": id, "settings": {"visits": 4}});
    let fen: &[u8] = b"\n{\"request\": \"play\", \"id\": 2, \"fen\": \"\xff\"}\n\xfe\n";
    let input = [job(1).to_string().as_bytes(), fen, job(3).to_string().as_bytes()].concat();
    let (mut played, mut refused) = (Vec::new(), Vec::new());
    for reply in replies(input) {
        match reply {
            Reply::Game(game) => played.push(game.id),
            Reply::Refused { id, .. } => refused.push(id),
            _ => {}
        }
    }
    played.sort();
    refused.sort();
    assert_eq!((played, refused), (vec![1, 3], vec![None, Some(2)]));
}

#[test]
fn tablebases_that_are_not_there_are_named() {
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    for (path, told) in [("/no/such/tables", "/no/such/tables"), (sources, "no tablebases there")] {
        let mut values = options();
        values.set("SyzygyPath", path).unwrap();
        let error = run(&Options::new(&values), io::empty(), &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[test]
fn visits_are_what_was_asked() {
    for reuse in [true, false] {
        let games = play(12, json!({"visits": 30, "reuse_tree": reuse}));
        let searches = searches(&games);
        let exact = searches
            .iter()
            .filter(|s| s.moves.len() > 1)
            .all(|s| if reuse { s.visits >= 30 } else { s.visits == 30 });
        assert!(exact);
    }
}

#[test]
fn kept_trees_save_simulations() {
    let cost = |reuse: bool| {
        let games =
            play(4, json!({"visits": 40, "reuse_tree": reuse, "temperature": {"start": 0}}));
        let simulations: u64 = games.iter().map(|game| game.effort.simulations).sum();
        simulations as f64 / searches(&games).len() as f64
    };
    assert!(cost(true) < 0.9 * cost(false));
}

#[test]
fn the_playout_cap_shortens_most_searches() {
    let cap = json!({"full_share": 0.25, "cheap_visits": 8});
    let games = play(6, json!({"visits": 40, "playout_cap": cap, "reuse_tree": false}));
    let searches = searches(&games);
    let full = searches.iter().filter(|s| s.full).count() as f64 / searches.len() as f64;
    assert!((full - 0.25).abs() < 0.06, "{full}");
    assert!(searches.iter().filter(|s| !s.full && s.moves.len() > 1).all(|s| s.visits == 8));
}

#[test]
fn cheap_searches_have_neither_noise_nor_force() {
    let first = |full_share: f32, epsilon: f32, forced: f32| -> Vec<_> {
        let settings = json!({"visits": 60, "noise": {"epsilon": epsilon, "alpha": 0.1},
                              "playout_cap": {"full_share": full_share, "cheap_visits": 60},
                              "forced_playouts": forced, "temperature": {"start": 0.0},
                              "adjudicate": {"max_plies": 1}});
        let visits = |game: GameReport| -> Vec<u32> {
            game.plies[0].search.iter().flat_map(|s| &s.moves).map(|m| m.visits).collect()
        };
        play(6, settings).into_iter().map(visits).collect()
    };
    let plain = first(0.0, 0.0, 0.0);
    for (epsilon, forced) in [(0.9, 0.0), (0.0, 5.0)] {
        assert_eq!(first(0.0, epsilon, forced), plain, "{epsilon} {forced}");
        assert_ne!(first(1.0, epsilon, forced), plain, "{epsilon} {forced}");
    }
}

#[test]
fn noise_changes_visits_and_not_the_reported_priors() {
    let first = |epsilon: f32| {
        let settings = json!({"visits": 60, "noise": {"epsilon": epsilon, "alpha": 0.1},
                              "temperature": {"start": 0.0}});
        let games = play(8, settings);
        let list = games.iter().map(|game| game.plies[0].search.clone().unwrap());
        list.collect::<Vec<_>>()
    };
    let (quiet, noisy) = (first(0.0), first(0.5));
    assert!(quiet.windows(2).all(|pair| pair[0].moves == pair[1].moves));
    assert!(noisy.windows(2).any(|pair| pair[0].moves != pair[1].moves));
    let priors = |search: &super::protocol::SearchReport| -> Vec<f32> {
        search.moves.iter().map(|m| m.prior).collect()
    };
    assert!(noisy.iter().all(|search| priors(search) == priors(&quiet[0])));
}

#[test]
fn temperature_spreads_the_first_moves() {
    let different = |start: f32, cutoff: f32| {
        let settings = json!({"visits": 40, "noise": {"epsilon": 0.0},
                              "temperature": {"start": start, "value_cutoff": cutoff},
                              "adjudicate": {"max_plies": 2}});
        let games = play(30, settings);
        let moves = games.iter().map(|game| game.plies[0].played);
        moves.collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!(different(0.0, 2.0), 1);
    let (wide, narrow) = (different(1.0, 2.0), different(1.0, 0.01));
    assert!(wide > 4 && narrow < wide, "{wide} {narrow}");
}

/// Nats of the visits' distribution, on average.
fn visit_entropy(games: &[GameReport]) -> f64 {
    let sum: f64 = games.iter().map(|game| game.effort.entropy).sum();
    sum / games.iter().map(|game| f64::from(game.effort.full_searches)).sum::<f64>()
}

#[test]
fn exploration_widens_searches() {
    let width = |more: Json| {
        let mut settings = json!({"visits": 60, "noise": {"epsilon": 0.0}, "reuse_tree": false,
                                  "adjudicate": {"max_plies": 30}});
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        visit_entropy(&play(4, settings))
    };
    let [narrow, usual, wide] = [0.2, 1.0, 4.0].map(|cpuct| width(json!({"cpuct": cpuct})));
    assert!(narrow < usual && usual < wide, "{narrow} {usual} {wide}");
    // It grows by the factor, over visits of the order of the base.
    let grown =
        |factor, base| width(json!({"cpuct": 0.2, "cpuct_factor": factor, "cpuct_base": base}));
    let (flat, slow, quick) = (grown(0.0, 10.0), grown(2.0, 1e6), grown(2.0, 10.0));
    assert!((flat - slow).abs() < 0.05 * flat && quick > 1.2 * flat, "{flat} {slow} {quick}");
}

#[test]
fn policy_temperature_flattens_priors() {
    let spread = |temperature: f32| {
        let settings = json!({"visits": 4, "policy_temperature": temperature,
                              "adjudicate": {"max_plies": 10}});
        let games = play(2, settings);
        let searches = searches(&games);
        let entropy = |s: &&super::protocol::SearchReport| -> f32 {
            s.moves.iter().map(|m| -m.prior * m.prior.max(1e-9).ln()).sum()
        };
        searches.iter().map(entropy).sum::<f32>() / searches.len() as f32
    };
    let [sharp, usual, flat] = [0.5, 1.0, 3.0].map(spread);
    assert!(sharp < usual && usual < flat, "{sharp} {usual} {flat}");
}

#[test]
fn noise_shaped_by_moves_is_spiky_where_there_are_many() {
    // Moves that noise makes the first choice, in different games.
    let favorites = |per_moves: f32| {
        let noise = json!({"epsilon": 0.9, "alpha": 10.0, "per_moves": per_moves});
        let settings = json!({"visits": 60, "noise": noise, "temperature": {"start": 0.0},
                              "adjudicate": {"max_plies": 1}});
        let games = play(30, settings);
        let moves = games.iter().map(|game| game.plies[0].played);
        moves.collect::<std::collections::BTreeSet<_>>().len()
    };
    // Alpha 10 is nearly even; of twenty moves, 0.02 twentieths of it favor one.
    let (even, spiky) = (favorites(0.0), favorites(0.02));
    assert!(spiky > even + 3, "{even} {spiky}");
}

#[test]
fn temperature_lasts_as_it_was_told_to() {
    // Share of later moves that are not the most visited.
    let strays = |more: Json| {
        let mut temperature = json!({"start": 1.0, "plies": 4});
        temperature.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let settings = json!({"visits": 30, "temperature": temperature, "reuse_tree": false,
                              "adjudicate": {"max_plies": 40}});
        let (mut strayed, mut all) = (0, 0);
        for game in play(8, settings) {
            for ply in &game.plies[20.min(game.plies.len())..] {
                let search = ply.search.as_ref().unwrap();
                let most = search.moves.iter().map(|m| m.visits).max();
                let played = search.moves.iter().find(|m| m.m == ply.played);
                strayed += u32::from(played.map(|m| m.visits) != most);
                all += 1;
            }
        }
        f64::from(strayed) / f64::from(all)
    };
    let over = strays(json!({}));
    let (slow, quick) = (strays(json!({"half_life": 100.0})), strays(json!({"half_life": 4.0})));
    let kept = strays(json!({"half_life": 4.0, "end": 1.0}));
    assert_eq!(over, 0.0);
    assert!(quick < 0.5 * slow && quick < 0.5 * kept, "{quick} {slow} {kept}");
}

#[test]
fn gumbel_weights_values_against_priors() {
    // Nats from the prior to the target.
    let surprise = |offset: f32, scale: f32| {
        let gumbel = json!({"considered": 8, "visit_offset": offset, "value_scale": scale});
        let settings = json!({"visits": 16, "gumbel": gumbel, "adjudicate": {"max_plies": 30}});
        let games = play(4, settings);
        let sum: f64 = games.iter().map(|game| game.effort.surprise).sum();
        sum / searches(&games).len() as f64
    };
    let usual = surprise(50.0, 1.0);
    assert!(surprise(0.0, 1.0) < 0.7 * usual);
    assert!(surprise(50.0, 0.2) < 0.7 * usual);
    assert!(surprise(50.0, 0.0) < 1e-3);
}

#[test]
fn gumbel_targets_are_improved_policies() {
    let settings = json!({"visits": 16, "gumbel": {"considered": 8}});
    let games = play(3, settings);
    games.iter().for_each(check);
    for search in searches(&games).iter().filter(|s| s.moves.len() > 8) {
        assert_eq!(search.visits, 16);
        // Halving: few moves are visited, all of them have a share.
        let visited = search.moves.iter().filter(|m| m.visits > 0).count();
        assert!(visited <= 8, "{visited}");
        assert!(search.moves.iter().all(|m| m.weight >= 0.0));
        let best = search.moves.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).unwrap();
        let value = |m: &super::protocol::MoveReport| m.value.unwrap_or(-1.0);
        let highest = search.moves.iter().map(value).fold(-1.0, f32::max);
        assert!(value(best) >= highest - 0.35, "{search:?}");
    }
}

#[test]
fn forced_playouts_widen_the_search_and_not_the_target() {
    let spread = |forced: f32| {
        let settings = json!({"visits": 100, "forced_playouts": forced,
                              "noise": {"epsilon": 0.25}, "reuse_tree": false,
                              "adjudicate": {"max_plies": 30}});
        let games = play(4, settings);
        let searches = searches(&games);
        let visited: usize =
            searches.iter().map(|s| s.moves.iter().filter(|m| m.visits > 1).count()).sum();
        let pruned = searches
            .iter()
            .flat_map(|s| s.moves.iter().map(|m| (m.weight, m.visits, s.visits)))
            .filter(|(weight, visits, all)| *weight < 0.99 * *visits as f32 / *all as f32)
            .count();
        (visited as f64 / searches.len() as f64, pruned)
    };
    let (plain, forced) = (spread(0.0), spread(3.0));
    assert!(forced.0 > plain.0, "{plain:?} {forced:?}");
    assert_eq!(plain.1, 0);
    assert!(forced.1 > 0);
}

#[test]
fn a_search_that_learns_nothing_stops() {
    let cost = |gain: f32| {
        let settings = json!({"visits": 200, "kld_stop": {"interval": 20, "gain": gain},
                              "adjudicate": {"max_plies": 40}, "reuse_tree": false});
        let games = play(2, settings);
        let searches = searches(&games);
        searches.iter().map(|s| f64::from(s.visits)).sum::<f64>() / searches.len() as f64
    };
    let (patient, hasty) = (cost(0.0), cost(0.01));
    assert!(hasty < 0.8 * patient, "{hasty} {patient}");
}

#[test]
fn search_contempt_freezes_replies() {
    let settings = |freeze: u32| {
        // Frozen trees are not kept, so that the others must not be either.
        json!({"visits": 120, "contempt_freeze": freeze, "noise": {"epsilon": 0.0},
               "reuse_tree": false,
               "temperature": {"start": 0.0}, "adjudicate": {"max_plies": 20}})
    };
    let (plain, frozen) = (play(1, settings(0)), play(1, settings(3)));
    frozen.iter().for_each(check);
    assert_ne!(plain[0].plies, frozen[0].plies);
}

#[test]
fn hopeless_sides_resign_unless_the_game_is_played_on() {
    let resign = |play_on: f32| {
        // The random backend is never sure: a low bar.
        json!({"visits": 16, "resign": {"value": 0.05, "moves": 2, "play_on": play_on}})
    };
    let obeyed = play(12, resign(0.0));
    assert!(obeyed.iter().any(|game| game.termination == "resignation"));
    for game in obeyed.iter().filter(|game| game.termination == "resignation") {
        let resignation = game.resignation.unwrap();
        assert_eq!(game.result, if resignation.white { "0-1" } else { "1-0" });
        assert_eq!(resignation.ply as usize, game.plies.len() - 1);
    }
    let noted = play(12, resign(1.0));
    assert!(noted.iter().all(|game| game.termination != "resignation"));
    assert!(noted.iter().any(|game| game.resignation.is_some()));
}

#[test]
fn games_are_adjudicated() {
    let verdict = json!({"value": 1.0, "plies": 6, "from_ply": 10});
    let drawn = play(4, json!({"visits": 8, "adjudicate": {"draw": verdict}}));
    for game in &drawn {
        assert_eq!(
            (game.termination.as_str(), game.result.as_str()),
            ("adjudicated draw", "1/2-1/2")
        );
        assert_eq!(game.plies.len(), 16);
    }
    let verdict = json!({"value": 0.0, "plies": 3});
    let won = play(4, json!({"visits": 8, "adjudicate": {"win": verdict}}));
    assert!(won.iter().all(|game| game.termination == "adjudicated win"));
    let limited = play(2, json!({"visits": 8, "adjudicate": {"max_plies": 9}}));
    assert!(limited.iter().all(|game| game.plies.len() == 9 && game.termination == "move limit"));
}

#[test]
fn verdicts_that_grow_lenient_end_long_games() {
    let win = |final_value: Option<f32>| {
        // The random backend is never sure of a win, so only the end of the slope
        // decides.
        let verdict = json!({"value": 1.0, "plies": 2, "from_ply": 20, "to_ply": 60,
                             "final_value": final_value});
        let adjudicate = json!({"win": verdict, "max_plies": 90});
        play(6, json!({"visits": 8, "adjudicate": adjudicate}))
    };
    let verdicts = |games: &[GameReport]| {
        games.iter().filter(|game| game.termination == "adjudicated win").count()
    };
    let (strict, lenient) = (win(None), win(Some(0.0)));
    assert_eq!(verdicts(&strict), 0);
    assert!(verdicts(&lenient) >= 4);
    assert!(lenient.iter().all(|game| game.plies.len() < 70));
    let adjudicated = lenient.iter().filter(|game| game.termination == "adjudicated win");
    assert!(adjudicated.map(|game| game.plies.len()).min() > Some(30));
}

#[test]
fn batches_are_full_while_there_are_games() {
    let jobs: Vec<Json> = (0..64)
        .map(|id| {
            json!({"request": "play", "id": id, "seed": id,
                         "settings": {"visits": 16, "adjudicate": {"max_plies": 60}}})
        })
        .collect();
    let Some(Reply::Totals(totals)) = session(&jobs).pop() else { panic!() };
    let fill = totals.evaluations as f64 / totals.room as f64;
    assert!(fill > 0.8, "{fill}");
    assert_eq!(totals.games, 64);
}
