//! An `info` line with a score.

use crate::shards::Score;

/// One line of thought: what the engine expects after the moves of `pv`.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// 1 is the best line.
    pub rank: usize,
    pub score: Score,
    /// The score is only a lower or upper bound.
    pub bound: bool,
    /// Win, draw and loss for the mover; they sum to 1.
    pub wdl: Option<[f32; 3]>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
    /// Never empty.
    pub pv: Vec<String>,
}

impl Info {
    /// `None` for everything but a scored line with moves. Unknown words are
    /// passed over, as the protocol asks.
    pub fn parse(line: &str) -> Option<Info> {
        let mut words = line.strip_prefix("info ")?.split_ascii_whitespace().peekable();
        let (mut rank, mut score, mut bound) = (1, None, false);
        let (mut wdl, mut nodes, mut depth, mut pv) = (None, None, None, Vec::new());
        while let Some(word) = words.next() {
            match word {
                "string" => break,
                "multipv" => rank = words.next()?.parse().ok()?,
                "depth" => depth = words.next()?.parse().ok(),
                "nodes" => nodes = words.next()?.parse().ok(),
                "lowerbound" | "upperbound" => bound = true,
                "score" => {
                    score = Some(match (words.next()?, words.next()?.parse().ok()?) {
                        ("cp", value) => Score::Centipawns(value),
                        ("mate", moves) => Score::Mate(moves),
                        _ => return None,
                    });
                }
                "wdl" => {
                    let mut part = || words.next()?.parse::<u32>().ok();
                    wdl = shares([part()?, part()?, part()?]);
                }
                "pv" => {
                    while let Some(m) = words.next_if(|word| looks_like_a_move(word)) {
                        pv.push(m.to_string());
                    }
                }
                _ => {}
            }
        }
        (!pv.is_empty()).then_some(Info { rank, score: score?, bound, wdl, nodes, depth, pv })
    }
}

/// Per mille to shares, mending the rounding of engines whose parts do not sum
/// to 1000.
fn shares(parts: [u32; 3]) -> Option<[f32; 3]> {
    let total: u64 = parts.iter().map(|part| u64::from(*part)).sum();
    (total > 0).then(|| parts.map(|part| (f64::from(part) / total as f64) as f32))
}

fn looks_like_a_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    matches!(bytes.len(), 4 | 5) && bytes[1].is_ascii_digit() && bytes[3].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_stockfish() {
        let line = "info depth 7 seldepth 5 multipv 2 score cp -36 wdl 53 945 2 nodes 2502 \
                    nps 156375 hashfull 0 tbhits 0 time 16 pv b1c3 g7g6 e7e8q";
        let info = Info::parse(line).unwrap();
        assert_eq!((info.rank, info.score, info.bound), (2, Score::Centipawns(-36), false));
        assert_eq!(info.wdl, Some([0.053, 0.945, 0.002]));
        assert_eq!((info.nodes, info.depth), (Some(2502), Some(7)));
        assert_eq!(info.pv, ["b1c3", "g7g6", "e7e8q"]);
    }

    #[test]
    fn mates_bounds_and_a_missing_rank() {
        let mate = Info::parse("info score mate -3 depth 9 pv e2e4").unwrap();
        assert_eq!((mate.rank, mate.score, mate.wdl), (1, Score::Mate(-3), None));
        for word in ["lowerbound", "upperbound"] {
            let info = Info::parse(&format!("info score cp 12 {word} nodes 4 pv e2e4")).unwrap();
            assert!(info.bound);
            assert_eq!(info.nodes, Some(4));
        }
    }

    #[test]
    fn what_follows_the_moves_is_still_read() {
        let info = Info::parse("info pv e2e4 e7e5 multipv 3 score cp 5").unwrap();
        assert_eq!((info.rank, info.pv.len()), (3, 2));
    }

    #[test]
    fn wdl_that_does_not_sum_to_a_thousand_is_mended() {
        let wdl = |text: &str| Info::parse(&format!("info score cp 0 wdl {text} pv e2e4"))?.wdl;
        assert_eq!(wdl("500 499 0").unwrap().iter().sum::<f32>(), 1.0);
        assert_eq!(wdl("0 0 0"), None);
    }

    #[test]
    fn everything_else_is_none() {
        for line in [
            "info string score cp 3 pv e2e4",
            "info depth 3 currmove e2e4 currmovenumber 1",
            "info score cp 20",
            "info score cp much pv e2e4",
            "info score cp 3 multipv x pv e2e4",
            "info score cp 3 pv",
            "info score cp",
            "bestmove e2e4",
            "",
        ] {
            assert_eq!(Info::parse(line), None, "{line}");
        }
    }
}
