//! Whole searches, with random evaluations in place of a network.

use super::*;
use crate::chess::{parse_fen, parse_move};
use crate::encode::Encoder;
use crate::eval::{EvaluatorSource, RandomSource};
use std::sync::Mutex;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

struct Bench {
    search: Search,
    evaluators: Vec<Box<dyn Evaluator>>,
    params: Params,
    signals: Signals,
    multipv: usize,
}

struct Outcome {
    totals: Totals,
    info: Info,
    infos: Vec<Info>,
    best: Option<String>,
}

impl Bench {
    fn new(workers: usize, hash_mb: usize) -> Bench {
        let source = RandomSource { seed: 5 };
        Bench {
            search: Search::new(hash_mb).unwrap(),
            evaluators: (0..workers).map(|_| source.create(8).unwrap()).collect(),
            params: Params::default(),
            signals: Signals::default(),
            multipv: 1,
        }
    }

    fn go(&mut self, line: &Line, limits: Limits) -> Outcome {
        self.signals.reset();
        let events = Mutex::new(Vec::new());
        let request = Request {
            multipv: self.multipv,
            ..request(line, &limits, &self.params, &self.signals)
        };
        let sink = |event| events.lock().unwrap().push(event);
        let totals = self.search.run(&request, &mut self.evaluators, &sink);
        let events = events.into_inner().unwrap();
        let infos: Vec<Info> = events
            .iter()
            .filter_map(|e| if let Event::Info(i) = e { Some(i.clone()) } else { None })
            .collect();
        let Some(Event::Best { best, mode, .. }) = events.last() else { panic!("no best move") };
        let best = best.map(|m| m.to_uci(*mode).to_string());
        Outcome { totals, info: infos.last().unwrap().clone(), infos, best }
    }

    fn nodes(&mut self, line: &Line, nodes: u64) -> Outcome {
        self.go(line, Limits { nodes: Some(nodes), ..Limits::default() })
    }

    /// Nothing is under way, and every parent's visits are its children's plus
    /// its own first one. Two workers that write to the same place of the cache
    /// at once lose one entry, and its leaf is evaluated twice: rare, and never
    /// with one worker.
    fn check_statistics(&self) {
        let mut stack = vec![self.search.tree.root_index()];
        let (mut nodes, mut again) = (0, 0);
        while let Some(index) = stack.pop() {
            let node = self.search.tree.node(index);
            assert_eq!(node.in_flight(), 0);
            let children: Vec<_> = node.children(&self.search.tree.arena).collect();
            let sum: u32 = children.iter().map(|(_, child)| child.visits()).sum();
            if node.is_expanded() && !node.score().is_proven() {
                assert!(node.visits() > sum, "{} visits, {sum} below", node.visits());
                again += node.visits() - sum - 1;
            }
            nodes += 1;
            let unvisited = node.unvisited(&self.search.tree.arena).count();
            assert_eq!((children.len() + unvisited) as u32, node.move_count());
            stack.extend(children.iter().map(|(index, _)| *index));
        }
        let most = if self.evaluators.len() == 1 { 0 } else { nodes / 1000 + 1 };
        assert!(again <= most, "{again} of {nodes} evaluated again");
    }
}

/// What the random evaluations depend on.
fn key(plies: &[Ply]) -> u64 {
    Encoder::Basic18.cache_key(plies)
}

/// A plain request that starts now.
fn request<'a>(
    line: &'a Line,
    limits: &'a Limits,
    params: &'a Params,
    signals: &'a Signals,
) -> Request<'a> {
    Request {
        line,
        limits,
        params,
        tablebases: None,
        cache_key: &key,
        signals,
        started: Instant::now(),
        overhead: Duration::ZERO,
        multipv: 1,
        verbose: false,
    }
}

fn line(fen: &str, moves: &str) -> Line {
    let mut line = Line::new(parse_fen(fen, false).unwrap());
    for text in moves.split_whitespace() {
        line.push(parse_move(&line.last().position, text).unwrap());
    }
    line
}

