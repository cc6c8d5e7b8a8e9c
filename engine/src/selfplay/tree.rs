//! A small tree for one thread: nodes and their moves in two vectors.
//!
//! The playing search shares its tree between threads and saves every byte; a
//! game of self-play has a tree of some hundred nodes to itself, and wants
//! everything that a training target is made of.

use shakmaty::Move;

pub const NONE: u32 = u32::MAX;

/// A move from a node.
#[derive(Clone, Debug)]
pub struct Edge {
    pub m: Move,
    pub prior: f32,
    /// [`NONE`] until the move is first visited.
    pub child: u32,
}

/// Values are for the side to move at the node.
#[derive(Clone, Debug, Default)]
pub struct Node {
    first: u32,
    count: u32,
    pub visits: u32,
    value_sum: f64,
    draw_sum: f64,
    /// What the network, or the rules, said of the position itself.
    pub value: f32,
    pub draw: f32,
    /// The game is over here: `value` and `draw` are facts.
    pub is_over: bool,
}

impl Node {
    pub fn is_expanded(&self) -> bool {
        self.count > 0
    }

    /// Mean of all visits, or the position's own value before the first.
    pub fn q(&self) -> f32 {
        match self.visits {
            0 => self.value,
            visits => (self.value_sum / f64::from(visits)) as f32,
        }
    }

