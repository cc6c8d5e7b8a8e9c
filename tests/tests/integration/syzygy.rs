//! Tablebases, where there are some.

use shakmaty::Position;

use crate::driver::{Engine, outside};
use crate::game::{Dice, Game};
use crate::info::{Info, Score};
use crate::scratch::Scratch;

fn engine_with_tables() -> Option<Engine> {
    let folder = outside("ARBOR_TEST_SYZYGY", "../shared/data/syzygy", "Syzygy tables")?;
    let mut engine = Engine::random();
    engine.set("SyzygyPath", &folder.display().to_string());
    let lines = engine.ready();
    assert!(lines.iter().any(|line| line.contains("tablebase files")), "{lines:#?}");
    Some(engine)
}

/// What the first line says of a search of a few nodes.
fn judge(engine: &mut Engine, fen: &str) -> (Score, u64) {
    let game = Game::new(fen);
    engine.send(&game.command());
    let lines = engine.go("go nodes 200");
    game.check(&lines);
    let info = Info::last(&lines);
    (info.score, info.tbhits)
}

#[test]
fn results_are_those_of_the_tables() {
    let Some(mut engine) = engine_with_tables() else { return };
    let winning = |score| matches!(score, Score::Cp(1000..) | Score::Mate(1..));
    let losing = |score| matches!(score, Score::Cp(..=-1000) | Score::Mate(..=-1));
    let (score, hits) = judge(&mut engine, "8/8/8/4k3/8/8/8/R3K3 w - - 0 1");
    assert!(winning(score) && hits > 0, "{score:?}, {hits} hits");
    let (score, hits) = judge(&mut engine, "8/8/8/4k3/8/8/8/R3K3 b - - 0 1");
    assert!(losing(score) && hits > 0, "{score:?}, {hits} hits");
    // A pawn on the rook's file with the king in front: drawn.
    let (score, hits) = judge(&mut engine, "k7/8/8/8/8/P7/8/K7 w - - 0 1");
    assert!(matches!(score, Score::Cp(-20..=20)) && hits > 0, "{score:?}, {hits} hits");
}

#[test]
fn sub_folders_are_searched_and_empty_ones_named() {
    let Some(folder) = outside("ARBOR_TEST_SYZYGY", "../shared/data/syzygy", "Syzygy tables")
    else {
        return;
    };
    let scratch = Scratch::new();
    let mut engine = Engine::random();
    engine.set("SyzygyPath", &scratch.path().display().to_string());
    let lines = engine.ready();
    assert!(lines.iter().any(|line| line.contains("no tablebase files")), "{lines:#?}");
    engine.set("SyzygyPath", "/no/such/folder");
    let lines = engine.ready();
    assert!(lines.iter().any(|line| line.contains("/no/such/folder")), "{lines:#?}");
    let deep = scratch.path().join("wdl").join("three");
    std::fs::create_dir_all(&deep).unwrap();
    for name in ["KRvK.rtbw", "KRvK.rtbz"] {
        std::fs::copy(folder.join(name), deep.join(name)).unwrap();
    }
    engine.set("SyzygyPath", &scratch.path().display().to_string());
    engine.set("Clear Hash", "");
    engine.send("position startpos");
    // The same path was open before; it is read anew after another one.
    let lines = engine.ready();
    assert!(lines.iter().any(|line| line.contains("2 tablebase files")), "{lines:#?}");
    let (_, hits) = judge(&mut engine, "8/8/8/4k3/8/8/8/R3K3 w - - 0 1");
    assert!(hits > 0);
}

#[test]
fn won_endings_are_won_within_fifty_moves() {
    let Some(mut engine) = engine_with_tables() else { return };
    for (number, fen) in [
        "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1",
        "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1",
        "8/8/8/4k3/8/8/8/R3K3 w - - 0 1",
        "8/8/8/4k3/8/8/8/2B1KB2 w - - 0 1",
    ]
    .iter()
    .enumerate()
    {
        for best_defense in [false, true] {
            let mut dice = Dice(number as u64 + 1);
            let mut game = Game::new(fen);
            engine.send("ucinewgame");
            while !game.position.is_checkmate() {
                assert!(game.moves.len() < 100 && !game.is_over(), "{fen}: {:?}", game.moves);
                if game.position.turn().is_black() && !best_defense {
                    game.play_any(dice.roll());
                    continue;
                }
                engine.send(&game.command());
                let lines = engine.go("go nodes 50");
                game.play(&game.check(&lines));
            }
        }
    }
}
