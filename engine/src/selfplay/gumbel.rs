//! Gumbel search (Danihelka and others, 2022): root moves drawn without
//! replacement, halved in rounds, and a policy that improves on the network's
//! even with few visits.

use super::settings::Gumbel;
use super::tree::{Edge, ROOT, Tree};
use crate::search::Random;

/// What was drawn for the root of one search.
#[derive(Clone, Debug)]
pub struct RootDraw {
    /// A Gumbel number for each root move.
    noise: Vec<f32>,
    /// How many visits a move must have to be looked at, visit by visit.
    schedule: Vec<u32>,
}

/// What the root of a search is like.
#[derive(Clone, Copy, Debug)]
pub struct RootPlan {
    pub moves: usize,
    pub visits: u32,
    /// How much the noise counts: at 0 the search is without chance.
    pub temperature: f32,
}

impl RootDraw {
    pub fn new(settings: &Gumbel, plan: RootPlan, random: &mut Random) -> RootDraw {
        let mut number = || {
            let unit = random.unit().clamp(1e-12, 1.0 - 1e-12);
            -(-unit.ln()).ln() as f32 * plan.temperature
        };
        let noise = (0..plan.moves).map(|_| number()).collect();
        let considered = (settings.considered as usize).min(plan.moves).max(1);
        RootDraw { noise, schedule: schedule(considered, plan.visits as usize) }
    }

    /// The root move to visit after `visits` of them.
    pub fn pick(&self, settings: &Gumbel, tree: &Tree, visits: u32) -> usize {
        let wanted = self.schedule.get(visits as usize).or(self.schedule.last());
        self.best(settings, tree, |n| Some(&n) == wanted)
            .or_else(|| self.best(settings, tree, |_| true))
            .unwrap_or(0)
    }

    /// The move that came through all rounds.
    pub fn winner(&self, settings: &Gumbel, tree: &Tree) -> usize {
        let most = tree.edges(ROOT).iter().map(|edge| tree.visits(edge)).max().unwrap_or(0);
        self.best(settings, tree, |n| n == most).unwrap_or(0)
    }

    fn best(&self, settings: &Gumbel, tree: &Tree, fits: impl Fn(u32) -> bool) -> Option<usize> {
        let values = Completed::of(settings, tree, ROOT);
        let edges = tree.edges(ROOT).iter().enumerate();
        let fitting = edges.filter(|(_, edge)| fits(tree.visits(edge)));
        let scored = fitting.map(|(at, edge)| (at, self.noise[at] + values.logit(tree, edge)));
        scored.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }
}

/// Sequential halving as a list: the n-th visit goes to a move that has had as
/// many visits as its n-th number says. In each round all moves that are left
/// get the same number of visits; the better half goes on, two at least.
fn schedule(considered: usize, visits: usize) -> Vec<u32> {
    if considered < 2 {
        return (0..visits as u32).collect();
    }
    let rounds = (considered as f64).log2().ceil() as usize;
    let mut list = Vec::with_capacity(visits);
    let mut had = vec![0; considered];
    let mut left = considered;
    while list.len() < visits {
        let each = (visits / (rounds * left)).max(1);
        for _ in 0..each {
            list.extend_from_slice(&had[..left]);
            had[..left].iter_mut().for_each(|n| *n += 1);
        }
        left = (left / 2).max(2);
    }
    list.truncate(visits);
    list
}

/// Values of all moves of a node, those without visits included.
struct Completed {
    /// Weight of values against the logarithm of priors.
    scale: f32,
    /// What an unvisited move is worth: the network's word and the visited
    /// moves' values, mixed.
    mixed: f32,
}

impl Completed {
    fn of(settings: &Gumbel, tree: &Tree, index: u32) -> Completed {
        let edges = tree.edges(index);
        let (mut policy, mut value, mut visits, mut most) = (0.0, 0.0, 0, 0);
        for edge in edges {
            let Some(q) = tree.q(edge) else { continue };
            let n = tree.visits(edge);
            (visits, most) = (visits + n, most.max(n));
            policy += edge.prior;
            value += edge.prior * q;
        }
        let own = tree.node(index).value;
        let mixed = match policy > 0.0 {
            true => (own + visits as f32 * value / policy) / (1 + visits) as f32,
            false => own,
        };
        let scale = (settings.visit_offset + most as f32) * settings.value_scale;
        Completed { scale, mixed }
    }

    fn logit(&self, tree: &Tree, edge: &Edge) -> f32 {
        let q = tree.q(edge).unwrap_or(self.mixed);
        // Values count from 0 to 1.
        edge.prior.max(1e-9).ln() + self.scale * (q + 1.0) / 2.0
    }
}

/// The policy that the values improve: what the network should learn.
pub fn improved_policy(settings: &Gumbel, tree: &Tree, index: u32) -> Vec<f32> {
    let values = Completed::of(settings, tree, index);
    let mut policy: Vec<f32> =
        tree.edges(index).iter().map(|edge| values.logit(tree, edge)).collect();
    crate::search::softmax(&mut policy, 1.0);
    policy
}

/// Value and draw of a root, were its moves played by the improved policy.
/// Sequential halving visits moves evenly at first, so the mean of all visits is
/// too low; `None` without visits.
pub fn improved_value(tree: &Tree, policy: &[f32]) -> Option<(f32, f32)> {
    let (mut weight, mut q, mut draw) = (0.0, 0.0, 0.0);
    for (edge, share) in tree.edges(ROOT).iter().zip(policy) {
        let (Some(value), Some(child)) = (tree.q(edge), tree.child(edge)) else { continue };
        weight += share;
        q += share * value;
        draw += share * child.mean_draw();
    }
    (weight > 0.0).then(|| (q / weight, draw / weight))
}

