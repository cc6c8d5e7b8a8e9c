//! A problem from one line of EPD: `bm` is to be played, `am` is not.

use super::{Expected, Problem};
use crate::epd::Epd;
use crate::players::GameLine;

/// Reads one line; the error says what is wrong with it. `name` is the id of a
/// problem that has none.
pub fn parse(line: &str, name: &str) -> Result<Problem, String> {
    let epd = Epd::parse(line)?;
    let best = epd.moves("bm")?.unwrap_or_default();
    let avoid = epd.moves("am")?.unwrap_or_default();
    if best.is_empty() && avoid.is_empty() {
        return Err("nothing to solve: neither bm nor am".into());
    }
    if best.iter().any(|m| avoid.contains(m)) {
        return Err("bm and am name the same move".into());
    }
    Ok(Problem {
        id: epd.value("id").filter(|id| !id.is_empty()).unwrap_or(name).to_string(),
        start: GameLine::new(epd.position),
        solution: Expected::Choice { best, avoid },
        rating: None,
        themes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, Move, Position};

    const ROOKS: &str = "4k3/8/8/8/8/8/4P3/R3K2R w KQ -";

    fn choice(line: String) -> (Vec<String>, Vec<String>) {
        let Expected::Choice { best, avoid } = parse(&line, "x").unwrap().solution else {
            panic!("{line}: not a choice");
        };
        let uci = |m: Move| m.to_uci(CastlingMode::Standard).to_string();
        (best.into_iter().map(uci).collect(), avoid.into_iter().map(uci).collect())
    }

    #[test]
    fn moves_are_read_in_both_notations() {
        let (best, avoid) = choice(format!("{ROOKS} bm O-O, Ra8+! e2e4 e1g1; am Kd2 a1b1;"));
        assert_eq!(best, ["e1g1", "a1a8", "e2e4"]);
        assert_eq!(avoid, ["e1d2", "a1b1"]);
        assert_eq!(choice(format!("{ROOKS} am Kd2")), (vec![], vec!["e1d2".to_string()]));
    }

    #[test]
    fn promotions_and_castling_as_files_spell_them() {
        let pawn = "7k/P7/8/8/8/8/8/K7 w - -";
        for spelling in ["a8=Q+", "a8=Q", "a7a8q", "a7a8Q"] {
            assert_eq!(choice(format!("{pawn} bm {spelling};")).0, ["a7a8q"], "{spelling}");
        }
        assert_eq!(choice(format!("{ROOKS} bm 0-0-0;")).0, ["e1c1"]);
    }

    #[test]
    fn ids_may_hold_anything_in_quotes() {
        let id = |operations| parse(&format!("{ROOKS} bm O-O;{operations}"), "file:7").unwrap().id;
        assert_eq!(id("id \"a; b #1\"; c0 \"x\" \"y\";"), "a; b #1");
        assert_eq!(id(" c0 \"bm Kd2;\";id  plain"), "plain");
        assert_eq!(id(""), "file:7");
        assert_eq!(id(" id \"\";"), "file:7");
    }

    #[test]
    fn counters_stand_in_either_place() {
        let counters = |line: String| {
            let problem = parse(&line, "x").unwrap();
            let position = problem.start.position();
            (position.halfmoves(), position.fullmoves().get())
        };
        assert_eq!(counters(format!("{ROOKS} bm O-O; hmvc 7; fmvn 40;")), (7, 40));
        assert_eq!(counters(format!("{ROOKS} 3 12 bm O-O;")), (3, 12));
        assert_eq!(counters(format!("{ROOKS} bm O-O;")), (0, 1));
        assert_eq!(counters(format!("{ROOKS} 3 bm O-O; hmvc 4;")), (4, 1));
    }

    #[test]
    fn faults_are_named() {
        let fault = |line: String| parse(&line, "x").unwrap_err();
        assert!(fault(format!("{ROOKS} bm Qh5;")).contains("bm Qh5: illegal"));
        assert!(fault(format!("{ROOKS} bm O-O; am Ra9;")).contains("am Ra9: illegal"));
        assert!(fault(format!("{ROOKS} bm ;")).contains("bm names no move"));
        assert!(fault(format!("{ROOKS} id \"x\";")).contains("neither bm nor am"));
        assert!(fault(format!("{ROOKS} bm O-O Kd2; am e1d2;")).contains("the same move"));
        assert!(fault("hello world".into()).contains("not a FEN"));
        assert!(fault(format!("{ROOKS} hmvc x; bm O-O;")).contains("not a FEN"));
    }
}
