//! Any bytes as a UCI line: parsed or refused, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let line = String::from_utf8_lossy(bytes);
    if let Err(error) = engine::uci::parse(&line) {
        assert!(error.to_string().len() < 400);
    }
});
