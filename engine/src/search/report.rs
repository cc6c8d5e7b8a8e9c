//! What the search tells the world: events, built from the tree.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use shakmaty::{CastlingMode, Chess, Move, Position};

use super::Totals;
use super::choose::{RootMove, ranked_children, ranked_root_moves};
use super::params::Params;
use super::score::{Score, TABLEBASE_PLIES};
use super::shared::Counters;
use super::tree::Tree;
use crate::chess::{Line, PackedMove};
use crate::encode::PolicyMap;
use crate::tablebase::Wdl;

/// Longest principal variation printed.
const LONGEST_PV: usize = 80;

/// Centipawns for a position won by the tablebases.
const TABLEBASE_CP: i32 = 20_000;

#[derive(Clone, Debug)]
pub enum Event {
    Info(Info),
    /// Statistics of every root move, for `VerboseMoveStats`.
    MoveStats(Vec<MoveStat>),
    /// A remark for the user.
    Note(String),
    /// The effort of the whole search, just before its answer.
    Totals(Totals),
    /// The answer; `None` when there is no legal move.
    Best {
        best: Option<Move>,
        ponder: Option<Move>,
        mode: CastlingMode,
    },
}

#[derive(Clone, Debug)]
pub struct Info {
    pub depth: u32,
    pub seldepth: u32,
    pub time: Duration,
    pub nodes: u64,
    pub nps: u64,
    pub hashfull: u32,
    pub tbhits: u64,
    pub lines: Vec<PvLine>,
    pub mode: CastlingMode,
}

