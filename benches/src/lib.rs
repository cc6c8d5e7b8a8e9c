//! What the benches share: lines to work on, the same on every run, a network
//! and the engine's binary.

pub mod small_network;
pub mod torch;
pub mod uci_child;

use engine::chess::Line;
use engine::search::Random;
use shakmaty::Chess;
use std::path::PathBuf;

/// Lines from seeded random play, 24 to 55 plies long: many pieces, full
/// histories, either side to move.
pub fn middlegames(count: usize) -> Vec<Line> {
    let mut generator = Random::new(1);
    let mut random = |below: usize| (generator.next_u64() % below as u64) as usize;
    let mut lines = Vec::with_capacity(count);
    while lines.len() < count {
        let plies = 24 + random(32);
        let mut line = Line::new(Chess::default());
        while line.len() <= plies {
            let moves = line.legal_moves();
            if moves.is_empty() {
                break;
            }
            line.push(moves[random(moves.len())]);
        }
        if line.len() > plies && !line.legal_moves().is_empty() {
            lines.push(line);
        }
    }
    lines
}

/// The engine's binary, beside those of this profile.
pub fn engine_binary() -> Result<PathBuf, String> {
    let bench = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = bench.parent().and_then(|deps| deps.parent()).ok_or("no folder of binaries")?;
    let path = folder.join(format!("engine{}", std::env::consts::EXE_SUFFIX));
    path.is_file().then_some(path).ok_or("build the engine first".to_string())
}
