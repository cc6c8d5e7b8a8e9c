//! What a leaf is: a finished game, a known position, or one for the network.

use shakmaty::{Chess, Position};

use super::arena::{Arena, CellPool};
use super::node::Node;
use super::score::{Score, TABLEBASE_PLIES};
use super::slots::{self, Edge};
use crate::chess::{Line, PackedMove};
use crate::tablebase::{Tablebases, Wdl};

/// A leaf that needs no network.
#[derive(Debug, PartialEq)]
pub enum Settled {
    /// True whatever came before.
    Proven(Score),
    /// A repetition within the tree: scored as a draw, but no proof, since it
    /// ceases to be one when the root moves on.
    Repetition,
}

/// Repetition within the last `depth` plies, or for the third time at all.
pub fn is_repetition(line: &Line, depth: usize) -> bool {
    let ply = line.last();
    ply.repetitions >= 2 || (ply.repeat_distance > 0 && usize::from(ply.repeat_distance) <= depth)
}

/// Judges by the rules. Scores are for the side that moved into the position.
pub fn by_rules(position: &Chess, has_moves: bool) -> Option<Score> {
    if !has_moves {
        return Some(if position.is_check() { Score::Win(0) } else { Score::Draw });
    }
    let drawn = position.halfmoves() >= 100 || position.is_insufficient_material();
    drawn.then_some(Score::Draw)
}

/// Judges by the tablebases, which ignore earlier moves: only right after a
/// capture or pawn move is their word final under the fifty-move rule.
pub fn by_tablebase(tablebases: &Tablebases, position: &Chess) -> Option<Score> {
    if position.halfmoves() != 0 {
        return None;
    }
    Some(match tablebases.wdl(position)? {
        Wdl::Win => Score::Loss(TABLEBASE_PLIES),
        Wdl::Loss => Score::Win(TABLEBASE_PLIES),
        Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => Score::Draw,
    })
}

/// Turns logits into priors in place: softmax at a temperature.
pub fn softmax(logits: &mut [f32], temperature: f32) {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for x in logits.iter_mut() {
        *x = ((*x - highest) / temperature).exp();
        sum += *x;
    }
    if sum.is_finite() && sum > 0.0 {
        logits.iter_mut().for_each(|x| *x /= sum);
    } else {
        // A network that answers with NaN still gets a legal game.
        let even = 1.0 / logits.len().max(1) as f32;
        logits.fill(even);
    }
}

/// Gives `node` its moves, best prior first. False when no cell was left.
pub fn attach_moves(
    arena: &Arena,
    pool: &mut CellPool,
    node: Node<'_>,
    moves: impl Iterator<Item = PackedMove>,
    priors: &[f32],
    scratch: &mut Vec<Edge>,
) -> bool {
    scratch.clear();
    scratch.extend(moves.zip(priors).map(|(m, &p)| Edge::new(m, p)));
    // The prior sits in the high bits and orders like an integer; the move in
    // the low bits settles ties the same way on every run.
    scratch.sort_unstable_by_key(|edge| std::cmp::Reverse(edge.0));
    match slots::write(arena, pool, scratch) {
        Some(first) => {
            node.set_moves(first, scratch.len());
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;

    #[test]
    fn rules_settle_mate_stalemate_and_dead_draws() {
        let judge = |fen: &str| {
            let position = parse_fen(fen, false).unwrap();
            by_rules(&position, !position.legal_moves().is_empty())
        };
        assert_eq!(judge("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1"), Some(Score::Win(0)));
        assert_eq!(judge("7k/5Q2/8/8/8/8/8/7K b - - 0 1"), Some(Score::Draw));
        assert_eq!(judge("7k/8/8/8/8/8/8/6BK b - - 0 1"), Some(Score::Draw));
        assert_eq!(judge("7k/8/8/8/8/8/8/6RK b - - 100 80"), Some(Score::Draw));
        assert_eq!(judge("7k/8/8/8/8/8/8/6RK b - - 99 80"), None);
        // Mate on the hundredth ply counts.
        assert_eq!(judge("R5k1/5ppp/8/8/8/8/8/7K b - - 100 99"), Some(Score::Win(0)));
    }

    #[test]
    fn softmax_sums_to_one_whatever_comes() {
        for logits in [vec![1.0, 2.0, 3.0], vec![f32::NAN, 1.0], vec![-1e30, 1e30]] {
            let mut p = logits.clone();
            softmax(&mut p, 1.0);
            assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{logits:?} -> {p:?}");
        }
    }
}
