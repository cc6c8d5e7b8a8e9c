//! Forced mates are seen, told and played, even by a network that knows nothing.

use shakmaty::Position;

use crate::driver::Engine;
use crate::game::{Dice, Game};
use crate::info::{Info, Score};

/// Each has one solution only.
const MATES: [(&str, &str, i32); 4] = [
    ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", 1),
    ("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1", "d5f6", 2),
    ("8/8/5R2/8/8/8/7k/4K3 w - - 0 1", "e1f2", 3),
    ("8/4NP1k/3p4/8/K7/8/8/8 w - - 0 1", "f7f8q", 3),
];

#[test]
fn mates_are_found_and_told() {
    let mut engine = Engine::tiny();
    engine.set("UCI_ShowWDL", "true");
    engine.ready();
    for (fen, first, moves) in MATES {
        let game = Game::new(fen);
        engine.send("ucinewgame");
        engine.send(&game.command());
        let lines = engine.go("go nodes 100000");
        let best = game.check(&lines);
        let info = Info::last(&lines);
        assert_eq!(info.score, Score::Mate(moves), "{fen}");
        assert_eq!(info.wdl, Some([1000, 0, 0]), "{fen}");
        assert_eq!(best, first, "{fen}");
        assert_eq!(info.pv.len() as i32, moves * 2 - 1, "{fen}: {:?}", info.pv);
        let mut end = game.clone();
        info.pv.iter().for_each(|m| end.play(m));
        assert!(end.position.is_checkmate(), "{fen}: {:?}", info.pv);
    }
}

#[test]
fn being_mated_is_told_as_well() {
    let mut engine = Engine::tiny();
    engine.ready();
    let game = Game::new("k7/8/1K6/8/8/8/8/7R b - - 0 1");
    engine.send(&game.command());
    let lines = engine.go("go nodes 5000");
    game.check(&lines);
    assert_eq!(Info::last(&lines).score, Score::Mate(-1));
}

#[test]
fn a_forced_mate_is_played_to_its_end() {
    let mut engine = Engine::tiny();
    engine.ready();
    for (fen, _, moves) in MATES {
        for seed in 1..=3 {
            let mut dice = Dice(seed);
            let mut game = Game::new(fen);
            engine.send("ucinewgame");
            for _ in 0..moves {
                engine.send(&game.command());
                let lines = engine.go("go nodes 100000");
                game.play(&game.check(&lines));
                if game.position.is_checkmate() {
                    break;
                }
                game.play_any(dice.roll());
            }
            assert!(game.position.is_checkmate(), "{fen}: {:?}", game.moves);
        }
    }
}
