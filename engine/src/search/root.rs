//! Getting the root ready: reuse, restriction, noise, first evaluation.

use std::time::Instant;

use shakmaty::{Move, Position};

use super::arena::CellPool;
use super::random::Random;
use super::score::Score;
use super::slots::Edge;
use super::{Request, Search, backup, expand};
use crate::chess::{Line, PackedMove};
use crate::eval::{Answers, EvalError, Evaluator};
use crate::tablebase::Wdl;

/// What is known before the search begins.
pub(super) struct RootFacts {
    /// Visits that earlier searches left at the root.
    pub carried: u64,
    /// The tablebases' result for the side to move.
    pub result: Option<Wdl>,
    /// Tables looked up.
    pub probes: usize,
}

impl Search {
    /// Moves the tree to the requested position and expands the root.
    pub(super) fn prepare_root(
        &mut self,
        request: &Request<'_>,
        evaluators: &mut [Box<dyn Evaluator>],
    ) -> Result<RootFacts, EvalError> {
        let position = &request.line.last().position;
        let wanted = searchmoves(request);
        // The tables speak of the best moves, not of those that the user named.
        let tables = request.tablebases.filter(|_| wanted.is_none());
        let probe = tables.and_then(|tables| tables.probe_root(position));
        let (result, probes) = probe.as_ref().map_or((None, 0), |p| (Some(p.result), p.probes));
        let allowed = wanted.or(probe.map(|probe| probe.moves));
        let altered = allowed.is_some() || request.params.noise_epsilon > 0.0;
        self.follow(request.line);
        if altered {
            // Fewer moves or other priors than the network's: the statistics
            // would not fit, neither now nor in the next search.
            self.tree.restart();
        }
        let root = self.tree.root();
        let carried = u64::from(root.visits());
        if !root.is_expanded() {
            // A proof without moves came from rules or tables, or its subtree was
            // recycled; the game goes on.
            root.prove(Score::Estimate(root.score().q()));
            self.expand_root(request, evaluators, allowed)?;
        }
        self.root_keys = if altered { Vec::new() } else { keys(request.line) };
        Ok(RootFacts { carried, result, probes })
    }

    /// Keeps the subtree if the new line continues the old one.
    fn follow(&mut self, line: &Line) {
        let new = keys(line);
        let known = self.root_keys.len();
        if known == 0 || known > new.len() || new[..known] != self.root_keys {
            self.tree.reset();
            return;
        }
        // The first key is the clock's, so the root is ply `known - 2`.
        let moves: Option<Vec<PackedMove>> = line.plies()[known - 2..]
            .windows(2)
            .map(|pair| move_between(&pair[0], &pair[1]))
            .collect();
        match moves {
            Some(moves) => self.tree.advance(&moves),
            None => self.tree.reset(),
        }
    }

    fn expand_root(
        &mut self,
        request: &Request<'_>,
        evaluators: &mut [Box<dyn Evaluator>],
        allowed: Option<Vec<Move>>,
    ) -> Result<(), EvalError> {
        let moves = request.line.legal_moves();
        let plies = request.line.plies();
        let key = (request.cache_key)(plies);
        let mut priors = vec![0.0; moves.len()];
        let value = match self.cache.get(key, &mut priors) {
            Some(value) => value,
            None => {
                let evaluator =
                    evaluators.first_mut().ok_or_else(|| EvalError("no evaluator".into()))?;
                let mut answers = Answers::default();
                let start = Instant::now();
                evaluator.push(plies, &moves);
                evaluator.run(&mut answers)?;
                self.reaction = self.reaction.max(start.elapsed());
                if answers.is_empty() {
                    return Err(EvalError("the network gave no answer".into()));
                }
                let (value, logits) = answers.get(0);
                priors.copy_from_slice(logits);
                expand::softmax(&mut priors, request.params.policy_temperature);
                self.cache.insert(key, value, &priors).value
            }
        };
        let kept = |m: &Move| allowed.as_ref().is_none_or(|list| list.contains(m));
        let (kept_moves, mut kept_priors): (Vec<Move>, Vec<f32>) =
            moves.iter().zip(&priors).filter(|(m, _)| kept(m)).map(|(m, p)| (*m, *p)).unzip();
        if kept_moves.len() < moves.len() {
            normalize(&mut kept_priors);
        }
        add_noise(&mut kept_priors, request);
        let mut pool = CellPool::default();
        let root = self.tree.root();
        expand::attach_moves(
            &self.tree.arena,
            &mut pool,
            root,
            kept_moves.iter().map(|m| PackedMove::new(*m)),
            &kept_priors,
            &mut Vec::<Edge>::new(),
        );
        pool.release(&self.tree.arena);
        root.enter();
        let (q, draw) = value.faded(request.params.fresh(request.line.last().rule50()));
        backup::book(&self.tree.arena, &[self.tree.root_index()], -q, draw);
        Ok(())
    }
}

/// The moves that `go` named, if it named legal ones.
fn searchmoves(request: &Request<'_>) -> Option<Vec<Move>> {
    let wanted = &request.limits.searchmoves;
    let moves: Vec<Move> = request
        .line
        .legal_moves()
        .into_iter()
        .filter(|m| wanted.contains(&PackedMove::new(*m)))
        .collect();
    (!moves.is_empty()).then_some(moves)
}

fn normalize(priors: &mut [f32]) {
    let sum: f32 = priors.iter().sum();
    if sum > 0.0 {
        priors.iter_mut().for_each(|p| *p /= sum);
    } else {
        let even = 1.0 / priors.len().max(1) as f32;
        priors.fill(even);
    }
}

fn add_noise(priors: &mut [f32], request: &Request<'_>) {
    let epsilon = request.params.noise_epsilon;
    if epsilon <= 0.0 {
        return;
    }
    let mut random = Random::new(request.params.seed ^ request.line.last().key.rotate_left(17));
    let noise = random.dirichlet(f64::from(request.params.noise_alpha), priors.len());
    for (prior, noise) in priors.iter_mut().zip(noise) {
        *prior = *prior * (1.0 - epsilon) + noise as f32 * epsilon;
    }
}

/// What makes two lines the same: every position, and the clock at the start.
fn keys(line: &Line) -> Vec<u64> {
    let start = line.plies().first().map(|ply| u64::from(ply.rule50()));
    start.into_iter().chain(line.plies().iter().map(|ply| ply.key)).collect()
}

/// The move that was played between two neighboring positions.
fn move_between(before: &crate::chess::Ply, after: &crate::chess::Ply) -> Option<PackedMove> {
    before.position.legal_moves().into_iter().find_map(|m| {
        let mut next = before.position.clone();
        next.play_unchecked(m);
        (next.board() == after.position.board()).then(|| PackedMove::new(m))
    })
}
