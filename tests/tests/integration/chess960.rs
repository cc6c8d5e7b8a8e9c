//! Chess960: all spellings of positions, castling as king takes rook, and whole
//! games with every move checked.

use shakmaty::CastlingMode;

use crate::driver::Engine;
use crate::game::{Dice, Game};

fn best(engine: &mut Engine, position: &str, command: &str) -> String {
    engine.send(position);
    let lines = engine.go(command);
    lines.last().unwrap()["bestmove ".len()..].split(' ').next().unwrap().to_string()
}

#[test]
fn castling_is_spelled_as_the_game_wants() {
    let mut engine = Engine::random();
    let standard = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (asked, spelled) in [("e1g1", "e1g1"), ("e1h1", "e1g1"), ("e1c1", "e1c1"), ("e1a1", "e1c1")]
    {
        let command = format!("go nodes 20 searchmoves {asked}");
        assert_eq!(best(&mut engine, standard, &command), spelled);
    }
    engine.set("UCI_Chess960", "true");
    for (asked, spelled) in [("e1h1", "e1h1"), ("e1a1", "e1a1")] {
        let command = format!("go nodes 20 searchmoves {asked}");
        assert_eq!(best(&mut engine, standard, &command), spelled);
    }
    let moves = "position startpos moves g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1h1 e8h8";
    engine.send(moves);
    assert!(engine.fen().starts_with("rnbq1rk1/ppppppbp/5np1/8/8/5NP1/PPPPPPBP/RNBQ1RK1 w"));
}

#[test]
fn rights_that_only_chess960_has_speak_for_themselves() {
    let shredder = "position fen 1r2k1r1/8/8/8/8/8/6P1/1R2K1R1 w GBgb - 0 1";
    let x_fen = "position fen 1r2k1r1/8/8/8/8/8/6P1/1R2K1R1 w KQkq - 0 1";
    for chess960 in ["false", "true"] {
        let mut engine = Engine::random();
        engine.set("UCI_Chess960", chess960);
        for position in [shredder, x_fen] {
            for castling in ["e1g1", "e1b1"] {
                let command = format!("go nodes 20 searchmoves {castling}");
                assert_eq!(best(&mut engine, position, &command), castling, "{chess960}");
            }
        }
    }
}

/// The start position by its usual number, 0 to 959.
fn back_rank(number: usize) -> String {
    let mut rank = [None; 8];
    let (n, bishop) = (number / 4, number % 4);
    rank[bishop * 2 + 1] = Some('b');
    let (n, bishop) = (n / 4, n % 4);
    rank[bishop * 2] = Some('b');
    let (n, queen) = (n / 6, n % 6);
    let mut place = |index: usize, piece: char| {
        let square = (0..8).filter(|i| rank[*i].is_none()).nth(index).unwrap();
        rank[square] = Some(piece);
    };
    place(queen, 'q');
    let knights =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)][n];
    place(knights.0, 'n');
    place(knights.1 - 1, 'n');
    for piece in ['r', 'k', 'r'] {
        place(0, piece);
    }
    rank.into_iter().flatten().collect()
}

#[test]
fn start_positions_are_numbered_as_usual() {
    assert_eq!(back_rank(518), "rnbqkbnr");
    assert_eq!(back_rank(0), "bbqnnrkr");
    assert_eq!(back_rank(959), "rkrnnqbb");
}

#[test]
fn whole_games_are_legal() {
    let mut engine = Engine::random();
    engine.set("UCI_Chess960", "true");
    engine.ready();
    let mut dice = Dice(960);
    let mut castlings = 0;
    for number in 0..20 {
        let rank = back_rank(dice.roll() as usize % 960);
        let upper = rank.to_uppercase();
        let rights = if number % 2 == 0 {
            "KQkq".to_string()
        } else {
            let files: String =
                rank.chars().zip('a'..).filter(|(p, _)| *p == 'r').map(|(_, file)| file).collect();
            format!("{}{files}", files.to_uppercase())
        };
        let fen = format!("{rank}/pppppppp/8/8/8/8/PPPPPPPP/{upper} w {rights} - 0 1");
        let mut game = Game::in_mode(&fen, CastlingMode::Chess960);
        engine.send("ucinewgame");
        while !game.is_over() && game.moves.len() < 120 {
            engine.send(&game.command());
            let lines = engine.go("go nodes 20");
            let m = game.check(&lines);
            castlings += usize::from(game.read(&m).unwrap().is_castle());
            game.play(&m);
        }
        assert!(game.moves.len() > 4, "{fen}: {:?}", game.moves);
    }
    assert!(castlings > 0, "no game had castling");
}