/// One of the best lines.
#[derive(Clone, Debug)]
pub struct PvLine {
    pub score: ShownScore,
    /// Win, draw, loss per mille; they sum to 1000.
    pub wdl: [u16; 3],
    pub pv: Vec<Move>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownScore {
    Centipawns(i32),
    /// Moves to mate; negative when being mated.
    Mate(i32),
}

#[derive(Clone, Debug)]
pub struct MoveStat {
    /// `None` is the root itself.
    pub played: Option<Move>,
    /// The move's index in lc0's policy; for the root, the number of moves.
    pub number: usize,
    pub mode: CastlingMode,
    pub visits: u32,
    pub in_flight: u32,
    pub prior: f32,
    pub q: f32,
    pub draw: f32,
    pub exploration: f32,
}

impl PvLine {
    /// The tablebases know better than any estimate; only a mate that was
    /// found says more.
    pub fn trust_tablebase(&mut self, result: Wdl) {
        if matches!(self.score, ShownScore::Mate(_)) {
            return;
        }
        let score = match result {
            Wdl::Win => Score::Win(TABLEBASE_PLIES),
            Wdl::Loss => Score::Loss(TABLEBASE_PLIES),
            _ => Score::Draw,
        };
        let draw = if score == Score::Draw { 1.0 } else { 0.0 };
        self.score = ShownScore::new(score);
        self.wdl = wdl_permille(score.q(), draw);
    }
}

impl ShownScore {
    /// For the side that moves into a node with this score.
    pub fn new(score: Score) -> ShownScore {
        match score {
            Score::Win(plies) if plies < TABLEBASE_PLIES => {
                ShownScore::Mate(i32::from(plies / 2) + 1)
            }
            Score::Loss(plies) if plies < TABLEBASE_PLIES => {
                ShownScore::Mate(-(i32::from(plies) + 1) / 2)
            }
            Score::Win(_) => ShownScore::Centipawns(TABLEBASE_CP),
            Score::Loss(_) => ShownScore::Centipawns(-TABLEBASE_CP),
            Score::Draw => ShownScore::Centipawns(0),
            // lc0's curve, so that its users read familiar numbers.
            Score::Estimate(q) => {
                ShownScore::Centipawns((90.0 * (1.563_754_2 * q).tan()).round() as i32)
            }
        }
    }
}

/// Per mille with an exact sum.
pub fn wdl_permille(q: f32, draw: f32) -> [u16; 3] {
    let draw = draw.clamp(0.0, 1.0 - q.abs().min(1.0));
    let win = ((1.0 - draw + q) / 2.0).clamp(0.0, 1.0);
    let w = (win * 1000.0).round() as u16;
    let d = ((draw * 1000.0).round() as u16).min(1000 - w);
    [w, d, 1000 - w - d]
}

/// The state of the search in one `Info`; its `depth` is the mean leaf depth.
pub fn snapshot(
    tree: &Tree,
    line: &Line,
    multipv: usize,
    counters: &Counters,
    elapsed: Duration,
) -> Info {
    let visits = counters.visits.load(Relaxed);
    let mut lines: Vec<PvLine> = ranked_root_moves(tree)
        .iter()
        .take(multipv.max(1))
        .map(|root_move| PvLine {
            score: ShownScore::new(root_move.score),
            wdl: wdl_permille(root_move.score.q(), root_move.draw),
            pv: principal_variation(tree, line, root_move),
        })
        .collect();
    if lines.is_empty() {
        lines.push(unsearched(tree, &line.last().position));
    }
    Info {
        depth: mean_depth(counters),
        seldepth: counters.deepest.load(Relaxed).max(1),
        time: elapsed,
        nodes: u64::from(tree.root().visits()),
        nps: (visits as f64 / elapsed.as_secs_f64().max(1e-6)) as u64,
        hashfull: tree.fill_permille(),
        tbhits: counters.tablebase_hits.load(Relaxed),
        lines,
        mode: line.last().position.castles().mode(),
    }
}

/// Stopped before any move had a visit: the network's word on the position,
/// and its first choice.
fn unsearched(tree: &Tree, position: &Chess) -> PvLine {
    let root = tree.root();
    let first = root.unvisited(&tree.arena).next();
    PvLine {
        score: ShownScore::new(Score::Estimate(-root.score().q())),
        wdl: wdl_permille(-root.score().q(), root.draw()),
        pv: first.map(|edge| edge.packed_move().unpack(position)).into_iter().collect(),
    }
}

/// The one line for a position without moves.
pub fn game_over(position: &Chess, elapsed: Duration) -> Info {
    let mated = position.is_check();
    let score = if mated { ShownScore::Mate(0) } else { ShownScore::Centipawns(0) };
    let wdl = if mated { [0, 0, 1000] } else { [0, 1000, 0] };
    Info {
        depth: 0,
        seldepth: 0,
        time: elapsed,
        nodes: 0,
        nps: 0,
        hashfull: 0,
        tbhits: 0,
        lines: vec![PvLine { score, wdl, pv: Vec::new() }],
        mode: position.castles().mode(),
    }
}

/// Mean depth of the leaves of this search, at least 1.
pub fn mean_depth(counters: &Counters) -> u32 {
    let visits = counters.visits.load(Relaxed).max(1);
    ((counters.depth_sum.load(Relaxed) / visits) as u32).max(1)
}

/// The move and the best answers to it, as far as the tree was visited.
pub fn principal_variation(tree: &Tree, line: &Line, first: &RootMove) -> Vec<Move> {
    let mut position = line.last().position.clone();
    let mut pv = Vec::new();
    let mut next = Some(*first);
    while let Some(step) = next {
        pv.push(play(&mut position, step.played));
        next = ranked_children(tree, step.index).first().copied();
        if pv.len() >= LONGEST_PV {
            break;
        }
    }
    pv
}

fn play(position: &mut Chess, packed: PackedMove) -> Move {
    let m = packed.unpack(position);
    position.play_unchecked(m);
    m
}

/// Every root move, unvisited ones included, least visited first, and the root
/// itself at the end, as lc0 prints them.
pub fn move_stats(tree: &Tree, line: &Line, params: &Params) -> Vec<MoveStat> {
    let root = tree.root();
    let position = &line.last().position;
    let mode = position.castles().mode();
    let visits = root.visits().max(1);
    let explore = params.cpuct_root.at(visits) * (visits as f32).sqrt();
    let mut stats: Vec<MoveStat> = ranked_root_moves(tree)
        .iter()
        .map(|m| MoveStat {
            played: Some(m.played.unpack(position)),
            number: PolicyMap::Lc0.index(m.played.unpack(position), position),
            mode,
            visits: m.visits,
            in_flight: m.in_flight,
            prior: m.prior,
            q: m.score.q(),
            draw: m.draw,
            exploration: explore * m.prior / (1 + m.visits + m.in_flight) as f32,
        })
        .collect();
    for edge in root.unvisited(&tree.arena) {
        let played = edge.packed_move().unpack(position);
        stats.push(MoveStat {
            played: Some(played),
            number: PolicyMap::Lc0.index(played, position),
            mode,
            visits: 0,
            in_flight: 0,
            prior: edge.prior(),
            q: -root.score().q() - params.fpu_reduction_root,
            draw: root.draw(),
            exploration: explore * edge.prior(),
        });
    }
    stats.reverse();
    stats.push(MoveStat {
        played: None,
        number: root.move_count() as usize,
        mode,
        visits: root.visits(),
        in_flight: root.in_flight(),
        prior: 1.0,
        q: -root.score().q(),
        draw: root.draw(),
        exploration: 0.0,
    });
    stats
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_distances_count_moves() {
        assert_eq!(ShownScore::new(Score::Win(0)), ShownScore::Mate(1));
        assert_eq!(ShownScore::new(Score::Win(2)), ShownScore::Mate(2));
        assert_eq!(ShownScore::new(Score::Loss(1)), ShownScore::Mate(-1));
        assert_eq!(ShownScore::new(Score::Loss(3)), ShownScore::Mate(-2));
        assert_eq!(ShownScore::new(Score::Win(TABLEBASE_PLIES)), ShownScore::Centipawns(20_000));
    }

    #[test]
    fn wdl_sums_to_a_thousand() {
        for i in -20..=20 {
            for j in 0..=20 {
                let (q, d) = (i as f32 / 20.0, j as f32 / 20.0);
                assert_eq!(wdl_permille(q, d).iter().sum::<u16>(), 1000, "{q} {d}");
            }
        }
        assert_eq!(wdl_permille(0.0, 1.0), [0, 1000, 0]);
        assert_eq!(wdl_permille(1.0, 0.0), [1000, 0, 0]);
    }
}
