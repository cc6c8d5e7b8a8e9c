//! One search of self-play, as something that can be put aside whenever it
//! needs the network: many games then share a batch.

use super::gumbel::{self, RootDraw, RootPlan};
use super::puct;
use super::settings::Settings;
use super::tree::{ROOT, Tree};
use crate::chess::Line;
use crate::eval::Value;
use crate::search::{Random, Score, by_rules, by_tablebase, is_repetition};
use crate::tablebase::Tablebases;
use shakmaty::{Move, MoveList};
use std::collections::HashMap;

/// What is known without the network.
pub trait Memory {
    /// The evaluation of the last position of a line, if it was made before; the
    /// priors go where they are asked for.
    fn recall(&self, line: &Line, priors: &mut [f32]) -> Option<Value>;
}

pub enum Step {
    /// The line stands at a leaf that the network must see; its moves are in
    /// [`Thinking::moves`].
    Ask,
    Done,
}

#[derive(Clone, Copy, Debug)]
pub struct SearchKind {
    /// Whether it becomes a target.
    pub full: bool,
    pub visits: u32,
    /// Of the move to be played.
    pub temperature: f32,
}

pub struct Thinking {
    pub tree: Tree,
    pub full: bool,
    pub temperature: f32,
    /// The root's priors without noise.
    pub priors: Vec<f32>,
    pub moves: MoveList,
    pub simulations: u64,
    pub depth: u64,
    pub deepest: u32,
    pub cache_hits: u64,
    /// Length of the line at the root.
    root_len: usize,
    /// Visits of the root at which the search ends.
    target: u32,
    gumbel: Option<RootDraw>,
    /// Visits since the root was drawn.
    drawn: u32,
    path: Vec<u32>,
    frozen: HashMap<u32, Vec<u32>>,
    /// The root's visits when the distribution was last looked at.
    looked_at: Vec<u32>,
}

impl Thinking {
    /// Nothing to do yet.
    pub fn idle(line: &Line) -> Thinking {
        let kind = SearchKind { full: false, visits: 0, temperature: 0.0 };
        Thinking::new(Tree::default(), line, kind)
    }

    /// Begins at the end of the line, with what an earlier search knows of it.
    pub fn new(tree: Tree, line: &Line, kind: SearchKind) -> Thinking {
        Thinking {
            full: kind.full,
            temperature: kind.temperature,
            priors: tree.edges(ROOT).iter().map(|edge| edge.prior).collect(),
            tree,
            moves: MoveList::new(),
            simulations: 0,
            depth: 0,
            deepest: 0,
            cache_hits: 0,
            root_len: line.len(),
            target: kind.visits,
            gumbel: None,
            drawn: 0,
            path: Vec::new(),
            frozen: HashMap::new(),
            looked_at: Vec::new(),
        }
    }

    /// Noise and draws, once the root has its moves.
    pub fn prepare_root(&mut self, settings: &Settings, random: &mut Random) {
        let moves = self.tree.edges(ROOT).len();
        if self.full && settings.noise.epsilon > 0.0 && settings.gumbel.is_none() {
            let alpha = f64::from(settings.noise.alpha_for(moves));
            let noise = random.dirichlet(alpha, moves);
            let epsilon = settings.noise.epsilon;
            for (edge, noise) in self.tree.edges_mut(ROOT).iter_mut().zip(noise) {
                edge.prior = edge.prior * (1.0 - epsilon) + noise as f32 * epsilon;
            }
        }
        if let Some(gumbel) = &settings.gumbel {
            let plan = RootPlan { moves, visits: self.target, temperature: self.temperature };
            self.gumbel = Some(RootDraw::new(gumbel, plan, random));
        }
    }

    /// Searches until the network is needed or the search is over.
    pub fn advance(
        &mut self,
        line: &mut Line,
        settings: &Settings,
        memory: &dyn Memory,
        tablebases: Option<&Tablebases>,
        random: &mut Random,
    ) -> Step {
        loop {
            if self.tree.root().is_expanded() && self.is_over(settings) {
                return Step::Done;
            }
            let depth = self.descend(line, settings, random);
            self.moves = line.legal_moves();
            if let Some((value, draw)) = self.settled(line, depth, tablebases) {
                let leaf = self.leaf();
                let node = self.tree.node_mut(leaf);
                (node.value, node.draw) = (value, draw);
                self.book(line, value, draw);
                continue;
            }
            let mut priors = vec![0.0; self.moves.len()];
            let Some(value) = memory.recall(line, &mut priors) else { return Step::Ask };
            self.cache_hits += 1;
            self.answer(line, settings, &value, &priors, random);
        }
    }

    /// Takes the network's word for the leaf that was asked about.
    pub fn answer(
        &mut self,
        line: &mut Line,
        settings: &Settings,
        value: &Value,
        priors: &[f32],
        random: &mut Random,
    ) {
        let leaf = self.leaf();
        let moves = std::mem::take(&mut self.moves);
        self.tree.expand(leaf, &moves, priors);
        let node = self.tree.node_mut(leaf);
        (node.value, node.draw) = (value.q(), value.draw);
        let is_root = leaf == ROOT;
        self.book(line, value.q(), value.draw);
        if is_root {
            self.priors = priors.to_vec();
            self.prepare_root(settings, random);
        }
    }

