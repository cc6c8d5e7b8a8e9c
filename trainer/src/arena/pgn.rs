//! A finished game as PGN, with evaluations, depths and times in the comments
//! that GUIs and our own importer read: `[%eval 0.35,12] [%emt 0:00:00.512]`.

use super::record::Ending;
use super::{GameRecord, MatchSettings};
use crate::openings::name_of;
use crate::players::{GameLine, TimeControl};
use crate::provenance;
use crate::shards::Score;
use engine::chess::{parse_fen, parse_move};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Color, Position};
use std::fmt::Write;

/// PGN asks for lines of less than 80 characters.
const WIDTH: usize = 79;

pub fn text(game: &GameRecord, settings: &MatchSettings) -> String {
    let Ok(start) = parse_fen(&game.opening.fen, game.opening.chess960) else {
        return String::new();
    };
    let mut movetext = Movetext::new(start.clone());
    for m in &game.opening.moves {
        movetext.push(m, None);
    }
    for record in &game.moves {
        let comment = comment(record.score(), record.depth, record.us, movetext.turn());
        movetext.push(&record.m, Some(comment));
    }
    let mut text = tags(game, settings, &start, &movetext.line);
    let mut tail = format!("{{{}", game.ending.text());
    if let Some(fault) = &game.fault {
        // Braces would end the comment.
        let _ = write!(tail, ": {}", fault.replace(['{', '}'], "|").replace('\n', " "));
    }
    movetext.words.push(format!("{tail}}}"));
    movetext.words.push(game.result.text().to_string());
    wrap(&movetext.words, &mut text);
    text.push('\n');
    text
}

fn tags(game: &GameRecord, settings: &MatchSettings, start: &Chess, line: &GameLine) -> String {
    let moment = provenance::timestamp(game.started);
    let (date, time) = moment.trim_end_matches('Z').split_once('T').unwrap_or_default();
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    tag("Event", "Arbor arena");
    tag("Site", "?");
    tag("Date", &date.replace('-', "."));
    tag("Round", &format!("{}.{}", game.game / 2 + 1, game.game % 2 + 1));
    tag("White", &game.white);
    tag("Black", &game.black);
    tag("Result", game.result.text());
    if let Some(named) = name_of(line.line()) {
        tag("ECO", named.code);
        tag("Opening", named.name);
    } else if let Some(name) = &game.opening.name {
        tag("Opening", name);
    }
    if game.opening.chess960 {
        tag("Variant", "Chess960");
    }
    if game.opening.chess960 || *start != Chess::default() {
        tag("SetUp", "1");
        tag("FEN", &game.opening.fen);
    }
    tag("PlyCount", &line.moves().len().to_string());
    tag("UTCTime", time);
    let control = |name: &str| {
        let own = settings.index(name).and_then(|index| settings.players[index].time);
        control_text(own.unwrap_or(settings.time))
    };
    let (white, black) = (control(&game.white), control(&game.black));
    if white == black {
        tag("TimeControl", &white);
    } else {
        tag("WhiteTimeControl", &white);
        tag("BlackTimeControl", &black);
    }
    tag("Termination", termination(game.ending));
    text.push('\n');
    text
}

/// In the words of the PGN standard.
fn termination(ending: Ending) -> &'static str {
    match ending {
        Ending::TimeLoss => "time forfeit",
        Ending::IllegalMove => "rules infraction",
        Ending::Crash | Ending::Hang => "abandoned",
        Ending::AgreedWin | Ending::AgreedDraw | Ending::Tablebase | Ending::MoveLimit => {
            "adjudication"
        }
        _ => "normal",
    }
}

/// In the notation of the PGN standard, which has none for nodes and depths.
fn control_text(control: TimeControl) -> String {
    match control {
        TimeControl::Clock { .. } => control.to_string(),
        TimeControl::MoveTime(time) => format!("1/{}", time.as_secs_f64()),
        TimeControl::Nodes(_) | TimeControl::Depth(_) => "-".to_string(),
    }
}

fn comment(score: Option<Score>, depth: Option<u32>, us: u64, mover: Color) -> String {
    let sign = mover.fold_wb(1, -1);
    let depth = depth.map_or(String::new(), |depth| format!(",{depth}"));
    let eval = match score {
        Some(Score::Centipawns(cp)) => {
            format!("[%eval {:.2}{depth}] ", f64::from(sign) * f64::from(cp) / 100.0)
        }
        Some(Score::Mate(moves)) => format!("[%eval #{}{depth}] ", moves.saturating_mul(sign)),
        None => String::new(),
    };
    let (seconds, ms) = (us / 1_000_000, us / 1000 % 1000);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{{{eval}[%emt {hours}:{minutes:02}:{:02}.{ms:03}]}}", seconds % 60)
}

struct Movetext {
    line: GameLine,
    words: Vec<String>,
    /// The next black move needs its number.
    interrupted: bool,
}

impl Movetext {
    fn new(start: Chess) -> Movetext {
        Movetext { line: GameLine::new(start), words: Vec::new(), interrupted: true }
    }

    fn turn(&self) -> Color {
        self.line.position().turn()
    }

    fn push(&mut self, uci: &str, comment: Option<String>) {
        let position = self.line.position();
        let Some(m) = parse_move(position, uci) else { return };
        let number = position.fullmoves();
        match position.turn() {
            Color::White => self.words.push(format!("{number}.")),
            Color::Black if self.interrupted => self.words.push(format!("{number}...")),
            Color::Black => {}
        }
        self.words.push(SanPlus::from_move(position.clone(), m).to_string());
        self.interrupted = comment.is_some();
        self.words.extend(comment);
        self.line.push(m);
    }
}

/// Breaks lines between words and comments, never inside of a comment: there
/// are readers that look for `[%eval ` with its blank.
fn wrap(words: &[String], text: &mut String) {
    let mut width = 0;
    for word in words {
        if width > 0 && width + 1 + word.chars().count() > WIDTH {
            text.push('\n');
            width = 0;
        }
        if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += word.chars().count();
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_in_the_view_of_white() {
        let black = comment(Some(Score::Centipawns(35)), Some(12), 512_345, Color::Black);
        assert_eq!(black, "{[%eval -0.35,12] [%emt 0:00:00.512]}");
        let mate = comment(Some(Score::Mate(-3)), None, 3_661_000_000, Color::Black);
        assert_eq!(mate, "{[%eval #3] [%emt 1:01:01.000]}");
        assert_eq!(comment(None, Some(1), 0, Color::White), "{[%emt 0:00:00.000]}");
    }
}