#[test]
fn forced_mates_are_proven_and_played() {
    for (fen, best, moves) in [
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", 1),
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", "", 2),
        // Black mates with both rooks; the win is the same from the other side.
        ("1r5k/r7/8/8/8/8/8/7K b - - 0 1", "", 2),
    ] {
        let outcome = Bench::new(1, 16).nodes(&line(fen, ""), 200_000);
        assert_eq!(outcome.info.lines[0].score, ShownScore::Mate(moves), "{fen}");
        if !best.is_empty() {
            assert_eq!(outcome.best.as_deref(), Some(best));
        }
        assert!(outcome.totals.visits < 200_000, "a proven root ends the search");
    }
}

#[test]
fn being_mated_is_reported_as_such() {
    // Every king move allows a rook mate.
    let outcome = Bench::new(1, 16).nodes(&line("7k/R7/8/8/8/8/8/1R5K b - - 0 1", ""), 50_000);
    assert_eq!(outcome.info.lines[0].score, ShownScore::Mate(-1));
    assert_eq!(outcome.info.lines[0].wdl, [0, 0, 1000]);
}

#[test]
fn positions_without_moves_have_no_best_move() {
    let mated = Bench::new(1, 1).nodes(&line("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1", ""), 10);
    assert_eq!((mated.best, mated.info.lines[0].score), (None, ShownScore::Mate(0)));
    let stalemate = Bench::new(1, 1).nodes(&line("7k/5Q2/8/8/8/8/8/7K b - - 0 1", ""), 10);
    assert_eq!(stalemate.info.lines[0].score, ShownScore::Centipawns(0));
}

#[test]
fn node_limits_are_exact_and_searches_repeat() {
    let start = line(START, "");
    let first = Bench::new(1, 16).nodes(&start, 5000);
    let second = Bench::new(1, 16).nodes(&start, 5000);
    assert_eq!(first.info.nodes, 5000);
    assert_eq!(first.totals.evaluations, second.totals.evaluations);
    assert_eq!(first.best, second.best);
    assert_eq!(first.info.lines[0].pv, second.info.lines[0].pv);
}

#[test]
fn statistics_add_up_with_four_workers() {
    let mut bench = Bench::new(4, 64);
    let outcome = bench.nodes(&line(START, "e2e4 e7e5"), 60_000);
    assert_eq!(outcome.info.nodes, 60_000);
    bench.check_statistics();
}

#[test]
fn depths_rise_one_by_one() {
    let outcome = Bench::new(2, 64).go(
        &line(START, ""),
        Limits { movetime: Some(Duration::from_millis(400)), ..Limits::default() },
    );
    let depths: Vec<u32> = outcome.infos.iter().map(|info| info.depth).collect();
    assert_eq!(depths[0], 1);
    assert!(depths.windows(2).all(|d| d[1] == d[0] || d[1] == d[0] + 1), "{depths:?}");
}

#[test]
fn the_tree_is_reused_along_the_game() {
    let mut bench = Bench::new(1, 16);
    let outcome = bench.nodes(&line(START, ""), 4000);
    let pv = &outcome.info.lines[0].pv;
    let mut next = line(START, "");
    next.push(pv[0]);
    next.push(pv[1]);
    let second = bench.nodes(&next, 4000);
    assert!(second.totals.carried > 10, "{:?}", second.totals);
    assert_eq!(second.totals.carried + second.totals.visits, 4000);
    bench.check_statistics();
    // Another game: nothing is carried over.
    let other = bench.nodes(&line(START, "a2a4 h7h5"), 4000);
    assert_eq!(other.totals.carried, 0);
}

#[test]
fn a_full_arena_is_recycled_and_the_search_goes_on() {
    for workers in [1, 3] {
        let mut bench = Bench::new(workers, 1);
        let outcome = bench.nodes(&line(START, "d2d4 d7d5"), 100_000);
        assert!(outcome.totals.recyclings > 0);
        assert_eq!(outcome.info.nodes, 100_000);
        assert!(bench.search.tree.arena.used() <= bench.search.tree.arena.capacity());
        assert!(outcome.info.hashfull <= 1000);
        // The advance to the next move works on the stripped tree as well.
        let mut next = line(START, "d2d4 d7d5");
        next.push(outcome.info.lines[0].pv[0]);
        assert_eq!(bench.nodes(&next, 100_000).info.nodes, 100_000);
    }
}

