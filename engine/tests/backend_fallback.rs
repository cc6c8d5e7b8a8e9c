//! What happens without a usable runtime, and when a named backend is not there.
//! One test, because a process loads one runtime for good.

use engine::eval::{Backend, BackendSettings, Network, Runtime, open_backend};
use engine::onnx::{NetworkSpec, random_network};
use std::sync::Arc;

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
    assert_eq!(opened.backend, Backend::Rust);
    assert_eq!(opened.notes.len(), 1);
    assert!(opened.notes[0].contains("cargo build"), "{:?}", opened.notes);
    for backend in [Backend::Cpu, Backend::Cuda, Backend::Coreml] {
        settings.backend = backend;
        assert!(refusal(&settings).contains("/no/such/libonnxruntime.so"));
    }

    // A failed search is not for good: the next one may find the library.
    settings.runtime_library = None;
    let Ok(runtime) = Runtime::load(None) else { return };
    settings.backend = Backend::Auto;
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
    assert!(opened.runtime_version.is_some() && opened.notes[0].contains("restart"));
}
