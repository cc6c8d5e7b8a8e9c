//! Any bytes as a network file: opened or refused, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = engine::eval::Network::from_bytes("fuzz.onnx", bytes.to_vec());
});