    pub fn mean_draw(&self) -> f32 {
        match self.visits {
            0 => self.draw,
            visits => (self.draw_sum / f64::from(visits)) as f32,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

pub const ROOT: u32 = 0;

impl Default for Tree {
    fn default() -> Tree {
        Tree { nodes: vec![Node::default()], edges: Vec::new() }
    }
}

impl Tree {
    pub fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    pub fn node_mut(&mut self, index: u32) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    pub fn root(&self) -> &Node {
        self.node(ROOT)
    }

    pub fn edges(&self, index: u32) -> &[Edge] {
        let node = self.node(index);
        &self.edges[node.first as usize..(node.first + node.count) as usize]
    }

    pub fn edges_mut(&mut self, index: u32) -> &mut [Edge] {
        let (first, count) = (self.node(index).first, self.node(index).count);
        &mut self.edges[first as usize..(first + count) as usize]
    }

    /// The node behind an edge, if it was visited.
    pub fn child(&self, edge: &Edge) -> Option<&Node> {
        (edge.child != NONE).then(|| self.node(edge.child))
    }

    /// Visits behind an edge.
    pub fn visits(&self, edge: &Edge) -> u32 {
        self.child(edge).map_or(0, |child| child.visits)
    }

    /// The value of an edge for the side that takes it, if it was visited.
    pub fn q(&self, edge: &Edge) -> Option<f32> {
        self.child(edge).filter(|child| child.visits > 0).map(|child| -child.q())
    }

    /// Gives a node its moves.
    pub fn expand(&mut self, index: u32, moves: &[Move], priors: &[f32]) {
        let first = self.edges.len() as u32;
        let edge = |(m, prior): (&Move, &f32)| Edge { m: *m, prior: *prior, child: NONE };
        self.edges.extend(moves.iter().zip(priors).map(edge));
        let node = self.node_mut(index);
        (node.first, node.count) = (first, moves.len() as u32);
    }

    /// The node behind a move, made if need be.
    pub fn enter(&mut self, index: u32, at: usize) -> u32 {
        let place = self.node(index).first as usize + at;
        if self.edges[place].child == NONE {
            self.edges[place].child = self.nodes.len() as u32;
            self.nodes.push(Node::default());
        }
        self.edges[place].child
    }

    /// Books a visit with the value of its leaf, for the side to move there, on
    /// the whole path.
    pub fn book(&mut self, path: &[u32], value: f32, draw: f32) {
        let mut value = f64::from(value);
        for &index in path.iter().rev() {
            let node = self.node_mut(index);
            node.visits += 1;
            node.value_sum += value;
            node.draw_sum += f64::from(draw);
            value = -value;
        }
    }

    /// The tree below a move of the root, as a tree of its own.
    pub fn below(&self, m: Move) -> Tree {
        let child = self.edges(ROOT).iter().find(|edge| edge.m == m).map(|edge| edge.child);
        let Some(child) = child.filter(|child| *child != NONE) else { return Tree::default() };
        let mut tree = Tree { nodes: vec![self.node(child).clone()], edges: Vec::new() };
        // Breadth first: a node's moves stay together.
        let mut copied = vec![child];
        let mut next = 0;
        while next < copied.len() {
            let first = tree.edges.len() as u32;
            for edge in self.edges(copied[next]) {
                let mut edge = edge.clone();
                if edge.child != NONE {
                    let place = copied.len() as u32;
                    copied.push(edge.child);
                    tree.nodes.push(self.node(edge.child).clone());
                    edge.child = place;
                }
                tree.edges.push(edge);
            }
            tree.nodes[next].first = first;
            next += 1;
        }
        tree.sum_up();
        tree
    }

    /// A position that was a repetition as long as its first occurrence was in the
    /// tree had visits that say nothing about its moves. So only the network's word
    /// and the visits of the moves are kept; what was nothing but a repetition is
    /// looked at anew.
    fn sum_up(&mut self) {
        // Children stand behind their parents.
        for index in (0..self.nodes.len() as u32).rev() {
            let node = self.node(index);
            if node.is_over {
                continue;
            }
            let own = match node.is_expanded() {
                true => (1, f64::from(node.value), f64::from(node.draw)),
                false => (0, 0.0, 0.0),
            };
            let children = self.edges(index).iter().filter_map(|edge| self.child(edge));
            let (visits, value_sum, draw_sum) =
                children.fold(own, |(visits, value, draw), child| {
                    (visits + child.visits, value - child.value_sum, draw + child.draw_sum)
                });
            let node = self.node_mut(index);
            (node.visits, node.value_sum, node.draw_sum) = (visits, value_sum, draw_sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Chess, Position};

    #[test]
    fn visits_alternate_in_sign_and_subtrees_keep_them() {
        let start = Chess::default();
        let moves = start.legal_moves();
        let priors = vec![0.05; moves.len()];
        let mut tree = Tree::default();
        tree.expand(ROOT, &moves, &priors);
        tree.book(&[ROOT], 0.1, 0.5);
        let child = tree.enter(ROOT, 3);
        assert_eq!(tree.enter(ROOT, 3), child);
        tree.expand(child, &moves, &priors);
        (tree.node_mut(child).value, tree.node_mut(child).draw) = (0.4, 0.2);
        tree.book(&[ROOT, child], 0.4, 0.2);
        let grandchild = tree.enter(child, 7);
        tree.node_mut(grandchild).is_over = true;
        tree.book(&[ROOT, child, grandchild], -0.6, 0.0);
        assert_eq!(tree.root().visits, 3);
        assert!((tree.root().q() - (0.1 - 0.4 - 0.6) / 3.0).abs() < 1e-6);
        assert!((tree.root().mean_draw() - 0.7 / 3.0).abs() < 1e-6);
        let edge = &tree.edges(ROOT)[3];
        assert!((tree.q(edge).unwrap() + (0.4 + 0.6) / 2.0).abs() < 1e-6);
        assert_eq!(tree.q(&tree.edges(ROOT)[4]), None);

        let below = tree.below(moves[3]);
        assert_eq!(below.root().visits, 2);
        assert_eq!(below.edges(ROOT).len(), moves.len());
        assert_eq!(below.visits(&below.edges(ROOT)[7]), 1);
        assert!((below.q(&below.edges(ROOT)[7]).unwrap() - 0.6).abs() < 1e-6);
        assert_eq!(tree.below(moves[5]).root().visits, 0);
    }

    /// A tree in which the node at the end of a path of first moves was visited
    /// as a repetition three times before it was one no more; then one of its
    /// moves ended the game.
    fn with_a_former_repetition(depth: usize) -> (Tree, Vec<u32>, Vec<Move>) {
        let moves: Vec<Move> = Chess::default().legal_moves().into_iter().collect();
        let priors = vec![0.05; moves.len()];
        let mut tree = Tree::default();
        let mut path = vec![ROOT];
        for _ in 0..depth {
            let last = *path.last().unwrap();
            tree.expand(last, &moves, &priors);
            (tree.node_mut(last).value, tree.node_mut(last).draw) = (0.1, 0.5);
            tree.book(&path, 0.1, 0.5);
            path.push(tree.enter(last, 0));
        }
        let repeated = *path.last().unwrap();
        (0..3).for_each(|_| tree.book(&path, 0.0, 1.0));
        tree.expand(repeated, &moves, &priors);
        (tree.node_mut(repeated).value, tree.node_mut(repeated).draw) = (0.4, 0.2);
        tree.book(&path, 0.4, 0.2);
        path.push(tree.enter(repeated, 1));
        tree.node_mut(path[depth + 1]).is_over = true;
        tree.book(&path, -0.6, 0.0);
        (tree, path, moves)
    }

    fn visits_of_moves(tree: &Tree, index: u32) -> u32 {
        tree.edges(index).iter().map(|edge| tree.visits(edge)).sum()
    }

    #[test]
    fn visits_as_a_repetition_are_forgotten() {
        let (tree, _, moves) = with_a_former_repetition(1);
        let below = tree.below(moves[0]);
        assert_eq!((below.root().visits, visits_of_moves(&below, ROOT)), (2, 1));
        assert!((below.root().q() - (0.4 + 0.6) / 2.0).abs() < 1e-6);
        assert!((below.root().mean_draw() - 0.1).abs() < 1e-6);
        // The same one move deeper: its parent forgets them as well.
        let (tree, _, moves) = with_a_former_repetition(2);
        let below = tree.below(moves[0]);
        let repeated = below.edges(ROOT)[0].child;
        assert_eq!((below.root().visits, below.node(repeated).visits), (3, 2));
        assert!((below.root().q() - (0.1 - 0.4 - 0.6) / 3.0).abs() < 1e-6);
        assert!((below.root().mean_draw() - 0.7 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn what_was_nothing_but_a_repetition_is_looked_at_anew() {
        let (mut tree, path, moves) = with_a_former_repetition(1);
        let repetition = tree.enter(path[1], 3);
        (0..5).for_each(|_| tree.book(&[ROOT, path[1], repetition], 0.0, 1.0));
        let below = tree.below(moves[0]);
        assert_eq!((below.root().visits, visits_of_moves(&below, ROOT)), (2, 1));
        assert_eq!(below.q(&below.edges(ROOT)[3]), None);
    }
}
