//! `Hash` is a hard bound, and a full tree goes on learning.

use std::time::{Duration, Instant};

use crate::driver::Engine;
use crate::info::Info;

const HASH_MB: usize = 16;
const TIME: Duration = Duration::from_secs(6);

/// Resident memory in MB, where the system tells.
fn resident_mb(process: u32) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

#[test]
fn a_full_tree_stays_within_its_memory_and_grows_on() {
    let hash = HASH_MB.to_string();
    let mut engine = Engine::start(&["--backend", "random", "--hash", &hash]);
    engine.ready();
    engine.send("position startpos");
    engine.send("go infinite");
    let end = Instant::now() + TIME;
    let (mut most, mut full_at, mut last) = (0, None, 0);
    while let Some((_, line)) = engine.next(end.saturating_duration_since(Instant::now())) {
        let Some(info) = Info::parse(&line) else { continue };
        most = most.max(resident_mb(engine.id()).unwrap_or(0));
        assert!(info.hashfull <= 1000, "{line}");
        assert!(info.nodes >= last, "visits were lost: {line}");
        last = info.nodes;
        if info.hashfull >= 900 {
            full_at.get_or_insert(info.nodes);
        }
    }
    let end = Info::last(&engine.stop()).nodes;
    let full_at = full_at.expect("the tree never filled up");
    assert!(end > full_at + full_at / 4, "full at {full_at} nodes, {end} at the end");
    assert!(most < HASH_MB + 100, "{most} MB resident");
    println!("{most} MB resident with Hash {HASH_MB}; full at {full_at} nodes, {end} at the end");
}

#[test]
fn hash_can_be_changed_between_searches() {
    let mut engine = Engine::random();
    for megabytes in ["1", "64", "2", "128"] {
        engine.set("Hash", megabytes);
        engine.send("position startpos");
        let lines = engine.go("go nodes 3000");
        assert!(Info::last(&lines).nodes >= 3000, "Hash {megabytes}: {:?}", lines.last());
    }
}
