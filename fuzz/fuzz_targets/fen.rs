//! Any text as a FEN: a playable position or a reason why not.
#![no_main]

use engine::chess::{Line, parse_fen};

libfuzzer_sys::fuzz_target!(|text: &str| {
    for chess960 in [false, true] {
        if let Ok(position) = parse_fen(text, chess960) {
            let mut line = Line::new(position);
            if let Some(&m) = line.legal_moves().first() {
                line.push(m);
            }
        }
    }
});
