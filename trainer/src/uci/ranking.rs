//! The lines an engine stands by at the end of its search.

use super::Info;

/// Collects `info` lines. An engine reports in rounds, ranks 1 to N each; a
/// search that runs out in the middle leaves its last round short, and moves
/// that it did not come to keep their line of the round before. Bounds are not
/// scores: they are only kept for a move that has nothing better.
#[derive(Default)]
pub struct Ranking {
    current: Vec<Info>,
    previous: Vec<Info>,
    bound: Option<Info>,
}

impl Ranking {
    pub fn add(&mut self, info: Info) {
        if info.bound {
            self.bound = Some(info);
            return;
        }
        if self.current.iter().any(|other| other.rank == info.rank) {
            self.previous = std::mem::take(&mut self.current);
        }
        self.current.push(info);
    }

    /// Lines with distinct first moves, that of `best` first, the others by
    /// rank. `best` has no line when the engine gave none.
    pub fn finish(mut self, best: &str) -> Vec<Info> {
        let wanted = self.current.len().max(self.previous.len());
        let mut lines: Vec<Info> = Vec::new();
        for round in [&mut self.current, &mut self.previous] {
            round.sort_by_key(|info| info.rank);
            for info in round.drain(..) {
                if lines.len() < wanted && lines.iter().all(|line| line.pv[0] != info.pv[0]) {
                    lines.push(info);
                }
            }
        }
        if lines.iter().all(|line| line.pv[0] != best) {
            let bound = self.bound.filter(|info| info.pv[0] == best);
            if bound.is_some() {
                lines.truncate(wanted.max(1) - 1);
                lines.extend(bound);
            }
        }
        lines.sort_by_key(|line| line.pv[0] != best);
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shards::Score;

    fn ranking(lines: &[&str]) -> Ranking {
        let mut ranking = Ranking::default();
        for line in lines {
            ranking.add(Info::parse(&format!("info score cp {line}")).unwrap());
        }
        ranking
    }

    fn result(lines: &[&str], best: &str) -> Vec<(String, i32)> {
        let lines = ranking(lines).finish(best);
        let score = |info: &Info| match info.score {
            Score::Centipawns(cp) => cp,
            Score::Mate(_) => panic!(),
        };
        lines.iter().map(|info| (info.pv[0].clone(), score(info))).collect()
    }

    fn expected(lines: &[(&str, i32)]) -> Vec<(String, i32)> {
        lines.iter().map(|(m, cp)| (m.to_string(), *cp)).collect()
    }

    #[test]
    fn the_last_exact_line_counts() {
        let lines = ["10 pv e2e4", "30 pv e2e4", "80 lowerbound pv e2e4", "9 upperbound pv e2e4"];
        assert_eq!(result(&lines, "e2e4"), expected(&[("e2e4", 30)]));
    }

    #[test]
    fn a_bound_stands_in_for_a_best_move_without_score() {
        let lines = ["10 pv e2e4", "25 lowerbound pv d2d4"];
        assert_eq!(result(&lines, "d2d4"), expected(&[("d2d4", 25)]));
        assert_eq!(result(&["7 upperbound pv e2e4"], "e2e4"), expected(&[("e2e4", 7)]));
    }

    #[test]
    fn a_short_last_round_is_filled_from_the_one_before() {
        let lines = [
            "5 multipv 1 pv a2a3",
            "4 multipv 2 pv b2b3",
            "9 multipv 1 pv e2e4",
            "8 multipv 2 pv d2d4",
            "7 multipv 3 pv c2c4",
            "12 multipv 1 pv d2d4",
        ];
        let all = expected(&[("d2d4", 12), ("e2e4", 9), ("c2c4", 7)]);
        assert_eq!(result(&lines, "d2d4"), all);
    }

    #[test]
    fn a_whole_round_needs_nothing_from_before() {
        let lines = [
            "9 multipv 1 pv e2e4",
            "8 multipv 2 pv d2d4",
            "6 multipv 2 pv g1f3",
            "7 multipv 1 pv c2c4",
        ];
        assert_eq!(result(&lines, "c2c4"), expected(&[("c2c4", 7), ("g1f3", 6)]));
    }

    #[test]
    fn the_best_move_leads_whatever_its_rank() {
        let lines = ["9 multipv 1 pv e2e4", "8 multipv 2 pv d2d4"];
        assert_eq!(result(&lines, "d2d4"), expected(&[("d2d4", 8), ("e2e4", 9)]));
        assert_eq!(result(&lines, "a2a4").len(), 2);
        assert!(result(&[], "e2e4").is_empty());
    }
}