    fn leaf(&self) -> u32 {
        self.path.last().copied().unwrap_or(ROOT)
    }

    fn book(&mut self, line: &mut Line, value: f32, draw: f32) {
        self.tree.book(&self.path, value, draw);
        let depth = self.path.len().saturating_sub(1);
        self.simulations += 1;
        self.depth += depth as u64;
        self.deepest = self.deepest.max(depth as u32);
        line.truncate(self.root_len);
    }

    /// Walks to a leaf, playing the moves on the line; how deep it is.
    fn descend(&mut self, line: &mut Line, settings: &Settings, random: &mut Random) -> usize {
        self.path.clear();
        let mut index = ROOT;
        loop {
            self.path.push(index);
            let node = self.tree.node(index);
            if !node.is_expanded() || node.is_over {
                return self.path.len() - 1;
            }
            let at = self.pick(settings, index, random);
            let m = self.tree.edges(index)[at].m;
            index = self.tree.enter(index, at);
            line.push(m);
        }
    }

    fn pick(&mut self, settings: &Settings, index: u32, random: &mut Random) -> usize {
        let depth = self.path.len() - 1;
        if settings.contempt_freeze > 0
            && depth % 2 == 1
            && let Some(at) = self.frozen_pick(settings.contempt_freeze, index, random)
        {
            return at;
        }
        match (&settings.gumbel, &self.gumbel) {
            (Some(gumbel), Some(draw)) if index == ROOT => {
                let at = draw.pick(gumbel, &self.tree, self.drawn);
                self.drawn += 1;
                at
            }
            (Some(gumbel), _) => gumbel::pick_below(gumbel, &self.tree, index),
            (None, _) => {
                let force = index == ROOT && self.full && settings.forced_playouts > 0.0;
                puct::pick(settings, &self.tree, index, force)
            }
        }
    }

    /// Search-contempt: a reply drawn from the visits at the time of freezing.
    fn frozen_pick(&mut self, limit: u32, index: u32, random: &mut Random) -> Option<usize> {
        if !self.frozen.contains_key(&index) {
            let edges = self.tree.edges(index).iter();
            let visits: Vec<u32> = edges.map(|edge| self.tree.visits(edge)).collect();
            if visits.iter().sum::<u32>() < limit {
                return None;
            }
            self.frozen.insert(index, visits);
        }
        let visits = self.frozen.get(&index)?;
        random.weighted(visits.iter().map(|n| f64::from(*n)))
    }

    /// Value and draw of a position that is decided, for the side to move.
    fn settled(
        &mut self,
        line: &Line,
        depth: usize,
        tablebases: Option<&Tablebases>,
    ) -> Option<(f32, f32)> {
        let node = self.tree.node(self.leaf());
        if node.is_over {
            return Some((node.value, node.draw));
        }
        if depth == 0 {
            return None;
        }
        if is_repetition(line, depth) {
            return Some((0.0, 1.0));
        }
        let position = &line.last().position;
        let score = by_rules(position, !self.moves.is_empty())
            .or_else(|| by_tablebase(tablebases?, position))?;
        let leaf = self.leaf();
        self.tree.node_mut(leaf).is_over = true;
        // Scores are for the side that moved there.
        Some((-score.q(), if score == Score::Draw { 1.0 } else { 0.0 }))
    }

    fn is_over(&mut self, settings: &Settings) -> bool {
        let root = self.tree.root();
        // One move is chosen whatever the search says, but its value counts.
        if self.tree.edges(ROOT).len() == 1 && root.visits > 1 {
            return true;
        }
        if settings.gumbel.is_some() {
            return self.drawn >= self.target.max(1);
        }
        if root.visits > self.target {
            return true;
        }
        let Some(stop) = settings.kld_stop else { return false };
        let visits = root.visits.saturating_sub(1);
        let before: u32 = self.looked_at.iter().sum();
        if visits < before + stop.interval {
            return false;
        }
        let now: Vec<u32> =
            self.tree.edges(ROOT).iter().map(|edge| self.tree.visits(edge)).collect();
        let gain = divergence(&self.looked_at, &now) / f64::from(visits - before);
        let settled = before > 0 && gain < f64::from(stop.gain);
        self.looked_at = now;
        settled
    }

    /// The place of the move that Gumbel's rounds left over.
    pub fn gumbel_winner(&self, settings: &Settings) -> Option<usize> {
        let (gumbel, draw) = (settings.gumbel.as_ref()?, self.gumbel.as_ref()?);
        Some(draw.winner(gumbel, &self.tree))
    }

    /// The tree after a move, for the next search.
    pub fn keep(&self, m: Move) -> Tree {
        self.tree.below(m)
    }
}

