//! One line of EPD: a position and operations on it.
//!
//! `bm` becomes the policy, its moves sharing the weight; `ce` (centipawns) and
//! `dm` (moves to mate) become the score, in the mover's view, and win, draw and
//! loss by the model. `hmvc` and `fmvn` are the counters of the FEN. All other
//! operations, `am`, `acd`, `id` and comments among them, are kept as tags.

use crate::epd::Epd;
use crate::import::wdl_model::wdl;
use crate::shards::{Ply, PolicyTarget, Record, Score, SearchKind};
use engine::chess::PackedMove;
use shakmaty::fen::Fen;
use shakmaty::{EnPassantMode, Move, Position};

/// Reads one line; the error says what is wrong with it. `group`, `source` and
/// `engine` are left to the caller.
pub fn parse(line: &str) -> Result<Record, String> {
    let epd = Epd::parse(line)?;
    let position = &epd.position;
    let policy = epd.moves("bm")?.map_or(Vec::new(), shared_weight);
    let score = parse_score(epd.value("ce"), epd.value("dm"))?;
    if policy.is_empty() && score.is_none() {
        return Err("nothing to learn from: neither bm nor ce nor dm".into());
    }
    let known = ["bm", "ce", "dm", "hmvc", "fmvn"];
    let kept = epd.operations.iter().filter(|(name, _)| !known.contains(name));
    Ok(Record {
        start_fen: Fen::from_position(position, EnPassantMode::Legal).to_string(),
        chess960: position.castles().mode().is_chess960(),
        plies: vec![Ply {
            policy,
            wdl: score.map(wdl),
            score,
            kind: SearchKind::Teacher,
            ..Ply::default()
        }],
        tags: kept.map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        ..Record::default()
    })
}

fn shared_weight(moves: Vec<Move>) -> Vec<PolicyTarget> {
    let weight = 1.0 / moves.len() as f32;
    let target =
        |m| PolicyTarget { m: PackedMove::new(m), weight, visits: None, prior: None, value: None };
    moves.into_iter().map(target).collect()
}

/// A mate is the stronger statement.
fn parse_score(ce: Option<&str>, dm: Option<&str>) -> Result<Option<Score>, String> {
    let number = |name: &str, text: &str| {
        text.parse::<i32>().map_err(|_| format!("{name} \"{text}\": expected a whole number"))
    };
    match (ce, dm) {
        (_, Some(dm)) => match number("dm", dm)? {
            0 => Err("dm 0 does not say who mates".into()),
            moves => Ok(Some(Score::Mate(moves))),
        },
        (Some(ce), None) => Ok(Some(Score::Centipawns(number("ce", ce)?))),
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOKS: &str = "4k3/8/8/8/8/8/4P3/R3K2R w KQ -";

    #[test]
    fn best_moves_share_the_weight() {
        let line = format!("{ROOKS} bm O-O Ra8+ e2e4 O-O; am Kd2; id \"a; b\"; c0 \"x\" \"y\";");
        let record = parse(&line).unwrap();
        let policy = &record.plies[0].policy;
        assert_eq!(policy.len(), 3);
        assert!(policy.iter().all(|target| (target.weight - 1.0 / 3.0).abs() < 1e-6));
        assert_eq!(record.plies[0].played, None);
        let tags: Vec<_> = record.tags.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(tags, [("am", "Kd2"), ("id", "a; b"), ("c0", "\"x\" \"y\"")]);
    }

    #[test]
    fn scores_and_counters_are_read() {
        let record = parse(&format!("{ROOKS} acd 20; ce -35; hmvc 7; fmvn 40;")).unwrap();
        assert_eq!(record.plies[0].score, Some(Score::Centipawns(-35)));
        assert!(record.plies[0].wdl.unwrap()[2] > record.plies[0].wdl.unwrap()[0]);
        assert!(record.start_fen.ends_with("KQ - 7 40"), "{}", record.start_fen);
        let record = parse(&format!("{ROOKS} 3 12 dm 4; ce 900")).unwrap();
        assert_eq!(record.plies[0].score, Some(Score::Mate(4)));
        assert!(record.start_fen.ends_with("KQ - 3 12"), "{}", record.start_fen);
    }

    #[test]
    fn faults_are_named() {
        let fault = |line: String| parse(&line).unwrap_err();
        assert!(fault(format!("{ROOKS} bm Qh5;")).contains("bm Qh5: illegal"));
        assert!(fault(format!("{ROOKS} bm ;")).contains("no move"));
        assert!(fault(format!("{ROOKS} id \"x\";")).contains("nothing to learn"));
        assert!(fault(format!("{ROOKS} ce high;")).contains("whole number"));
        assert!(fault("hello world".into()).contains("not a FEN"));
        assert!(fault("".into()).contains("not a FEN"));
    }
}
