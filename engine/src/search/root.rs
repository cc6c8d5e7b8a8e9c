//! Getting the root ready: reuse, restriction, noise, first evaluation.

use shakmaty::{Move, Position};

use super::arena::CellPool;
use super::random::Random;
use super::score::Score;
use super::slots::Edge;
use super::{Request, Search, backup, expand};
use crate::chess::{Line, PackedMove};
use crate::eval::{Answers, EvalError, Evaluator};
use crate::tablebase::RootVerdict;

impl Search {
    /// Moves the tree to the requested position and expands the root. Returns
    /// the visits that earlier searches left there.
    pub(super) fn prepare_root(
        &mut self,
        request: &Request<'_>,
        evaluators: &mut [Box<dyn Evaluator>],
    ) -> Result<u64, EvalError> {
        let verdict = tablebase_verdict(request);
        self.verdict = verdict.as_ref().map(|v| (Score::of_root(v.result), v.probes));
        let allowed = verdict.map(|v| v.moves).or_else(|| allowed_moves(request));
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
            // A proof without edges came from rules or tables; the game goes on.
            root.prove(Score::Estimate(root.score().q()));
            self.expand_root(request, evaluators, allowed)?;
        }
        self.root_keys = if altered { Vec::new() } else { keys(request.line) };
        Ok(carried)
    }

    /// Keeps the subtree if the new line continues the old one.
    fn follow(&mut self, line: &Line) {
        let new = keys(line);
        let known = self.root_keys.len();
        if known == 0 || known > new.len() || new[..known] != self.root_keys {
            self.tree.reset();
            return;
        }
        let moves: Option<Vec<PackedMove>> = line.plies()[known - 1..]
            .windows(2)
            .map(|pair| move_between(&pair[0], &pair[1]))
            .collect();
        match moves {
            Some(moves) => {
                self.tree.advance(&moves);
            }
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
                evaluator.push(plies, &moves);
                evaluator.run(&mut answers)?;
                if answers.is_empty() {
                    return Err(EvalError("the network gave no answer".into()));
                }
                let (value, logits) = answers.get(0);
                priors.copy_from_slice(logits);
                expand::softmax(&mut priors, request.params.policy_temperature);
                self.cache.insert(key, value, &priors)
            }
        };
        let kept = |m: &Move| allowed.as_ref().is_none_or(|list| list.contains(m));
        let (kept_moves, mut kept_priors): (Vec<Move>, Vec<f32>) =
            moves.iter().zip(&priors).filter(|(m, _)| kept(m)).map(|(m, p)| (*m, *p)).unzip();
        normalize(&mut kept_priors);
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
        backup::book(&self.tree.arena, &[self.tree.root_index()], -value.q(), value.draw);
        Ok(())
    }
}

/// What the tables say, unless the user wants certain moves searched.
fn tablebase_verdict(request: &Request<'_>) -> Option<RootVerdict> {
    let tables = request.tablebases.filter(|_| request.limits.searchmoves.is_empty())?;
    tables.root_verdict(&request.line.last().position)
}

/// The root moves that the user wants searched, when they are not simply all.
fn allowed_moves(request: &Request<'_>) -> Option<Vec<Move>> {
    let wanted = &request.limits.searchmoves;
    let legal = request.line.legal_moves().into_iter();
    let moves: Vec<Move> = legal.filter(|m| wanted.contains(&PackedMove::new(*m))).collect();
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

fn keys(line: &Line) -> Vec<u64> {
    line.plies().iter().map(|ply| ply.key).collect()
}

/// The move that was played between two neighboring positions.
fn move_between(before: &crate::chess::Ply, after: &crate::chess::Ply) -> Option<PackedMove> {
    before.position.legal_moves().into_iter().find_map(|m| {
        let mut next = before.position.clone();
        next.play_unchecked(m);
        (next.board() == after.position.board()).then(|| PackedMove::new(m))
    })
}
