//! Everything the engine prints during a game, read by a parser that is not
//! ours. It knows neither `wdl` nor `bestmove (none)`, so neither occurs here.

use vampirc_uci::{UciInfoAttribute, UciMessage, UciOptionConfig, parse_one};

use crate::driver::Engine;
use crate::game::{Game, START};

#[test]
fn every_line_of_a_game_means_what_it_says() {
    let mut engine = Engine::tiny();
    engine.send("uci");
    let mut lines = engine.read_until(|line| line == "uciok");
    engine.send("isready");
    lines.extend(engine.read_until(|line| line == "readyok"));
    let mut game = Game::new(START);
    engine.send("ucinewgame");
    for limit in
        ["nodes 200", "depth 2", "movetime 60", "wtime 500 btime 500"].iter().cycle().take(16)
    {
        engine.send(&game.command());
        let answer = engine.go(&format!("go {limit}"));
        game.play(&game.check(&answer));
        if !game.is_over() {
            game.play_any(7);
        }
        if game.is_over() {
            game = Game::new(START);
        }
        lines.extend(answer);
    }
    engine.set("MultiPV", "3");
    engine.send(&game.command());
    lines.extend(engine.go("go nodes 500"));
    assert!(lines.len() > 80);
    for line in &lines {
        check(line);
    }
}

fn check(line: &str) {
    let message = parse_one(&format!("{line}\n"));
    match &message {
        UciMessage::Id { name: Some(name), author: None } => {
            assert_eq!(line, format!("id name {name}"));
        }
        UciMessage::Id { name: None, author: Some(author) } => {
            assert_eq!(line, format!("id author {author}"));
        }
        UciMessage::UciOk => assert_eq!(line, "uciok"),
        UciMessage::ReadyOk => assert_eq!(line, "readyok"),
        UciMessage::BestMove { best_move, ponder } => {
            let ponder = ponder.as_ref().map_or(String::new(), |m| format!(" ponder {m}"));
            assert_eq!(line, format!("bestmove {best_move}{ponder}"));
        }
        UciMessage::Option(config) => assert_eq!(line, option_text(config)),
        UciMessage::Info(attributes) => {
            let text: String = attributes.iter().map(attribute_text).collect();
            assert_eq!(line, format!("info{text}"));
        }
        _ => panic!("{line}\nwas read as {message:?}"),
    }
}

fn option_text(config: &UciOptionConfig) -> String {
    let start = format!("option name {} type {}", config.get_name(), config.get_type_str());
    let rest = match config {
        UciOptionConfig::Check { default: Some(default), .. } => format!(" default {default}"),
        UciOptionConfig::Spin {
            default: Some(default), min: Some(min), max: Some(max), ..
        } => {
            format!(" default {default} min {min} max {max}")
        }
        UciOptionConfig::Combo { default: Some(default), var, .. } => {
            let vars: String = var.iter().map(|choice| format!(" var {choice}")).collect();
            format!(" default {default}{vars}")
        }
        // It reads UCI's word for the empty string, too.
        UciOptionConfig::String { default: Some(default), .. } if default.is_empty() => {
            " default <empty>".to_string()
        }
        UciOptionConfig::String { default: Some(default), .. } => format!(" default {default}"),
        UciOptionConfig::Button { .. } => String::new(),
        other => panic!("incomplete: {other:?}"),
    };
    start + &rest
}

fn attribute_text(attribute: &UciInfoAttribute) -> String {
    use UciInfoAttribute as A;
    match attribute {
        A::Depth(n) => format!(" depth {n}"),
        A::SelDepth(n) => format!(" seldepth {n}"),
        A::MultiPv(n) => format!(" multipv {n}"),
        A::Time(time) => format!(" time {}", time.num_milliseconds()),
        A::Nodes(n) => format!(" nodes {n}"),
        A::Nps(n) => format!(" nps {n}"),
        A::HashFull(n) => format!(" hashfull {n}"),
        A::TbHits(n) => format!(" tbhits {n}"),
        A::Score { cp: Some(cp), mate: None, .. } => format!(" score cp {cp}"),
        A::Score { cp: None, mate: Some(moves), .. } => format!(" score mate {moves}"),
        A::Pv(moves) => moves.iter().fold(" pv".to_string(), |text, m| format!("{text} {m}")),
        A::String(text) => format!(" string {text}"),
        other => panic!("unexpected {other:?}"),
    }
}
