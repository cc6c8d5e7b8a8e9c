//! Training steps of the `small` preset per second.
//!
//! `ARBOR_BENCH_PYTHON` names a Python with PyTorch, which then trains the same
//! network in turns with ours, on as many threads. The convolution alone is
//! measured against burn's own.

use benches::torch::Torch;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Distribution, Tensor};
use engine::search::Random;
use std::time::Instant;
use trainer::config::preset;
use trainer::dataset::Batch;
use trainer::model::{conv3x3, initial_weights};
use trainer::train::{Learner, LearnerParts, keep_freed_memory};

const BATCH: usize = 256;
const STEPS: usize = 4;
const ROUNDS: usize = 6;

fn main() {
    // As `trainer train` does.
    keep_freed_memory();
    let threads = rayon::ThreadPoolBuilder::new().build().unwrap();
    threads.install(|| {
        steps();
        convolution();
    });
}

fn steps() {
    let mut torch = Torch::start(ROUNDS, STEPS, BATCH);
    let mut learner = learner();
    let batch = batch();
    learner.step(std::slice::from_ref(&batch), 1e-3);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let began = Instant::now();
        for _ in 0..STEPS {
            learner.step(std::slice::from_ref(&batch), 1e-3);
        }
        ours.push((STEPS * BATCH) as f64 / began.elapsed().as_secs_f64());
        theirs.extend(torch.as_mut().map(Torch::round));
    }
    let ours = median(ours);
    println!("small, batch {BATCH}: {ours:.0} positions/s");
    match theirs.is_empty() {
        true => println!("PyTorch: not measured (set ARBOR_BENCH_PYTHON)"),
        false => {
            let theirs = median(theirs);
            println!("PyTorch: {theirs:.0} positions/s; ours is {:.2} times that", ours / theirs);
        }
    }
}

fn learner() -> Learner {
    let config = preset("small");
    let weights = initial_weights(&config.model, 1);
    let parts = LearnerParts {
        architecture: &config.model,
        loss: &config.loss,
        optimizer: &config.optimizer,
        weights: &weights,
        average: None,
        reference: None,
    };
    Learner::new(parts, Device::flex())
}

/// Random, but shaped like real positions.
fn batch() -> Batch {
    const WIDTH: usize = 48;
    let mut random = Random::new(1);
    let mut chance = |share: f64| random.unit() < share;
    let planes = (0..BATCH * 18 * 64).map(|_| f32::from(chance(0.1) as u8)).collect();
    let moves = (0..BATCH * WIDTH).map(|i| (i * 97 % 4672) as i32).collect();
    let policy = (0..BATCH * WIDTH).map(|i| f32::from((i % WIDTH == 0) as u8)).collect();
    Batch {
        size: BATCH,
        planes,
        width: WIDTH,
        moves,
        legal: vec![1.0; BATCH * WIDTH],
        policy,
        wdl: [0.5, 0.3, 0.2].repeat(BATCH),
        value_weight: vec![1.0; BATCH],
        moves_left: vec![-1.0; BATCH],
        weight: vec![1.0; BATCH],
    }
}

/// Forward and backward pass of one layer of the tower.
fn convolution() {
    let device = Device::flex().autodiff();
    let random = Distribution::Uniform(-1.0, 1.0);
    let weight = Tensor::<4>::random([64, 64, 3, 3], random, &device).require_grad();
    let bias = Tensor::<1>::zeros([64], &device).require_grad();
    let last = Tensor::<3>::random([BATCH, 64, 64], random, &device).require_grad();
    let first = Tensor::<4>::random([BATCH, 64, 8, 8], random, &device).require_grad();
    let options = || ConvOptions::new([1, 1], [1, 1], [1, 1], 1);
    let ours = || conv3x3(last.clone(), weight.clone(), bias.clone(), false).sum().backward();
    let burns =
        || conv2d(first.clone(), weight.clone(), Some(bias.clone()), options()).sum().backward();
    let time = |pass: &dyn Fn()| {
        let began = Instant::now();
        pass();
        began.elapsed().as_secs_f64() * 1e3
    };
    let (mut our_times, mut burn_times) = (Vec::new(), Vec::new());
    for _ in 0..8 {
        our_times.push(time(&|| drop(ours())));
        burn_times.push(time(&|| drop(burns())));
    }
    let (ours, burns) = (median(our_times), median(burn_times));
    println!(
        "3x3 convolution, 64 channels, batch {BATCH}, forward and backward: {ours:.1} ms, \
         burn's {burns:.1} ms, {:.1} times as quick",
        burns / ours
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
