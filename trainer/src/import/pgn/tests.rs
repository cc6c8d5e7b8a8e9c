//! Whole games through the cutter and the reader.

use super::cut::Cutter;
use super::game::{GameSettings, Verdict, read_game};
use super::{Filter, Reason, Variant};
use crate::import::wdl;
use crate::shards::{Outcome, Record, Score, SearchKind};

fn verdicts(pgn: &[u8], settings: &GameSettings) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for chunk in Cutter::new(pgn) {
        let chunk = chunk.unwrap();
        let read =
            |span: &super::cut::Span| read_game(&chunk.text[span.range.clone()], span, settings);
        verdicts.extend(chunk.games.iter().map(read));
    }
    verdicts
}

fn verdict(pgn: &str) -> Verdict {
    verdicts(pgn.as_bytes(), &GameSettings::default()).remove(0)
}

fn record(pgn: &str) -> Record {
    match verdict(pgn) {
        Verdict::Kept(record) => *record,
        other => panic!("{other:?}"),
    }
}

#[test]
fn scores_belong_to_the_position_after_the_move() {
    let game =
        record("1. e4 {[%eval 0.30]} e5 {[%eval 0.20,18]} 2. Qh5 {[%eval #-4]} Nc6 {[%eval 2]} *");
    let scores: Vec<_> = game.plies.iter().map(|ply| ply.score).collect();
    let expected = [
        None,
        // After 1. e4 it is Black to move, who is 0.30 behind.
        Some(Score::Centipawns(-30)),
        Some(Score::Centipawns(20)),
        Some(Score::Mate(4)),
        // The final position has no move.
        Some(Score::Centipawns(200)),
    ];
    assert_eq!(scores, expected);
    assert_eq!(game.plies[4].played, None);
    assert_eq!(game.plies[1].wdl, Some(wdl(Score::Centipawns(-30))));
    assert_eq!(game.plies[0].kind, SearchKind::Human);
    assert_eq!(game.plies[1].kind, SearchKind::Comment);
    assert_eq!(game.plies[0].policy, []);
}

#[test]
fn a_comment_before_the_first_move_is_about_the_start() {
    let game = record("{[%eval 0.15]} 1. e4 *");
    assert_eq!(game.plies[0].score, Some(Score::Centipawns(15)));
    assert_eq!(game.plies.len(), 1);
    let mate = record("1. f3 e5 2. g4 Qh4# {[%eval -99]} 0-1");
    assert_eq!(mate.plies.len(), 4);
}

#[test]
fn only_the_main_line_counts() {
    let plain = record("1. e4 e5 2. Nf3 1-0");
    let adorned = record(
        "1. e4! {hm} (1. d4 d5 (1... Nf6\n\n2. c4) 2. c4) 1... e5 $6\n\n2. Nf3!? ; fine\n% 3. x\n1-0 {resigned}",
    );
    assert_eq!(adorned.id(), plain.id());
    assert_eq!(plain.group, plain.id());
    assert_eq!(adorned.result, Outcome::White);
}

#[test]
fn broken_games_are_placed_and_explained() {
    let broken = |pgn: &str| match verdict(pgn) {
        Verdict::Broken { line, cause } => (line, cause),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        broken("[White \"a\"]\n\n1. e4 e5\n2. Ke3 Nc6\n*"),
        (4, "illegal move 2. Ke3".into())
    );
    assert_eq!(broken("1. e4\n\ne5 2. Nf3\nNc3 *").0, 4);
    assert_eq!(broken("1. e4 e5\n2. Nf9 *"), (2, "\"Nf9\" is not a move".into()));
    assert!(broken("[FEN \"x\"]\n\n1. e4 *").1.starts_with("FEN tag: not a FEN"));
    assert!(broken("[Result \"1-0\"]\n\n1. e4 0-1").1.contains("Result tag says 1-0"));
    assert!(broken("hello there").1.contains("not a PGN game"));
    assert!(broken("1. e4 {oh").1.contains("never closed"));
    assert!(broken("1. e4 -- 2. d4 *").1.contains("illegal"));
}

#[test]
fn results_come_from_tag_or_moves() {
    assert_eq!(record("[Result \"0-1\"]\n\n1. e4").result, Outcome::Black);
    assert_eq!(record("[Result \"*\"]\n\n1. e4 1/2-1/2").result, Outcome::Draw);
    assert_eq!(record("1. e4").result, Outcome::Unknown);
}

#[test]
fn filters_leave_out() {
    let pgn =
        b"[WhiteElo \"2000\"]\n[BlackElo \"1900\"]\n[Termination \"Time forfeit\"]\n\n1. e4 e5 1-0";
    let reason =
        |filter: Filter| match verdicts(pgn, &GameSettings { filter, ..GameSettings::default() })
            .remove(0)
        {
            Verdict::LeftOut(reason) => Some(reason),
            Verdict::Kept(_) => None,
            other => panic!("{other:?}"),
        };
    let all = Filter::default;
    assert_eq!(reason(all()), None);
    assert_eq!(reason(Filter { min_elo: Some(1950), ..all() }), Some(Reason::Rating));
    assert_eq!(reason(Filter { results: vec![Outcome::Draw], ..all() }), Some(Reason::Result));
    let forfeits = vec!["time forfeit".to_string()];
    let filter = Filter { skipped_terminations: forfeits.clone(), ..all() };
    assert_eq!(reason(filter), Some(Reason::Termination));
    assert_eq!(reason(Filter { terminations: forfeits, ..all() }), None);
    assert_eq!(reason(Filter { min_plies: 3, ..all() }), Some(Reason::Length));
    assert_eq!(reason(Filter { max_plies: 1, ..all() }), Some(Reason::Length));
    assert_eq!(reason(Filter { sample: 0.0, ..all() }), Some(Reason::Sampling));
    assert_eq!(
        reason(Filter { variants: vec![Variant::Chess960], ..all() }),
        Some(Reason::Variant)
    );
    assert!(matches!(verdict("[White \"a\"]\n\n*"), Verdict::LeftOut(Reason::NoMoves)));
    assert!(matches!(verdict("{only a comment}"), Verdict::NoGame));
}

#[test]
fn variants_are_told_apart() {
    let fen = "[FEN \"bqrnnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQRNNKRB w KQkq - 0 1\"]\n[SetUp \"1\"]\n";
    let game = record(&format!("[Variant \"Chess960\"]\n{fen}\n1. g3 g6 2. Bg2 Bg7 3. O-O O-O *"));
    assert!(game.chess960);
    assert_eq!(game.plies.len(), 6);
    let other = verdict("[Variant \"Atomic\"]\n\n1. e4 *");
    assert!(matches!(other, Verdict::LeftOut(Reason::Variant)));
    let position = "[Variant \"From Position\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n";
    assert!(!record(&format!("{position}\n1. e4 *")).chess960);
}

#[test]
fn the_first_plies_may_go_without_weight() {
    let settings = GameSettings { skip_plies: 2, kind: SearchKind::None, ..Default::default() };
    let Verdict::Kept(game) = verdicts(b"1. e4 e5 2. f4 *", &settings).remove(0) else {
        panic!("not kept");
    };
    let weights: Vec<_> = game.plies.iter().map(|ply| ply.weight).collect();
    assert_eq!(weights, [0.0, 0.0, 1.0]);
    assert!(game.plies.iter().all(|ply| ply.kind == SearchKind::None));
}
