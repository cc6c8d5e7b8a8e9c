//! Win, draw and loss from an engine's score, for labels that bring no WDL.

use crate::shards::Score;

/// The score, in centipawns, that wins every other game.
const EVEN_WIN: f32 = 99.5;

/// How many centipawns blur the line between draw and win.
const BLUR: f32 = 22.0;

/// Win, draw and loss for the side whose score it is; they sum to 1.
///
/// The shape is Stockfish's, two logistic curves with the draws between them:
/// `win = 1 / (1 + exp((a - x) / b))`, `loss = 1 / (1 + exp((a + x) / b))`.
/// `a` and `b` have the least cross-entropy against the win, draw and loss that
/// Stockfish 17.1 gave for 1,975,783 positions scored in centipawns (grid search
/// in steps of 0.5). Its own model looks at the material too: averaged over all
/// positions ours is off by 0.001 in the win, at most 0.01 at any score.
/// A mate is certain.
pub fn wdl(score: Score) -> [f32; 3] {
    match score {
        Score::Mate(moves) if moves > 0 => [1.0, 0.0, 0.0],
        Score::Mate(_) => [0.0, 0.0, 1.0],
        Score::Centipawns(centipawns) => {
            let x = centipawns as f32;
            let win = 1.0 / (1.0 + ((EVEN_WIN - x) / BLUR).exp());
            let loss = 1.0 / (1.0 + ((EVEN_WIN + x) / BLUR).exp());
            [win, (1.0 - (win + loss)).max(0.0), loss]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_teacher() {
        // Mean wins of the teacher's positions within two centipawns of each score.
        for (centipawns, win) in
            [(0, 0.009), (20, 0.028), (50, 0.098), (100, 0.500), (120, 0.718), (200, 0.990)]
        {
            let modeled = wdl(Score::Centipawns(centipawns))[0];
            assert!((modeled - win).abs() < 0.01, "{centipawns}: {modeled}");
        }
    }

    #[test]
    fn is_symmetric_and_sums_to_one() {
        for centipawns in [0, 1, 99, 150, 3000, 2_000_000] {
            let [win, draw, loss] = wdl(Score::Centipawns(centipawns));
            let mirrored = wdl(Score::Centipawns(-centipawns));
            assert_eq!([loss, draw, win], mirrored);
            assert!((win + draw + loss - 1.0).abs() < 1e-6);
        }
        assert_eq!(wdl(Score::Mate(3)), [1.0, 0.0, 0.0]);
        assert_eq!(wdl(Score::Mate(-3)), [0.0, 0.0, 1.0]);
    }
}
