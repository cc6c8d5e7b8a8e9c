//! Time to encode one position, to key it for the cache, and to index all its
//! legal moves, averaged over 48 middlegames. Run: `cargo bench -p benches`.

use benches::middlegames;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::encode::{Encoder, PolicyMap};
use shakmaty::MoveList;
use std::hint::black_box;

const LINES: usize = 48;

fn planes(criterion: &mut Criterion) {
    let lines = middlegames(LINES);
    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Elements(1));
    for encoder in Encoder::ALL {
        let mut out = vec![0.0; encoder.planes() * 64];
        let mut next = (0..LINES).cycle();
        group.bench_function(encoder.name(), |bencher| {
            bencher.iter(|| {
                let line = &lines[next.next().unwrap_or(0)];
                encoder.encode(black_box(line.plies()), black_box(&mut out));
            });
        });
    }
    group.finish();
}

fn keys(criterion: &mut Criterion) {
    let lines = middlegames(LINES);
    let mut group = criterion.benchmark_group("cache_key");
    for encoder in Encoder::ALL {
        let mut next = (0..LINES).cycle();
        group.bench_function(encoder.name(), |bencher| {
            bencher.iter(|| {
                let line = &lines[next.next().unwrap_or(0)];
                encoder.cache_key(black_box(line.plies()))
            });
        });
    }
    group.finish();
}

fn indices(criterion: &mut Criterion) {
    let lines = middlegames(LINES);
    let moves: Vec<MoveList> = lines.iter().map(|line| line.legal_moves()).collect();
    let mut group = criterion.benchmark_group("index_all_moves");
    for policy in PolicyMap::ALL {
        let mut next = (0..LINES).cycle();
        group.bench_function(policy.name(), |bencher| {
            bencher.iter(|| {
                let at = next.next().unwrap_or(0);
                let position = &lines[at].last().position;
                let sum: usize = moves[at].iter().map(|m| policy.index(*m, position)).sum();
                sum
            });
        });
    }
    group.finish();
}

criterion_group!(benches, planes, keys, indices);
criterion_main!(benches);