#[test]
fn a_repetition_in_the_tree_is_a_draw_but_no_proof() {
    // The knights went out and came back once.
    let repeated = line(START, "g1f3 g8f6 f3g1 f6g8");
    assert!(!expand::is_repetition(&repeated, 0), "a single repetition at the root is no draw");
    assert!(expand::is_repetition(&repeated, 4));
    assert!(!expand::is_repetition(&repeated, 3), "the first occurrence is before the root");
    let third = line(START, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
    assert!(expand::is_repetition(&third, 0));
}

#[test]
fn searchmoves_restrict_the_root() {
    let start = line(START, "");
    let wanted: Vec<_> = ["a2a3", "h2h4"]
        .iter()
        .map(|t| crate::chess::PackedMove::new(parse_move(&start.last().position, t).unwrap()))
        .collect();
    let mut bench = Bench::new(1, 16);
    bench.multipv = 10;
    let limits = Limits { nodes: Some(500), searchmoves: wanted, ..Limits::default() };
    let outcome = bench.go(&start, limits);
    assert_eq!(outcome.info.lines.len(), 2);
    assert!(["a2a3", "h2h4"].contains(&outcome.best.unwrap().as_str()));
    // The restricted tree does not leak into the next search.
    assert_eq!(bench.nodes(&start, 500).info.lines.len(), 10);
}

#[test]
fn transposed_positions_are_evaluated_once() {
    let mut bench = Bench::new(1, 64);
    let outcome = bench.nodes(&line("8/8/4k3/8/8/4K3/8/8 w - - 0 1", ""), 10);
    assert_eq!(outcome.totals.evaluations, 0, "insufficient material needs no network");
    let outcome = bench.nodes(&line("8/p7/4k3/8/8/4K3/P7/8 w - - 0 1", ""), 20_000);
    assert!(outcome.totals.cache_hits > outcome.totals.evaluations, "{:?}", outcome.totals);
    // A second search from scratch finds nearly everything in the cache; only
    // the order of visits differs, since nothing waits for a batch.
    bench.search.clear_tree();
    let again = bench.nodes(&line("8/p7/4k3/8/8/4K3/P7/8 w - - 0 1", ""), 20_000);
    assert!(again.totals.evaluations * 50 < outcome.totals.evaluations, "{:?}", again.totals);
}

#[test]
fn noise_and_search_contempt_change_the_search() {
    let start = line(START, "");
    let visits = |params: Params| {
        let mut bench = Bench::new(1, 16);
        bench.multipv = 20;
        bench.params = params;
        let outcome = bench.nodes(&start, 3000);
        bench.check_statistics();
        outcome.info.lines.iter().map(|l| l.pv[0].to_string()).collect::<Vec<_>>()
    };
    let plain = visits(Params::default());
    assert_eq!(plain, visits(Params::default()));
    assert_ne!(plain, visits(Params { noise_epsilon: 0.9, ..Params::default() }));
    assert_ne!(plain, visits(Params { contempt_freeze: 4, ..Params::default() }));
    assert_ne!(plain, visits(Params { uncertainty_bonus: 2.0, ..Params::default() }));
    assert_ne!(plain, visits(Params { draw_sibling_fpu: 1.0, ..Params::default() }));
    assert_ne!(plain, visits(Params { spread_scale: 1.0, ..Params::default() }));
}

#[test]
fn values_fade_as_the_fifty_move_clock_runs() {
    let value = |clock: u32, damping: f32| {
        let mut bench = Bench::new(1, 16);
        bench.params.clock_damping = damping;
        bench.nodes(&line(&format!("8/p7/4k3/8/8/4K3/P7/8 w - - {clock} 80"), ""), 1);
        let root = bench.search.tree.root();
        (root.score().q(), root.draw())
    };
    let (q, draw) = value(60, 0.0);
    let (faded, nearly_drawn) = value(60, 0.5);
    assert!((faded - 0.7 * q).abs() < 1e-4, "{q} {faded}");
    assert!((1.0 - nearly_drawn - 0.7 * (1.0 - draw)).abs() < 1e-4, "{draw} {nearly_drawn}");
    assert_eq!(value(0, 0.5), value(0, 0.0));
}

#[test]
fn the_clock_ends_a_search_in_time() {
    let mut bench = Bench::new(2, 16);
    let clock = |ms| Limits { white: Some(Duration::from_millis(ms)), ..Limits::default() };
    let outcome = bench.go(&line(START, ""), clock(1000));
    assert!(outcome.totals.elapsed < Duration::from_millis(500), "{:?}", outcome.totals.elapsed);
    // A single legal move is played at once.
    let forced = bench.go(&line("7k/8/8/8/8/8/r7/1r5K w - - 0 1", ""), clock(60_000));
    assert!(forced.totals.elapsed < Duration::from_millis(100), "{:?}", forced.totals.elapsed);
}

#[test]
fn stop_and_ponderhit_release_the_answer() {
    let mut bench = Bench::new(1, 16);
    let signals = std::sync::Arc::new(Signals::default());
    let start = line(START, "");
    let limits = Limits { infinite: true, ..Limits::default() };
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let remote = signals.clone();
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(80));
            remote.stop();
        });
        let request = request(&start, &limits, &bench.params, &signals);
        bench.search.run(&request, &mut bench.evaluators, &|_| {});
    });
    let took = begin.elapsed();
    assert!(took >= Duration::from_millis(80) && took < Duration::from_millis(300), "{took:?}");
}

