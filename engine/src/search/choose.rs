//! The final choice: most visits, with a look at the lower confidence bound.

use super::node::Node;
use super::params::Params;
use super::random::Random;
use super::score::Score;
use super::tree::Tree;
use crate::chess::PackedMove;

/// A rival needs this share of the leader's visits to replace it.
const RIVAL_SHARE: f32 = 0.1;

/// A root move with its statistics, as shown to users.
#[derive(Clone, Copy, Debug)]
pub struct RootMove {
    pub index: u32,
    pub played: PackedMove,
    pub visits: u32,
    pub in_flight: u32,
    pub prior: f32,
    pub score: Score,
    pub draw: f32,
}

impl RootMove {
    fn new(index: u32, node: Node<'_>) -> RootMove {
        RootMove {
            index,
            played: node.played(),
            visits: node.visits(),
            in_flight: node.in_flight(),
            prior: node.prior(),
            score: node.score(),
            draw: node.draw(),
        }
    }

    /// Order of merit: quick wins first, slow losses last, visits in between.
    fn merit(&self) -> (i32, i64, u32) {
        match self.score {
            Score::Win(plies) => (2, -i64::from(plies), self.visits),
            Score::Loss(plies) => (0, i64::from(plies), self.visits),
            _ => (1, i64::from(self.visits), (self.prior * 1e6) as u32),
        }
    }

    /// Mean value less `weight` standard errors, from the spread of outcomes.
    fn lower_bound(&self, weight: f32) -> f32 {
        let q = self.score.q();
        let variance = match self.score {
            Score::Estimate(_) => (1.0 - self.draw - q * q).max(0.0),
            _ => 0.0,
        };
        q - weight * (variance / self.visits.max(1) as f32).sqrt()
    }
}

/// The visited moves of a node, best first.
pub fn ranked_children(tree: &Tree, parent: u32) -> Vec<RootMove> {
    let mut moves: Vec<RootMove> = tree
        .node(parent)
        .children(&tree.arena)
        .map(|(index, node)| RootMove::new(index, node))
        .filter(|m| m.visits > 0)
        .collect();
    moves.sort_by_key(|m| std::cmp::Reverse(m.merit()));
    moves
}

/// Root moves, best first, after the confidence check.
pub fn ranked_root_moves(tree: &Tree, params: &Params) -> Vec<RootMove> {
    let mut moves = ranked_children(tree, tree.root_index());
    if let Some(better) = better_bounded(&moves, params.lcb_weight) {
        let chosen = moves.remove(better);
        moves.insert(0, chosen);
    }
    moves
}

/// A rival whose lower bound beats the leader's: fewer visits, but so much
/// better that the leader's visits are history.
fn better_bounded(moves: &[RootMove], weight: f32) -> Option<usize> {
    let leader = moves.first()?;
    if weight <= 0.0 || !matches!(leader.score, Score::Estimate(_) | Score::Draw) {
        return None;
    }
    let enough = leader.visits as f32 * RIVAL_SHARE;
    let bound = leader.lower_bound(weight);
    moves
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, m)| m.visits as f32 >= enough && !matches!(m.score, Score::Loss(_)))
        .map(|(i, m)| (i, m.lower_bound(weight)))
        .filter(|(_, rival)| *rival > bound)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(i, _)| i)
}

/// The move to play: the best, or one drawn by visits when a temperature is set
/// and the game is young enough.
pub fn choose(moves: &[RootMove], params: &Params, game_ply: u32, random: &mut Random) -> usize {
    let Some(best) = moves.first() else { return 0 };
    let warm = params.move_temperature > 0.0 && game_ply < params.temperature_plies;
    if !warm || matches!(best.score, Score::Win(_)) {
        return 0;
    }
    let exponent = 1.0 / f64::from(params.move_temperature);
    let most = f64::from(moves.iter().map(|m| m.visits).max().unwrap_or(1));
    let weights = moves.iter().map(|m| match m.score {
        Score::Loss(_) => 0.0,
        _ => (f64::from(m.visits) / most).powf(exponent),
    });
    random.weighted(weights).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root_move(visits: u32, q: f32) -> RootMove {
        RootMove {
            index: 1,
            played: PackedMove(visits as u16),
            visits,
            in_flight: 0,
            prior: 0.1,
            score: Score::Estimate(q),
            draw: 0.3,
        }
    }

    #[test]
    fn a_clearly_better_rival_replaces_the_leader() {
        let close = [root_move(1000, 0.10), root_move(400, 0.11)];
        assert_eq!(better_bounded(&close, 1.0), None);
        let clear = [root_move(1000, -0.3), root_move(400, 0.2)];
        assert_eq!(better_bounded(&clear, 1.0), Some(1));
        let unproven = [root_move(1000, -0.3), root_move(40, 0.2)];
        assert_eq!(better_bounded(&unproven, 1.0), None);
        assert_eq!(better_bounded(&clear, 0.0), None);
    }

    #[test]
    fn temperature_spreads_the_choice_and_spares_lost_moves() {
        let mut moves = vec![root_move(60, 0.1), root_move(40, 0.1), root_move(50, 0.0)];
        moves[2].score = Score::Loss(3);
        let mut params = Params { move_temperature: 1.0, ..Params::default() };
        let mut random = Random::new(3);
        let mut hits = [0; 3];
        for _ in 0..1000 {
            hits[choose(&moves, &params, 0, &mut random)] += 1;
        }
        assert!(hits[1] > 300 && hits[2] == 0, "{hits:?}");
        assert_eq!(choose(&moves, &params, params.temperature_plies, &mut random), 0);
        params.move_temperature = 0.0;
        assert_eq!(choose(&moves, &params, 0, &mut random), 0);
    }
}
