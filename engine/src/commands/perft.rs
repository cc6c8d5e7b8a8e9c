//! `engine perft FEN DEPTH`: counts the leaves of the legal move tree.

use std::io::{self, Write};
use std::time::Instant;

use shakmaty::{Position, perft};

use crate::chess::parse_fen;

/// Prints the count below every root move, then the total.
pub fn run(fen: &str, depth: u32, out: &mut dyn Write) -> io::Result<()> {
    let position = parse_fen(fen, false)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, format!("{fen}: {error}")))?;
    let start = Instant::now();
    let mut total = 0;
    if depth == 0 {
        total = 1;
    } else {
        for m in position.legal_moves() {
            let mut child = position.clone();
            child.play_unchecked(m);
            let nodes = perft(&child, depth - 1);
            writeln!(out, "{}: {nodes}", m.to_uci(position.castles().mode()))?;
            total += nodes;
        }
    }
    let seconds = start.elapsed().as_secs_f64().max(1e-9);
    writeln!(out, "{total} nodes")?;
    writeln!(out, "{:.0} nps", total as f64 / seconds)
}