/// Cells that the tree can reach.
fn reachable_cells(bench: &Bench) -> usize {
    let tree = &bench.search.tree;
    let (mut stack, mut count) = (vec![tree.root_index()], 0);
    while let Some(index) = stack.pop() {
        let node = tree.node(index);
        count += 1 + slots::cells(node.move_count()) as usize;
        stack.extend(node.children(&tree.arena).map(|(child, _)| child));
    }
    count
}

#[test]
fn a_game_in_little_memory_loses_no_cell() {
    let mut bench = Bench::new(1, 1);
    let mut game = line(START, "");
    for _ in 0..12 {
        let outcome = bench.nodes(&game, 3000);
        for m in outcome.info.lines[0].pv.iter().take(2) {
            game.push(*m);
        }
    }
    let arena = &bench.search.tree.arena;
    let mut pool = arena::CellPool::default();
    let mut free = 0;
    while pool.ensure(arena, arena::Purpose::Node, 1) {
        pool.take(arena, arena::Purpose::Node);
        free += 1;
    }
    assert_eq!(reachable_cells(&bench) + free + 1, arena.capacity());
}

#[test]
fn lines_stay_legal_while_memory_is_recycled() {
    let mut bench = Bench::new(4, 1);
    bench.multipv = 40;
    let start = line(START, "d2d4 d7d5");
    let limits = Limits { movetime: Some(Duration::from_millis(2500)), ..Limits::default() };
    let outcome = bench.go(&start, limits);
    assert!(outcome.totals.recyclings > 0);
    for pv_line in outcome.infos.iter().flat_map(|info| &info.lines) {
        let mut position = start.last().position.clone();
        for m in &pv_line.pv {
            assert!(position.is_legal(*m), "{m:?} in {:?}", pv_line.pv);
            position.play_unchecked(*m);
        }
    }
}

#[test]
fn another_fifty_move_clock_is_another_game() {
    let mut bench = Bench::new(1, 16);
    let fen = |clock| format!("7k/8/8/8/8/8/R7/1R5K w - - {clock} 80");
    let late = bench.nodes(&line(&fen(99), ""), 2000);
    assert_eq!(late.info.lines[0].score, ShownScore::Centipawns(0), "no mate before the draw");
    let early = bench.nodes(&line(&fen(0), ""), 20_000);
    assert_eq!(early.totals.carried, 0);
    assert_eq!(early.info.lines[0].score, ShownScore::Mate(2));
}

#[test]
fn time_lost_before_the_search_is_not_taken_for_its_lag() {
    let mut bench = Bench::new(1, 16);
    let start = line(START, "");
    let limits = Limits { white: Some(Duration::from_secs(2)), ..Limits::default() };
    let signals = Signals::default();
    let request = Request {
        started: Instant::now() - Duration::from_secs(3),
        ..request(&start, &limits, &bench.params, &signals)
    };
    bench.search.run(&request, &mut bench.evaluators, &|_| {});
    assert!(bench.search.reaction < Duration::from_millis(500), "{:?}", bench.search.reaction);
}
