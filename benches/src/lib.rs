//! What the benches share: lines to work on, the same on every run.

use engine::chess::Line;
use shakmaty::Chess;

/// Lines from seeded random play, 24 to 55 plies long: many pieces, full
/// histories, either side to move.
pub fn middlegames(count: usize) -> Vec<Line> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
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
