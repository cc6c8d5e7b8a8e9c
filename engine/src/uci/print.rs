//! From events to lines.

use std::fmt::Write;

use shakmaty::{CastlingMode, Move};

use crate::search::{Event, Info, MoveStat, ShownScore, Totals};

/// How to print.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    pub show_wdl: bool,
    /// Number the lines although there is one only.
    pub multipv: bool,
    /// `UCI_Chess960`: castling is king takes rook in every position.
    pub chess960: bool,
    /// `debug on`.
    pub debug: bool,
}

/// The lines of an event.
pub fn lines(event: &Event, style: Style) -> Vec<String> {
    match event {
        Event::Info(info) => info_lines(info, style),
        Event::MoveStats(stats) => stats.iter().map(|stat| stat_line(stat, style)).collect(),
        Event::Note(text) => vec![note(text)],
        Event::Totals(totals) if style.debug => vec![totals_line(totals)],
        Event::Totals(_) => Vec::new(),
        Event::Best { best, ponder, mode } => {
            let spell = |m: &Move| notation(*m, *mode, style);
            let mut line = format!("bestmove {}", best.as_ref().map_or("(none)".into(), spell));
            if let Some(ponder) = ponder {
                let _ = write!(line, " ponder {}", spell(ponder));
            }
            vec![line]
        }
    }
}

fn totals_line(totals: &Totals) -> String {
    note(&format!(
        "visits {} carried {} evaluations {} batches {} cachehits {} recyclings {} network {} ms",
        totals.visits,
        totals.carried,
        totals.evaluations,
        totals.batches,
        totals.cache_hits,
        totals.recyclings,
        totals.network_time.as_millis()
    ))
}

/// A remark in one line, whatever it contains: no control characters, and of
/// a very long one only its beginning and its end.
pub fn note(text: &str) -> String {
    const HEAD: usize = 400;
    const TAIL: usize = 200;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean = |c: char| if c.is_control() { '?' } else { c };
    let characters: Vec<char> = line.chars().map(clean).collect();
    let shown = |part: &[char]| part.iter().collect::<String>();
    if characters.len() <= HEAD + TAIL {
        return format!("info string {}", shown(&characters));
    }
    let (head, tail) = (&characters[..HEAD], &characters[characters.len() - TAIL..]);
    format!("info string {} ... {}", shown(head), shown(tail))
}

fn notation(m: Move, mode: CastlingMode, style: Style) -> String {
    let mode = if style.chess960 { CastlingMode::Chess960 } else { mode };
    m.to_uci(mode).to_string()
}

fn info_lines(info: &Info, style: Style) -> Vec<String> {
    info.lines
        .iter()
        .enumerate()
        .map(|(i, pv_line)| {
            let mut text = format!("info depth {} seldepth {}", info.depth, info.seldepth);
            if style.multipv {
                let _ = write!(text, " multipv {}", i + 1);
            }
            let _ = match pv_line.score {
                ShownScore::Centipawns(cp) => write!(text, " score cp {cp}"),
                ShownScore::Mate(moves) => write!(text, " score mate {moves}"),
            };
            if style.show_wdl {
                let [w, d, l] = pv_line.wdl;
                let _ = write!(text, " wdl {w} {d} {l}");
            }
            let _ = write!(
                text,
                " nodes {} nps {} hashfull {} tbhits {} time {}",
                info.nodes,
                info.nps,
                info.hashfull,
                info.tbhits,
                info.time.as_millis()
            );
            if !pv_line.pv.is_empty() {
                text.push_str(" pv");
                for m in &pv_line.pv {
                    let _ = write!(text, " {}", notation(*m, info.mode, style));
                }
            }
            text
        })
        .collect()
}

/// lc0's format of root move statistics, which Nibbler reads. The number in
/// parentheses is the move's index in lc0's policy.
fn stat_line(stat: &MoveStat, style: Style) -> String {
    let name = stat.played.map_or_else(|| "node".to_string(), |m| notation(m, stat.mode, style));
    format!(
        "info string {name:<5} ({:<4}) N: {:>7} (+{:>2}) (P: {:>5.2}%) (WL: {:>8.5}) \
         (D: {:>5.3}) (M: {:>4.1}) (Q: {:>8.5}) (U: {:>7.5}) (S: {:>8.5}) (V:  -.----) ",
        stat.number,
        stat.visits,
        stat.in_flight,
        stat.prior * 100.0,
        stat.q,
        stat.draw,
        0.0,
        stat.q,
        stat.exploration,
        stat.q + stat.exploration,
    )
}
