//! PUCT over the small tree: which move of a node to visit next.

use super::settings::Settings;
use super::tree::{Node, ROOT, Tree};

/// The exploration constant at a node.
fn exploration(settings: &Settings, visits: u32) -> f32 {
    let grown = ((visits as f32 + settings.cpuct_base) / settings.cpuct_base).ln();
    settings.cpuct + settings.cpuct_factor * grown
}

/// Value plus exploration of one move with so many visits.
fn score(explore: f32, prior: f32, q: f32, visits: u32) -> f32 {
    q + explore * prior / (1 + visits) as f32
}

fn explore(settings: &Settings, node: &Node) -> f32 {
    exploration(settings, node.visits) * (node.visits.max(1) as f32).sqrt()
}

/// The value that an unvisited move is taken to have.
fn first_play(settings: &Settings, tree: &Tree, index: u32) -> f32 {
    let reduction = if index == ROOT { 0.0 } else { settings.fpu_reduction };
    let visited = |edge: &&super::tree::Edge| tree.visits(edge) > 0;
    let policy: f32 = tree.edges(index).iter().filter(visited).map(|edge| edge.prior).sum();
    tree.node(index).q() - reduction * policy.sqrt()
}

/// The place of the best move of an expanded node. With `force`, root moves
/// that lack their forced visits come first.
pub fn pick(settings: &Settings, tree: &Tree, index: u32, force: bool) -> usize {
    let node = tree.node(index);
    let explore = explore(settings, node);
    let fresh = first_play(settings, tree, index);
    let mut best = (f32::NEG_INFINITY, 0);
    for (at, edge) in tree.edges(index).iter().enumerate() {
        let visits = tree.visits(edge);
        if force && visits > 0 && visits < forced(settings, edge.prior, node.visits) {
            return at;
        }
        let total = score(explore, edge.prior, tree.q(edge).unwrap_or(fresh), visits);
        if total > best.0 {
            best = (total, at);
        }
    }
    best.1
}

/// Visits that a root move gets at least, once it has one.
fn forced(settings: &Settings, prior: f32, visits: u32) -> u32 {
    (settings.forced_playouts * prior * visits as f32).sqrt() as u32
}

/// The root's visits without those that were forced on moves which PUCT would
/// not have chosen; a move that is left with one visit loses it.
pub fn pruned_visits(settings: &Settings, tree: &Tree) -> Vec<u32> {
    let edges = tree.edges(ROOT);
    let mut visits: Vec<u32> = edges.iter().map(|edge| tree.visits(edge)).collect();
    if settings.forced_playouts <= 0.0 {
        return visits;
    }
    let Some(best) = (0..edges.len()).max_by_key(|at| visits[*at]) else { return visits };
    let root = tree.root();
    let explore = explore(settings, root);
    let q = |at: usize| tree.q(&edges[at]).unwrap_or(-1.0);
    let to_beat = score(explore, edges[best].prior, q(best), visits[best]);
    for at in 0..edges.len() {
        if at == best || visits[at] == 0 {
            continue;
        }
        let spare = forced(settings, edges[at].prior, root.visits).min(visits[at]);
        for _ in 0..spare {
            if score(explore, edges[at].prior, q(at), visits[at] - 1) >= to_beat {
                break;
            }
            visits[at] -= 1;
        }
        if visits[at] == 1 {
            visits[at] = 0;
        }
    }
    visits
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Chess, Position};

    /// A root whose moves have these priors, and answer with these values.
    fn search(settings: &Settings, priors: &[f32], values: &[f32], visits: u32) -> Tree {
        let moves = Chess::default().legal_moves();
        let mut tree = Tree::default();
        tree.expand(ROOT, &moves[..priors.len()], priors);
        tree.book(&[ROOT], 0.0, 0.0);
        for _ in 0..visits {
            let at = pick(settings, &tree, ROOT, settings.forced_playouts > 0.0);
            let child = tree.enter(ROOT, at);
            tree.book(&[ROOT, child], -values[at], 0.0);
        }
        tree
    }

    fn visits(tree: &Tree) -> Vec<u32> {
        tree.edges(ROOT).iter().map(|edge| tree.visits(edge)).collect()
    }

    #[test]
    fn better_values_get_more_visits() {
        let settings = Settings::default();
        let tree = search(&settings, &[0.4, 0.3, 0.3], &[0.0, 0.5, -0.5], 200);
        let n = visits(&tree);
        assert_eq!(n.iter().sum::<u32>(), 200);
        assert!(n[1] > 3 * n[0] && n[0] > n[2], "{n:?}");
    }

    #[test]
    fn forced_visits_are_made_and_pruned_from_the_target() {
        let plain = Settings::default();
        let forcing = Settings { forced_playouts: 2.0, ..Settings::default() };
        let (priors, values) = ([0.6, 0.2, 0.2], [0.5, -0.8, 0.4]);
        let (few, many) =
            (search(&plain, &priors, &values, 400), search(&forcing, &priors, &values, 400));
        // The bad move has a prior, so it is tried more often than it deserves.
        assert!(visits(&many)[1] as f32 >= (2.0 * 0.2 * 400.0_f32).sqrt() - 2.0);
        assert!(visits(&many)[1] > 2 * visits(&few)[1], "{:?} {:?}", visits(&few), visits(&many));
        let target = pruned_visits(&forcing, &many);
        assert!(target[1] <= visits(&few)[1] + 1, "{target:?} {:?}", visits(&few));
        assert_eq!(target[0], visits(&many)[0]);
        assert_eq!(pruned_visits(&plain, &few), visits(&few));
    }

    #[test]
    fn unvisited_moves_cost_a_reduction_below_the_root() {
        let settings = Settings { fpu_reduction: 0.5, ..Settings::default() };
        let moves = Chess::default().legal_moves();
        let mut tree = search(&settings, &[1.0], &[0.2], 1);
        let child = tree.enter(ROOT, 0);
        tree.expand(child, &moves[..2], &[0.64, 0.36]);
        let grandchild = tree.enter(child, 0);
        tree.book(&[ROOT, child, grandchild], 0.0, 0.0);
        // Half of the root of 0.64 below the node's own value; at the root nothing.
        let below = first_play(&settings, &tree, child);
        assert!((below - (tree.node(child).q() - 0.5 * 0.8)).abs() < 1e-6);
        assert!((first_play(&settings, &tree, ROOT) - tree.root().q()).abs() < 1e-6);
    }
}
