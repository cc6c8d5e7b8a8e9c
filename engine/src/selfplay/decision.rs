//! What a finished search says: the move to play and the target to learn.

use super::gumbel::{improved_policy, improved_value};
use super::protocol::{MoveReport, SearchReport};
use super::puct::pruned_visits;
use super::settings::Settings;
use super::thinking::Thinking;
use super::tree::ROOT;
use crate::chess::PackedMove;
use crate::search::Random;
use shakmaty::Move;

pub struct Decision {
    pub m: Move,
    pub report: SearchReport,
    /// Nats, of the visits and from prior to target.
    pub entropy: f64,
    pub surprise: f64,
}

/// `None` only if the position has no moves.
pub fn decide(thinking: &Thinking, settings: &Settings, random: &mut Random) -> Option<Decision> {
    let tree = &thinking.tree;
    let edges = tree.edges(ROOT);
    let visits: Vec<u32> = edges.iter().map(|edge| tree.visits(edge)).collect();
    let weights = target(thinking, settings);
    let chosen = match thinking.gumbel_winner(settings) {
        Some(winner) => winner,
        None => draw_move(thinking, settings, &weights, random),
    };
    let moves = edges.iter().enumerate().map(|(at, edge)| MoveReport {
        m: PackedMove::new(edge.m).0,
        weight: weights[at],
        visits: visits[at],
        prior: thinking.priors.get(at).copied().unwrap_or(edge.prior),
        value: tree.q(edge),
    });
    let moves: Vec<MoveReport> = moves.collect();
    let root = tree.root();
    let improved = settings.gumbel.as_ref().and_then(|_| improved_value(tree, &weights));
    let (q, draw) = improved.unwrap_or((root.q(), root.mean_draw()));
    let q = q.clamp(-1.0, 1.0);
    let report = SearchReport {
        full: thinking.full,
        visits: visits.iter().sum(),
        q,
        wdl: shares(q, draw),
        moves,
        score: None,
    };
    let visited = |m: &MoveReport| f64::from(m.visits) / f64::from(report.visits.max(1));
    Some(Decision {
        m: edges.get(chosen)?.m,
        entropy: report
            .moves
            .iter()
            .map(visited)
            .map(|p| if p > 0.0 { -p * p.ln() } else { 0.0 })
            .sum(),
        surprise: report.moves.iter().map(surprise).sum(),
        report,
    })
}

/// Win, draw and loss of a value and a chance of a draw.
fn shares(q: f32, draw: f32) -> [f32; 3] {
    let q = q.clamp(-1.0, 1.0);
    let draw = draw.clamp(0.0, 1.0 - q.abs());
    // Beside a draw that is all but certain, a tiny value is lost in rounding.
    let share = |sign: f32| ((1.0 - draw + sign * q) / 2.0).max(0.0);
    [share(1.0), draw, share(-1.0)]
}

fn surprise(m: &MoveReport) -> f64 {
    let (p, q) = (f64::from(m.weight), f64::from(m.prior.max(1e-9)));
    if p > 0.0 { p * (p / q).ln() } else { 0.0 }
}

/// The policy to learn, in sum 1.
fn target(thinking: &Thinking, settings: &Settings) -> Vec<f32> {
    let tree = &thinking.tree;
    if let Some(gumbel) = &settings.gumbel {
        return improved_policy(gumbel, tree, ROOT);
    }
    let visits = match thinking.full {
        true => pruned_visits(settings, tree),
        false => tree.edges(ROOT).iter().map(|edge| tree.visits(edge)).collect(),
    };
    let total: u32 = visits.iter().sum();
    match total {
        // Nothing below the root was visited: the priors are all there is.
        0 => thinking.priors.clone(),
        total => visits.iter().map(|n| *n as f32 / total as f32).collect(),
    }
}

/// By temperature; at 0 the most visited move, the better value among equals.
fn draw_move(
    thinking: &Thinking,
    settings: &Settings,
    weights: &[f32],
    random: &mut Random,
) -> usize {
    let tree = &thinking.tree;
    let edges = tree.edges(ROOT);
    let q = |at: usize| tree.q(&edges[at]).unwrap_or(-1.0);
    let key = |at: &usize| (weights[*at], q(*at));
    let order =
        |a: &usize, b: &usize| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal);
    let best = (0..edges.len()).max_by(order).unwrap_or(0);
    let temperature = thinking.temperature;
    if temperature <= 0.0 {
        return best;
    }
    let least = q(best) - settings.temperature.value_cutoff;
    let most = weights[best].max(1e-9);
    let chances = (0..edges.len()).map(|at| match q(at) >= least {
        true => f64::from(weights[at] / most).powf(1.0 / f64::from(temperature)),
        false => 0.0,
    });
    random.weighted(chances).unwrap_or(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_negative_and_sum_to_one() {
        let values = [0.0, 1e-20, -1e-14, 1e-9, -3e-8, 1e-4, 0.3, -0.999_999_9, 1.0, -1.0];
        for q in values {
            for draw in [0.0, 0.5, 0.999_999_9, 1.0] {
                let wdl = shares(q, draw);
                assert!(wdl.iter().all(|share| *share >= 0.0), "{q} {draw}: {wdl:?}");
                assert!((wdl.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{q} {draw}: {wdl:?}");
                assert!((wdl[0] - wdl[2] - q).abs() < 1e-6, "{q} {draw}: {wdl:?}");
            }
        }
    }
}
