//! Needs the library that the build script fetches; without it the tests say so
//! and pass.

use super::*;
use crate::encode::{Encoder, PolicyMap};
use crate::eval::samples::{evaluate, lines, numbers_of};
use crate::eval::{Answers, RustBackend, ValueHead};
use crate::onnx::{NetworkSpec, random_network};

fn runtime() -> Option<Arc<Runtime>> {
    match Runtime::load(None) {
        Ok(runtime) => Some(runtime),
        Err(e) => {
            eprintln!("skipped: {e}");
            None
        }
    }
}

fn network(spec: &NetworkSpec) -> Arc<Network> {
    Arc::new(Network::from_bytes("generated.onnx", random_network(spec)).unwrap())
}

fn specs() -> Vec<NetworkSpec> {
    let mut specs = vec![
        NetworkSpec::tiny(Encoder::Basic18, PolicyMap::Az4672, ValueHead::Wdl),
        NetworkSpec::tiny(Encoder::Az119, PolicyMap::Az4672, ValueHead::Scalar),
        NetworkSpec::tiny(Encoder::Nmp72, PolicyMap::Az4672, ValueHead::Wdl),
        NetworkSpec::tiny(Encoder::Lc0, PolicyMap::Lc0, ValueHead::Wdl),
    ];
    specs[3].moves_left = true;
    specs
}

fn assert_close(a: &[f32], b: &[f32]) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() < 1e-3 * (1.0 + x.abs()), "{x} and {y}");
    }
}

#[test]
fn every_backend_gives_the_same_answers_in_every_batch_size() {
    for spec in specs() {
        let network = network(&spec);
        let rust = RustBackend::new(&network).unwrap();
        let expected = evaluate(&rust, 1);
        assert_close(&expected, &evaluate(&rust, 8));
        let Some(runtime) = runtime() else { continue };
        for provider in Provider::ALL.into_iter().filter(|p| p.compiled_in()) {
            let (runtime, network) = (Arc::clone(&runtime), Arc::clone(&network));
            let source = OnnxRuntime::new(runtime, network, provider, DeviceOptions::default());
            if provider != Provider::Cpu && source.create(1).is_err() {
                continue; // in the library, but this machine has no such device
            }
            for capacity in [1, 2, 3, 16] {
                assert_close(&expected, &evaluate(&source, capacity));
            }
        }
    }
}

#[test]
fn bound_batches_of_fixed_sizes_give_the_same_answers() {
    let Some(runtime) = runtime() else { return };
    let lines = lines();
    for spec in specs() {
        let network = network(&spec);
        let options = DeviceOptions::default();
        let cpu = OnnxRuntime::new(Arc::clone(&runtime), network, Provider::Cpu, options);
        let expected = evaluate(&cpu, 4);
        // The path of the devices, on the one device that every machine has.
        let layout = &cpu.network.layout;
        let session = cpu.session(6).unwrap();
        let mut device = DeviceEvaluator::new(session, layout, 6, Provider::Cpu, 0).unwrap();
        for _ in 0..3 {
            assert_close(&expected, &numbers_of(&mut device, &lines));
        }
        let session = cpu.session(2).unwrap();
        let mut device = DeviceEvaluator::new(session, layout, 2, Provider::Cpu, 0).unwrap();
        assert_close(&expected, &numbers_of(&mut device, &lines));
    }
}

#[test]
fn too_many_pushes_are_an_error_and_empty_the_batch() {
    let Some(runtime) = runtime() else { return };
    let network = network(&specs()[0]);
    let cpu = OnnxRuntime::new(runtime, network, Provider::Cpu, DeviceOptions::default());
    let mut evaluator = cpu.create(1).unwrap();
    let mut answers = Answers::default();
    let line = &lines()[0];
    evaluator.push(line.plies(), &line.legal_moves());
    evaluator.push(line.plies(), &line.legal_moves());
    assert!(evaluator.run(&mut answers).is_err());
    evaluator.push(line.plies(), &line.legal_moves());
    evaluator.run(&mut answers).unwrap();
    assert_eq!(answers.len(), 1);
}

#[test]
fn damaged_weights_are_an_error_not_a_crash() {
    let Some(runtime) = runtime() else { return };
    let bytes = random_network(&specs()[0]);
    // Flip bytes all over the file: whatever still opens must run or refuse.
    let mut answers = Answers::default();
    let line = &lines()[0];
    for at in (20..bytes.len()).step_by(bytes.len() / 60) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0xff;
        let Ok(network) = Network::from_bytes("flipped.onnx", bytes) else { continue };
        let runtime = Arc::clone(&runtime);
        let options = DeviceOptions::default();
        let cpu = OnnxRuntime::new(runtime, Arc::new(network), Provider::Cpu, options);
        let Ok(mut evaluator) = cpu.create(1) else { continue };
        evaluator.push(line.plies(), &line.legal_moves());
        let _ = evaluator.run(&mut answers);
    }
}

#[test]
fn messages_lose_their_source_code_places() {
    let text = "/src/bridge.cc:2043 Get() [ONNXRuntimeError] : 1 : FAIL : Failed to load\nx.so";
    assert_eq!(one_line(text), "Failed to load x.so");
    assert_eq!(one_line("plain words."), "plain words");
}