/// Nats that are lost by taking `before` for `now`, both as visits.
fn divergence(before: &[u32], now: &[u32]) -> f64 {
    let total = |visits: &[u32]| f64::from(visits.iter().sum::<u32>().max(1));
    let (all_before, all_now) = (total(before), total(now));
    let pairs = before.iter().zip(now).filter(|(b, _)| **b > 0);
    pairs
        .map(|(b, n)| {
            let (p, q) = (f64::from(*b) / all_before, f64::from((*n).max(1)) / all_now);
            p * (p / q).ln()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::settings::KldStop;
    use super::*;
    use shakmaty::Chess;

    /// No network at all: every position is even, every move as likely.
    struct Nothing;

    impl Memory for Nothing {
        fn recall(&self, _: &Line, priors: &mut [f32]) -> Option<Value> {
            let share = 1.0 / priors.len() as f32;
            priors.fill(share);
            Some(Value { win: 0.25, draw: 0.5, loss: 0.25, moves_left: None })
        }
    }

    fn search(settings: &Settings, visits: u32) -> Thinking {
        search_with(&Nothing, settings, visits)
    }

    fn search_with(memory: &dyn Memory, settings: &Settings, visits: u32) -> Thinking {
        let mut line = Line::new(Chess::default());
        let mut random = Random::new(3);
        let kind = SearchKind { full: true, visits, temperature: 0.0 };
        let mut thinking = Thinking::new(Tree::default(), &line, kind);
        let step = thinking.advance(&mut line, settings, memory, None, &mut random);
        assert!(matches!(step, Step::Done));
        thinking
    }

    /// Replies of the other side that were visited, over all moves of ours.
    fn replies(thinking: &Thinking) -> usize {
        let tree = &thinking.tree;
        let ours = tree.edges(ROOT).iter().filter(|edge| tree.visits(edge) > 0);
        ours.map(|edge| tree.edges(edge.child).iter().filter(|e| tree.visits(e) > 0).count()).sum()
    }

    /// Every position is even; the first moves are the likeliest.
    struct Leaning;

    impl Memory for Leaning {
        fn recall(&self, _: &Line, priors: &mut [f32]) -> Option<Value> {
            let sum: f32 = (1..=priors.len()).map(|at| 1.0 / at as f32).sum();
            (1..).zip(priors).for_each(|(at, prior)| *prior = 1.0 / (at as f32 * sum));
            Some(Value { win: 0.25, draw: 0.5, loss: 0.25, moves_left: None })
        }
    }

    #[test]
    fn frozen_replies_are_drawn_as_often_as_they_had_been_visited() {
        let mut settings = Settings { contempt_freeze: 60, ..Settings::default() };
        settings.noise.epsilon = 0.0;
        let thinking = search_with(&Leaning, &settings, 8000);
        let tree = &thinking.tree;
        let ours: Vec<u32> = tree.edges(ROOT).iter().map(|edge| edge.child).collect();
        let mut looked_at = 0;
        for child in ours {
            let Some(before) = thinking.frozen.get(&child) else { continue };
            let visits = tree.edges(child).iter().map(|edge| tree.visits(edge));
            let since: Vec<u32> = visits.zip(before).map(|(now, before)| now - before).collect();
            let (drawn, all) = (since.iter().sum::<u32>(), before.iter().sum::<u32>());
            for (since, before) in since.iter().zip(before) {
                let share = f64::from(*before) / f64::from(all);
                let expected = f64::from(drawn) * share;
                let spread = (expected * (1.0 - share)).sqrt();
                let away = (f64::from(*since) - expected).abs();
                assert!(away <= 5.0 * spread + 1.0, "{since} for {before} of {all}");
                looked_at += u32::from(expected > 50.0);
            }
            // Our own moves are chosen as ever.
            let deeper = tree.edges(child).iter().map(|edge| edge.child);
            assert!(deeper.into_iter().all(|node| !thinking.frozen.contains_key(&node)));
        }
        assert!(looked_at >= 10, "{looked_at}");
        assert!(!thinking.frozen.contains_key(&ROOT));
    }

    #[test]
    fn a_search_is_looked_at_in_intervals() {
        for interval in [10, 40] {
            // However much is learned, it is too little.
            let kld_stop = Some(KldStop { interval, gain: 1e9 });
            let thinking = search(&Settings { kld_stop, ..Settings::default() }, 800);
            // The first look has nothing to compare with.
            assert_eq!(thinking.tree.root().visits, 2 * interval + 1);
        }
    }

    #[test]
    fn frozen_replies_are_those_seen_before_the_freeze() {
        let mut settings = Settings::default();
        settings.noise.epsilon = 0.0;
        let free = search(&settings, 800);
        for freeze in [1, 2, 5] {
            let frozen = search(&Settings { contempt_freeze: freeze, ..settings.clone() }, 800);
            let visited = frozen.tree.edges(ROOT).iter().filter(|e| frozen.tree.visits(e) > 0);
            // Each of our moves sees no more different replies than were visited by then.
            assert!(replies(&frozen) <= visited.count() * freeze as usize);
            assert!(replies(&frozen) < replies(&free));
        }
    }
}
