//! Time to write a network of 6 blocks and 64 channels, and the speeds of its
//! f16 and int8 files as multiples of f32's. Run: `cargo bench -p benches --bench export`.

use benches::small_network::{calibration, small};
use criterion::{Criterion, criterion_group, criterion_main};
use engine::eval::Network;
use std::hint::black_box;
use std::sync::Arc;
use trainer::export::{Metadata, Options, Precision, SpeedSettings, build, quantize, speed};

fn options(precision: Precision) -> Options {
    Options { precision, metadata: Metadata::default() }
}

fn writing(criterion: &mut Criterion) {
    let (architecture, weights) = small();
    let mut group = criterion.benchmark_group("export");
    for (name, precision) in [("f32", Precision::F32), ("f16", Precision::F16)] {
        let options = options(precision);
        group.bench_function(name, |bencher| {
            bencher.iter(|| build(&architecture, black_box(&weights), &options));
        });
    }
    group.finish();
}

/// Not criterion's kind of measurement: the networks must take turns.
fn speeds(_: &mut Criterion) {
    let (architecture, weights) = small();
    let calibration = calibration(&architecture);
    let f32 = build(&architecture, &weights, &options(Precision::F32));
    let f16 = build(&architecture, &weights, &options(Precision::F16));
    let int8 = quantize(&architecture, &weights, &calibration, &Metadata::default());
    let mut networks = Vec::new();
    for (name, file) in [("f32", f32), ("f16", f16), ("int8", int8)] {
        match file {
            Ok(file) => networks.extend(Network::from_bytes(name, file).ok().map(Arc::new)),
            Err(error) => println!("{name}: {error}"),
        }
    }
    match speed(&networks, &SpeedSettings::default()) {
        Ok(speeds) => {
            for (network, of) in networks.iter().zip(&speeds) {
                let cell = |(s, base): (&engine::eval::Speed, &engine::eval::Speed)| {
                    let ratio = s.positions_per_second / base.positions_per_second;
                    format!(
                        "batch {}: {:.0} positions/s ({ratio:.2} x)",
                        s.batch, s.positions_per_second
                    )
                };
                let cells: Vec<String> = of.iter().zip(&speeds[0]).map(cell).collect();
                println!("{:5} {}", network.name(), cells.join(", "));
            }
        }
        Err(error) => println!("{error}"),
    }
}

criterion_group!(benches, writing, speeds);
criterion_main!(benches);
