//! What happens without a usable runtime, and when a named backend is not there.
//! One test, because a process loads one runtime for good.

use engine::eval::{Backend, BackendSettings, Network, Runtime, open_backend};
use engine::onnx::{Dim, GraphBuilder, NetworkSpec, layers, random_network};
use std::sync::Arc;

/// With an operator that only a runtime knows.
fn odd_network() -> Arc<Network> {
    let mut graph = GraphBuilder::new("odd");
    let batch = Dim::Open("batch");
    let x = graph.input("planes", &[batch, Dim::Fixed(18), Dim::Fixed(8), Dim::Fixed(8)]);
    let weights = |name, outputs: usize| (name, vec![0.01; 18 * outputs], vec![0.0; outputs]);
    let (name, weight, bias) = weights("policy", 73);
    let layer = layers::Weights { name, inputs: 18, outputs: 73, weight: &weight, bias: &bias };
    let y = layers::conv(&mut graph, &x, &layer, 1);
    let y = graph.node("Neg", &[&y], &[]);
    let y = layers::flatten(&mut graph, &y);
    graph.output(&y, "policy", &[batch, Dim::Fixed(4672)]);
    let (name, weight, bias) = weights("value", 3);
    let layer = layers::Weights { name, inputs: 18, outputs: 3, weight: &weight, bias: &bias };
    let y = graph.node("GlobalAveragePool", &[&x], &[]);
    let y = layers::flatten(&mut graph, &y);
    let y = layers::dense(&mut graph, &y, &layer);
    graph.output(&y, "wdl", &[batch, Dim::Fixed(3)]);
    for (key, value) in [
        ("arbor.format", "1"),
        ("arbor.encoder", "basic18"),
        ("arbor.policy", "az4672"),
        ("arbor.value", "wdl"),
    ] {
        graph.metadata(key, value);
    }
    Arc::new(Network::from_bytes("odd.onnx", graph.finish()).unwrap())
}

#[test]
fn auto_falls_back_with_a_note_and_a_name_never_does() {
    let network = Network::from_bytes("tiny.onnx", random_network(&NetworkSpec::default()));
    let mut settings = BackendSettings {
        network: Some(Arc::new(network.unwrap())),
        runtime_library: Some("/no/such/libonnxruntime.so".into()),
        ..BackendSettings::default()
    };
    let refusal = |settings: &BackendSettings| open_backend(settings).err().unwrap().to_string();

    let opened = open_backend(&settings).unwrap();
    assert_eq!(opened.backend, Backend::Native);
    assert_eq!(opened.notes.len(), 1);
    assert!(opened.notes[0].contains("ONNX Runtime is not used"), "{:?}", opened.notes);
    let odd = BackendSettings { network: Some(odd_network()), ..settings.clone() };
    let opened = open_backend(&odd).unwrap();
    assert_eq!(opened.backend, Backend::Rust);
    assert!(opened.notes[0].contains("cargo build"), "{:?}", opened.notes);
    let native = BackendSettings { backend: Backend::Native, ..odd };
    assert!(refusal(&native).contains("operator Neg"));
    for backend in [Backend::Cpu, Backend::Cuda, Backend::Coreml] {
        settings.backend = backend;
        assert!(refusal(&settings).contains("/no/such/libonnxruntime.so"));
    }

    // A failed search is not for good: the next one may find the library.
    settings.runtime_library = None;
    let Ok(runtime) = Runtime::load(None) else { return };
    settings.backend = Backend::Auto;
    let opened = open_backend(&settings).unwrap();
    assert_eq!((opened.backend, opened.notes.len()), (Backend::Native, 0));
    settings.network = Some(odd_network());
    let opened = open_backend(&settings).unwrap();
    assert_ne!(opened.backend, Backend::Rust);
    assert_eq!(opened.runtime_version, Some(runtime.version.clone()));
    for backend in Backend::ALL {
        settings.backend = backend;
        let Some(provider) = backend.provider().filter(|p| !p.compiled_in()) else { continue };
        let text = refusal(&settings);
        assert!(text.contains(&format!("has no {provider}")), "{text}");
    }

    // Another library cannot be loaded now: named, an error; auto, a note.
    settings.backend = Backend::Cpu;
    settings.runtime_library = Some("/another/libonnxruntime.so".into());
    assert!(refusal(&settings).contains("restart"));
    settings.backend = Backend::Auto;
    let opened = open_backend(&settings).unwrap();
    assert!(opened.notes[0].contains("restart"), "{:?}", opened.notes);
}
