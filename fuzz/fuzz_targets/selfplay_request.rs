//! Any text as a request to `engine selfplay`: followed or refused, never a
//! panic. Games are kept short, so that wild settings cost no time.
#![no_main]

use engine::options::{Settings, Values};
use engine::selfplay::protocol::{Reply, Request};
use std::io::Cursor;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let input = match serde_json::from_str::<Request>(text) {
        Ok(Request::Play(mut job)) => {
            job.settings.visits = job.settings.visits.min(8);
            job.settings.adjudicate.max_plies = 8;
            serde_json::to_string(&Request::Play(job)).unwrap()
        }
        // It would open whatever file the text names.
        Ok(Request::Network { .. }) => return,
        _ => text.to_string(),
    };
    let mut values = Values::default();
    for (name, value) in [("Backend", "random"), ("Threads", "1"), ("Hash", "1")] {
        values.set(name, value).unwrap();
    }
    let mut replies = Vec::new();
    engine::selfplay::run(&Settings::new(&values), Cursor::new(input), &mut replies).unwrap();
    for line in String::from_utf8(replies).unwrap().lines() {
        serde_json::from_str::<Reply>(line).unwrap();
    }
});
