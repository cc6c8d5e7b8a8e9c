//! One line of a labeled CSV:
//! `FEN;best move (UCI);cp N or mate N;W D L`, with score and win, draw, loss
//! (per mille) in the mover's view.

use crate::shards::{Ply, PolicyTarget, Score, SearchKind};
use engine::chess::{PackedMove, parse_fen, parse_move};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

/// A position and what the teacher says about it.
pub struct Label {
    pub position: Chess,
    /// Nothing is known to have been played.
    pub ply: Ply,
}

/// Whether the line has the shape of this format.
pub fn looks_like(line: &str) -> bool {
    let mut fields = line.split(';').skip(1);
    fields.next().is_some_and(|field| field.trim().parse::<UciMove>().is_ok())
}

/// Reads one line; the error says what is wrong with it.
pub fn parse(line: &str) -> Result<Label, String> {
    let mut fields = line.split(';').map(str::trim);
    let mut field = |name: &str| {
        let field = fields.next().filter(|field| !field.is_empty());
        field.ok_or_else(|| format!("no {name}: expected FEN;best move;score;W D L"))
    };
    let fen = field("FEN")?;
    let position = parse_fen(fen, false).map_err(|error| error.to_string())?;
    let best = field("best move")?;
    let best = parse_move(&position, best).ok_or_else(|| format!("illegal move {best}"))?;
    let score = field("score")?;
    let score = parse_score(score)
        .ok_or_else(|| format!("score \"{score}\": expected \"cp N\" or \"mate N\""))?;
    let wdl = field("W D L")?;
    let wdl = parse_wdl(wdl)
        .ok_or_else(|| format!("\"{wdl}\": expected win, draw and loss, per mille"))?;
    let target = PolicyTarget {
        m: PackedMove::new(best),
        weight: 1.0,
        visits: None,
        prior: None,
        value: None,
    };
    let ply = Ply {
        policy: vec![target],
        wdl: Some(wdl),
        score: Some(score),
        kind: SearchKind::Teacher,
        ..Ply::default()
    };
    Ok(Label { position, ply })
}

fn parse_score(text: &str) -> Option<Score> {
    let (kind, number) = text.split_once(' ')?;
    let number = number.trim().parse().ok()?;
    match kind {
        "cp" => Some(Score::Centipawns(number)),
        "mate" => Some(Score::Mate(number)),
        _ => None,
    }
}

fn parse_wdl(text: &str) -> Option<[f32; 3]> {
    let mut parts = [0u32; 3];
    let mut words = text.split_whitespace();
    for part in &mut parts {
        *part = words.next()?.parse().ok().filter(|&part| part <= 1000)?;
    }
    // Rounded parts may miss a thousand by a little.
    let sum: u32 = parts.iter().sum();
    let plausible = words.next().is_none() && (990..=1010).contains(&sum);
    plausible.then(|| parts.map(|part| part as f32 / sum as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

    #[test]
    fn a_line_becomes_a_label() {
        let label = parse(&format!("{FEN};e2e4;cp 31;200 790 10")).unwrap();
        assert_eq!(label.ply.score, Some(Score::Centipawns(31)));
        assert_eq!(label.ply.wdl, Some([0.2, 0.79, 0.01]));
        assert_eq!(label.ply.policy.len(), 1);
        assert_eq!(label.ply.played, None);
        let label = parse(&format!("{FEN};e2e4;mate -3;0 0 1000\r")).unwrap();
        assert_eq!(label.ply.score, Some(Score::Mate(-3)));
    }

    #[test]
    fn faults_are_named() {
        let fault = |line: String| parse(&line).err().unwrap();
        assert!(fault("nonsense;e2e4;cp 1;1 2 3".into()).contains("not a FEN"));
        assert!(fault(format!("{FEN};e2e5;cp 1;0 1000 0")).contains("illegal move e2e5"));
        assert!(fault(format!("{FEN};e2e4;1;0 1000 0")).contains("score"));
        assert!(fault(format!("{FEN};e2e4;cp 1;0 1000")).contains("per mille"));
        assert!(fault(format!("{FEN};e2e4;cp 1;500 1000 500")).contains("per mille"));
        assert!(fault(format!("{FEN};e2e4;cp 1")).contains("no W D L"));
        assert!(fault(FEN.into()).contains("no best move"));
    }
}
