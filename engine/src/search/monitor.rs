//! Watches a search between batches: when to speak, when to stop.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::choose::{RootMove, ranked_root_moves};
use super::report::{Event, mean_depth, move_stats, snapshot};
use super::score::Score;
use super::shared::Shared;
use super::{Request, Sink};
use crate::chess::PackedMove;
use crate::tablebase::Wdl;
use crate::time::Plan;

/// Without news, an info line this often.
const QUIET: Duration = Duration::from_millis(1000);
/// News (another best move) at most this often.
const NEWS: Duration = Duration::from_millis(50);
/// Costly questions are asked at most this often.
const LOOK: Duration = Duration::from_millis(2);

pub struct Monitor<'a> {
    request: &'a Request<'a>,
    shared: &'a Shared<'a>,
    sink: Sink<'a>,
    plan: Option<Plan>,
    /// What the tablebases say of the root.
    tablebase_result: Option<Wdl>,
    /// When the own clock started: at `go`, or at `ponderhit`.
    clock_start: Option<Instant>,
    only_move: bool,
    last_look: Instant,
    last_report: Instant,
    shown_depth: u32,
    shown_best: Option<PackedMove>,
    best: Option<PackedMove>,
    best_since: Instant,
}

impl<'a> Monitor<'a> {
    pub fn new(
        request: &'a Request<'a>,
        shared: &'a Shared<'a>,
        plan: Option<Plan>,
        tablebase_result: Option<Wdl>,
        sink: Sink<'a>,
    ) -> Monitor<'a> {
        let now = Instant::now();
        let mut monitor = Monitor {
            request,
            shared,
            sink,
            plan,
            tablebase_result,
            clock_start: (!request.limits.ponder).then_some(request.started),
            only_move: shared.tree.root().move_count() == 1,
            last_look: now,
            last_report: now,
            shown_depth: 0,
            shown_best: None,
            best: None,
            best_since: now,
        };
        monitor.publish_deadline();
        monitor
    }

    /// Called whenever the main worker looks up from its visits.
    pub fn look_up(&mut self) {
        if self.request.signals.is_stopped() {
            self.shared.halt();
            return;
        }
        self.update_contempt();
        if self.clock_start.is_none()
            && let Some(hit) = self.request.signals.ponderhit_time()
        {
            self.clock_start = Some(hit);
            self.publish_deadline();
        }
        let now = Instant::now();
        if self.is_depth_reached() || self.is_time_up(now) {
            self.shared.halt();
        }
        if now - self.last_look >= LOOK {
            self.last_look = now;
            self.look(now);
        }
    }

    fn is_pondering(&self) -> bool {
        self.clock_start.is_none()
    }

    /// The workers mind the hard end themselves, even in the middle of
    /// recycling memory.
    fn publish_deadline(&mut self) {
        let Some((start, plan)) = self.clock_start.zip(self.plan) else { return };
        if !self.request.limits.infinite {
            self.shared.set_deadline(start + plan.hard);
        }
    }

    fn is_depth_reached(&self) -> bool {
        let wanted = self.request.limits.depth.unwrap_or(u32::MAX);
        !self.is_pondering() && mean_depth(&self.shared.counters) >= wanted
    }

    fn is_time_up(&self, now: Instant) -> bool {
        if self.request.limits.infinite {
            return false;
        }
        let Some((start, plan)) = self.clock_start.zip(self.plan) else { return false };
        if self.only_move && self.on_clock() {
            return true;
        }
        let thought = now - start;
        // A best move that changed late in the budget deserves more time, in
        // proportion to how fresh the change is.
        let settled = (now - self.best_since).as_secs_f64() / plan.soft.as_secs_f64().max(1e-3);
        let patience = 1.0 + (0.5 - settled).max(0.0) * 2.0;
        thought >= plan.hard || thought >= plan.soft.mul_f64(patience)
    }

    /// A game with a clock, where unused time is worth something.
    fn on_clock(&self) -> bool {
        let limits = self.request.limits;
        limits.movetime.is_none() && (limits.white.is_some() || limits.black.is_some())
    }

    fn look(&mut self, now: Instant) {
        let walking = self.shared.tree.walk();
        let moves = ranked_root_moves(self.shared.tree);
        let Some(leader) = moves.first() else { return };
        if self.best != Some(leader.played) {
            (self.best, self.best_since) = (Some(leader.played), now);
        }
        drop(walking);
        if self.is_settled(now, &moves) || self.is_mate_found(leader) {
            self.shared.halt();
        }
        let depth = mean_depth(&self.shared.counters);
        let news = depth > self.shown_depth || self.shown_best != self.best;
        if now - self.last_report >= if news { NEWS } else { QUIET } {
            self.report(now);
        }
    }

    /// A draw costs the winning side; at equality it costs nothing.
    fn update_contempt(&self) {
        let root = self.shared.tree.root();
        let worth = -self.request.params.contempt * (-root.score().q()).max(0.0);
        self.shared.root_draw_value.store(worth.to_bits(), Relaxed);
    }

    fn is_mate_found(&self, leader: &RootMove) -> bool {
        match (self.request.limits.mate, leader.score) {
            (Some(moves), Score::Win(plies)) => u32::from(plies) / 2 < moves,
            _ => false,
        }
    }

    /// Smart pruning: no rival can catch the leader in the time that is left.
    fn is_settled(&self, now: Instant, moves: &[RootMove]) -> bool {
        let factor = self.request.params.smart_pruning;
        if factor <= 0.0 || !self.on_clock() || self.request.limits.infinite {
            return false;
        }
        let Some((start, plan)) = self.clock_start.zip(self.plan) else { return false };
        let elapsed = (now - self.request.started).as_secs_f64();
        let visits = self.shared.counters.visits.load(Relaxed) as f64;
        if visits < 100.0 || elapsed < 1e-3 {
            return false;
        }
        let left = plan.soft.saturating_sub(now - start).as_secs_f64();
        let possible = visits / elapsed * left / f64::from(factor);
        let mut counts: Vec<u32> = moves.iter().map(|m| m.visits).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let runner_up = counts.get(1).copied().unwrap_or(0);
        moves[0].visits == counts[0] && f64::from(counts[0] - runner_up) > possible
    }

    /// Prints the state, one line for each depth reached since the last.
    pub fn report(&mut self, now: Instant) {
        let request = self.request;
        let elapsed = now - request.started;
        let walking = self.shared.tree.walk();
        let mut info = snapshot(
            self.shared.tree,
            request.line,
            request.multipv,
            &self.shared.counters,
            elapsed,
        );
        let stats =
            request.verbose.then(|| move_stats(self.shared.tree, request.line, request.params));
        drop(walking);
        if let Some(result) = self.tablebase_result {
            info.lines.iter_mut().for_each(|line| line.trust_tablebase(result));
        }
        let reached = info.depth.max(self.shown_depth).max(1);
        for depth in self.shown_depth.max(1)..=reached {
            // A depth already shown is repeated only when it is the newest.
            if depth > self.shown_depth || depth == reached {
                info.depth = depth;
                (self.sink)(Event::Info(info.clone()));
            }
        }
        self.shown_depth = reached;
        self.shown_best = self.best;
        self.last_report = now;
        if let Some(stats) = stats {
            (self.sink)(Event::MoveStats(stats));
        }
    }
}
