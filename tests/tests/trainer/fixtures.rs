//! Training data that needs no teacher: positions of random games, labeled by
//! counting pieces one move ahead.

use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, Move, Position, Role};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::driver::run_ok;

/// Lines as the labeled CSV has them: FEN; best move; score; win draw loss.
pub fn labeled_positions(count: usize, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = String::new();
    let mut position = Chess::default();
    for _ in 0..count {
        if position.is_game_over() || position.fullmoves().get() > 60 {
            position = Chess::default();
        }
        let (best, score) = greedy(&position);
        let fen = Fen::from_position(&position, EnPassantMode::Legal);
        let uci = best.to_uci(shakmaty::CastlingMode::Standard);
        let win = (500 + score / 2).clamp(0, 1000);
        let _ = writeln!(text, "{fen};{uci};cp {score};{win} 0 {}", 1000 - win);
        let moves = position.legal_moves();
        let played = match dice.roll().is_multiple_of(2) {
            true => best,
            false => moves[(dice.roll() % moves.len() as u64) as usize],
        };
        position.play_unchecked(played);
    }
    text
}

/// Shards of such positions, in a folder of their own.
pub fn shards(folder: &Path, count: usize) -> PathBuf {
    let file = folder.join("labeled.csv");
    std::fs::write(&file, labeled_positions(count, 7)).unwrap();
    // Blocks small enough for some of them to be kept for validation.
    run_ok(folder, &["import-epd", "labeled.csv", "--out", "shards", "--block", "20"]);
    folder.join("shards")
}

/// The move that leaves the mover most material, and that balance.
fn greedy(position: &Chess) -> (Move, i32) {
    let us = position.turn();
    let scored = position.legal_moves().into_iter().map(|m| {
        let mut after = position.clone();
        after.play_unchecked(m);
        (m, material(&after, us))
    });
    scored.max_by_key(|(_, score)| *score).unwrap()
}

fn material(position: &Chess, us: Color) -> i32 {
    let worth = [(Role::Pawn, 100), (Role::Knight, 300), (Role::Bishop, 320), (Role::Rook, 500)];
    let side = |color: Color| -> i32 {
        let pieces = position.board().material_side(color);
        let queens = i32::from(pieces.queen) * 900;
        queens + worth.iter().map(|(role, value)| i32::from(pieces[*role]) * value).sum::<i32>()
    };
    side(us) - side(!us)
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
