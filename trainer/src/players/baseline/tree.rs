//! A search tree that grows where random games go well (UCT). In: a game line
//! and settings. Out: the most visited move and its expected points.

use super::chance::pick;
use super::evaluation::{expected_points, material};
use super::rollouts::MctsSettings;
use super::rules::{Ending, ending, is_repetition, mates};
use engine::chess::{Line, PackedMove};
use engine::search::Random;
use shakmaty::{Color, Move, Position};
use std::ops::Range;

/// A position in the tree, by the move that leads to it.
struct Node {
    action: PackedMove,
    visits: u32,
    /// Points collected by the side that made the move.
    points: f64,
    children: Range<usize>,
}

impl Node {
    fn new(action: PackedMove) -> Node {
        Node { action, visits: 0, points: 0.0, children: 0..0 }
    }
}

pub struct Tree<'a> {
    settings: &'a MctsSettings,
    random: Random,
    /// The game so far with the current walk on top.
    line: Line,
    root_len: usize,
    /// The root comes first; the children of a node lie side by side.
    nodes: Vec<Node>,
    /// The current walk, root first.
    path: Vec<usize>,
}

/// The move to play.
pub struct Choice {
    pub best: Move,
    pub expected_points: f64,
}

const ROOT: usize = 0;

impl<'a> Tree<'a> {
    pub fn new(line: &Line, settings: &'a MctsSettings, random: Random) -> Tree<'a> {
        let nodes = vec![Node::new(PackedMove::default())];
        let (line, root_len) = (line.clone(), line.len());
        let mut tree = Tree { settings, random, line, root_len, nodes, path: Vec::new() };
        tree.expand(ROOT);
        tree
    }

    /// One random game: walk down, play on from there, book the result.
    pub fn iterate(&mut self) {
        self.descend();
        let points = self.rollout();
        self.line.truncate(self.root_len);
        self.back_up(points);
    }

    /// The most visited move; of equals, the one with most points.
    pub fn choice(&self) -> Option<Choice> {
        let children = &self.nodes[self.nodes[ROOT].children.clone()];
        let best = children
            .iter()
            .max_by(|a, b| a.visits.cmp(&b.visits).then(a.points.total_cmp(&b.points)))?;
        Some(Choice {
            best: best.action.unpack(&self.line.last().position),
            expected_points: best.points / f64::from(best.visits.max(1)),
        })
    }

    /// Follows the best bounds from the root to a leaf. A leaf gets children
    /// when it is reached for the second time; most never are.
    fn descend(&mut self) {
        let mut index = ROOT;
        self.path.clear();
        self.path.push(index);
        while let Some(child) = self.select(index) {
            self.line.push(self.nodes[child].action.unpack(&self.line.last().position));
            self.path.push(child);
            index = child;
            let node = &self.nodes[index];
            if node.visits > 0 && node.children.is_empty() && !self.is_over() {
                self.expand(index);
            }
        }
    }

    /// The child with the highest upper confidence bound: mean points plus
    /// `exploration` * sqrt(ln(parent's visits) / visits). Unvisited ones first.
    fn select(&self, parent: usize) -> Option<usize> {
        let parent = &self.nodes[parent];
        let explored = f64::from(parent.visits.max(1)).ln();
        let bound = |&child: &usize| {
            let child = &self.nodes[child];
            if child.visits == 0 {
                return f64::INFINITY;
            }
            let visits = f64::from(child.visits);
            child.points / visits + self.settings.exploration * (explored / visits).sqrt()
        };
        parent.children.clone().max_by(|a, b| bound(a).total_cmp(&bound(b)))
    }

    /// Gives a node its children in random order, which settles ties. A side
    /// that can mate gets that move alone.
    fn expand(&mut self, index: usize) {
        let position = &self.line.last().position;
        let mut moves = position.legal_moves();
        if let Some(&mate) = moves.iter().find(|&&m| mates(position, m)) {
            moves.clear();
            moves.push(mate);
        }
        self.random.shuffle(&mut moves);
        let first = self.nodes.len();
        self.nodes.extend(moves.iter().map(|&m| Node::new(PackedMove::new(m))));
        self.nodes[index].children = first..self.nodes.len();
    }

    /// Plays at random from the end of the walk. Returns White's points: a
    /// result, or after `length` plies what the material promises.
    fn rollout(&mut self) -> f64 {
        let end = self.line.len() + self.settings.length as usize;
        loop {
            let position = &self.line.last().position;
            let moves = position.legal_moves();
            match ending(position, !moves.is_empty()) {
                Some(Ending::Mate) => return position.turn().fold_wb(0.0, 1.0),
                Some(Ending::Draw) => return 0.5,
                None if self.is_repetition() => return 0.5,
                None => {}
            }
            if self.line.len() == end {
                return expected_points(material(position.board()));
            }
            if let Some(m) = pick(&mut self.random, &moves) {
                self.line.push(m);
            }
        }
    }

    fn back_up(&mut self, white_points: f64) {
        let mut mover = !self.line.last().turn();
        for &index in &self.path {
            let node = &mut self.nodes[index];
            node.visits += 1;
            node.points += if mover == Color::White { white_points } else { 1.0 - white_points };
            mover = !mover;
        }
    }

    fn is_over(&self) -> bool {
        let position = &self.line.last().position;
        ending(position, !position.legal_moves().is_empty()).is_some() || self.is_repetition()
    }

    fn is_repetition(&self) -> bool {
        is_repetition(&self.line, self.line.len() - self.root_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::baseline::tests::{KIWIPETE, game};

    #[test]
    fn every_game_is_booked_on_its_whole_way() {
        let settings = MctsSettings::default();
        let game = game(KIWIPETE, "");
        let mut tree = Tree::new(game.line(), &settings, Random::new(1));
        (0..500).for_each(|_| tree.iterate());
        assert_eq!(tree.nodes[ROOT].visits, 500);
        assert_eq!(tree.line.len(), 1);
        for (index, node) in tree.nodes.iter().enumerate() {
            let below: u32 = tree.nodes[node.children.clone()].iter().map(|n| n.visits).sum();
            // The first visit of a node other than the root ended there.
            let own = if index == ROOT { 0 } else { 1 };
            assert!(node.children.is_empty() || node.visits == below + own);
            assert!((0.0..=f64::from(node.visits)).contains(&node.points));
        }
    }
}