/// Below the root: the move whose visits lag most behind the improved policy.
pub fn pick_below(settings: &Gumbel, tree: &Tree, index: u32) -> usize {
    let policy = improved_policy(settings, tree, index);
    let edges = tree.edges(index);
    let total: u32 = edges.iter().map(|edge| tree.visits(edge)).sum();
    let lag = |at: &usize| policy[*at] - tree.visits(&edges[*at]) as f32 / (1 + total) as f32;
    (0..edges.len()).max_by(|a, b| lag(a).total_cmp(&lag(b))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Chess, Position};

    #[test]
    fn the_schedule_halves_and_spends_all_visits() {
        // Four moves, two rounds of eight visits: two each, then four each.
        assert_eq!(schedule(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(schedule(1, 3), [0, 1, 2]);
        for (considered, visits) in [(16, 8), (16, 64), (5, 33), (2, 1)] {
            assert_eq!(schedule(considered, visits).len(), visits);
        }
        // Fewer visits than moves: the first ones once.
        assert_eq!(schedule(16, 8), [0; 8]);
    }

    fn run(priors: &[f32], values: &[f32], visits: u32, seed: u64) -> (Tree, RootDraw) {
        run_at(1.0, priors, values, visits, seed)
    }

    fn run_at(
        temperature: f32,
        priors: &[f32],
        values: &[f32],
        visits: u32,
        seed: u64,
    ) -> (Tree, RootDraw) {
        let settings = Gumbel::default();
        let moves = Chess::default().legal_moves();
        let mut tree = Tree::default();
        tree.expand(ROOT, &moves[..priors.len()], priors);
        tree.book(&[ROOT], 0.0, 0.0);
        let plan = RootPlan { moves: priors.len(), visits, temperature };
        let draw = RootDraw::new(&settings, plan, &mut Random::new(seed));
        for n in 0..visits {
            let at = draw.pick(&settings, &tree, n);
            let child = tree.enter(ROOT, at);
            tree.book(&[ROOT, child], -values[at], 0.0);
        }
        (tree, draw)
    }

    #[test]
    fn the_best_value_wins_whatever_the_noise() {
        let (priors, values) = ([0.4, 0.3, 0.2, 0.1], [-0.5, -0.4, 0.6, -0.9]);
        for (seed, visits) in (0..50).flat_map(|seed| [8, 16, 32, 64].map(|n| (seed, n))) {
            let (tree, draw) = run(&priors, &values, visits, seed);
            assert_eq!(draw.winner(&Gumbel::default(), &tree), 2, "seed {seed}, {visits} visits");
            let policy = improved_policy(&Gumbel::default(), &tree, ROOT);
            assert!(policy[2] > 0.9, "{visits} visits: {policy:?}");
        }
    }

    #[test]
    fn without_news_the_policy_stays_the_priors() {
        let priors = [0.4, 0.3, 0.2, 0.1];
        let (tree, _) = run(&priors, &[0.0; 4], 8, 1);
        let policy = improved_policy(&Gumbel::default(), &tree, ROOT);
        assert!(policy.iter().zip(priors).all(|(a, b)| (a - b).abs() < 1e-4), "{policy:?}");
    }

    #[test]
    fn the_draw_follows_the_priors() {
        let priors = [0.7, 0.2, 0.1];
        let mut wins = [0; 3];
        for seed in 0..2000 {
            let (tree, draw) = run(&priors, &[0.0; 3], 1, seed);
            wins[draw.winner(&Gumbel::default(), &tree)] += 1;
        }
        for (won, prior) in wins.iter().zip(priors) {
            let share = *won as f32 / 2000.0;
            assert!((share - prior).abs() < 0.04, "{wins:?}");
        }
    }

    #[test]
    fn without_temperature_there_is_no_chance() {
        for seed in 0..50 {
            let (tree, draw) = run_at(0.0, &[0.4, 0.35, 0.25], &[0.0; 3], 6, seed);
            assert_eq!(draw.winner(&Gumbel::default(), &tree), 0, "seed {seed}");
        }
    }

    #[test]
    fn the_value_is_that_of_the_improved_policy() {
        let (tree, _) = run(&[0.25; 4], &[-0.9, -0.9, 0.6, -0.9], 16, 1);
        let policy = improved_policy(&Gumbel::default(), &tree, ROOT);
        let (q, _) = improved_value(&tree, &policy).unwrap();
        assert!(q > 0.55, "{q}");
        // The mean over visits thinks of the bad moves as well.
        assert!(tree.root().q() < 0.4, "{}", tree.root().q());
    }

    #[test]
    fn below_the_root_visits_follow_the_policy() {
        let settings = Gumbel::default();
        let priors = [0.5, 0.3, 0.2];
        let moves = Chess::default().legal_moves();
        let mut tree = Tree::default();
        tree.expand(ROOT, &moves[..3], &priors);
        for _ in 0..100 {
            let at = pick_below(&settings, &tree, ROOT);
            let child = tree.enter(ROOT, at);
            tree.book(&[ROOT, child], 0.0, 0.0);
        }
        let visits: Vec<u32> = tree.edges(ROOT).iter().map(|edge| tree.visits(edge)).collect();
        assert_eq!(visits, [50, 30, 20]);
    }
}
