//! Time to write a network of 6 blocks and 64 channels, and the speeds of its
//! f16 and int8 files as multiples of f32's. Run: `cargo bench -p benches --bench export`.

use benches::middlegames;
use criterion::{Criterion, criterion_group, criterion_main};
use engine::encode::Encoder;
use engine::eval::Network;
use std::hint::black_box;
use std::sync::Arc;
use trainer::export::{Metadata, Options, Precision, SpeedSettings, build, quantize, speed};
use trainer::model::{Activation, Architecture, Body, Norm, ValueKind, Weights, random_weights};

fn small() -> (Architecture, Weights) {
    let architecture = Architecture {
        encoder: Encoder::Basic18,
        body: Body::Tower,
        hidden: 0,
        blocks: 6,
        channels: 64,
        squeeze: 16,
        attention_blocks: 0,
        norm: Norm::None,
        groups: 0,
        activation: Activation::Relu,
        policy_channels: 64,
        value: ValueKind::Wdl,
        value_channels: 32,
        value_hidden: 128,
        moves_left: false,
    };
    let weights = random_weights(&architecture, 1);
    (architecture, weights)
}

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
    let mut calibration = Vec::new();
    let mut planes = vec![0.0; architecture.encoder.planes() * 64];
    for line in middlegames(128) {
        architecture.encoder.encode(line.plies(), &mut planes);
        calibration.extend_from_slice(&planes);
    }
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
