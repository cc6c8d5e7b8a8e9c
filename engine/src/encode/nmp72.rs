//! `nmp72`: four boards, the usual rights and counters, and planes of chess
//! knowledge that a small network would otherwise spend layers on.
//!
//! | planes | content |
//! |---|---|
//! | 12n + 0-5 | our pawns, knights, bishops, rooks, queens, king, n plies ago |
//! | 12n + 6-11 | theirs |
//! | 48 | ones |
//! | 49 | move number / 200 |
//! | 50-53 | castling rights: our king side, our queen side, theirs, theirs |
//! | 54 | en-passant target square, where the capture is legal |
//! | 55 | half-move clock / 100 |
//! | 56 | the position stood on the board before: 0.5 once, 1 more often |
//! | 57 | ones if we are in check |
//! | 58, 59 | squares we attack, squares they attack |
//! | 60 | in our king zone: their attackers of the square / 4, at most 1 |
//! | 61 | in our king zone: our defenders of the square but the king / 4, at most 1 |
//! | 62, 63 | on each knight: mobility / 8; on each bishop: mobility / 13 |
//! | 64 | passed pawns |
//! | 65 | isolated pawns |
//! | 66 | weak squares |
//! | 67 | on d4, e4, d5, e5: (our attackers - theirs) / 4, within -1 and 1 |
//! | 68 | pinned pieces |
//! | 69 | hanging pieces |
//! | 70 | pieces that attack a more valuable piece |
//! | 71 | trapped pieces |
//!
//! Boards before the start of the line are zero. Planes 62-66 and 68-71 show
//! both sides; the piece planes tell whose. The terms:
//!
//! - A piece *attacks* the squares it could capture on, its own pieces there
//!   included (that is defending); pins do not matter. Pawns attack diagonally.
//! - The *king zone* is the king's square and those next to it.
//! - *Mobility* is the number of attacked squares not held by an own piece.
//! - *Passed*: no enemy pawn ahead on the same or a neighboring file.
//!   *Isolated*: no own pawn on a neighboring file.
//! - *Weak*: a square of our ranks 3 and 4 that no pawn of ours attacks now or
//!   after advancing; likewise for them on our ranks 5 and 6.
//! - *Pinned*: the only piece between its king and an enemy slider aimed there.
//! - *Hanging*: attacked by the enemy, defended by nobody; never a king.
//! - Values: pawn 1, knight and bishop 3, rook 5, queen 9, king above all.
//! - *Trapped*: a knight, bishop, rook or queen with mobility below 2.

use super::knowledge::attacks::{self, Attacks};
use super::knowledge::{king, pawns};
use super::planes::Planes;
use super::view::View;
use crate::chess::Ply;
use shakmaty::{Bitboard, Board, Color, Position};

pub const PLANES: usize = 72;
pub const HISTORY: usize = 4;

const CENTER: Bitboard = Bitboard(0x0000_0018_1800_0000);

pub fn encode(plies: &[Ply], out: &mut [f32]) {
    let mut planes = Planes::zeroed(out);
    let Some(last) = plies.last() else { return };
    let view = View::of(last.turn());
    for (age, ply) in plies.iter().rev().take(HISTORY).enumerate() {
        planes.set_board(age * 12, &view.pieces(ply.position.board()));
    }
    state(&mut planes, last, view);
    knowledge(&mut planes, &view.board(last.position.board()));
}

/// Planes 48-57: what the rules keep beside the board.
fn state(planes: &mut Planes, ply: &Ply, view: View) {
    planes.fill(48, 1.0);
    planes.fill(49, ply.position.fullmoves().get() as f32 / 200.0);
    for (i, right) in view.castling(&ply.position).into_iter().enumerate() {
        planes.flag(50 + i, right);
    }
    planes.set(54, view.en_passant(&ply.position));
    planes.fill(55, ply.rule50() as f32 / 100.0);
    planes.fill(56, f32::from(ply.repetitions.min(2)) / 2.0);
    planes.flag(57, ply.position.is_check());
}

/// Planes 58-71, from a board on which we are White.
fn knowledge(planes: &mut Planes, board: &Board) {
    let attacks = Attacks::of(board);
    planes.set(58, attacks.white.0);
    planes.set(59, attacks.black.0);
    for square in king::zone(board, Color::White) {
        let bit = Bitboard::from_square(square).0;
        let attackers = attacks::attackers(board, square, Color::Black);
        let defenders = attacks::attackers(board, square, Color::White) & !board.kings();
        planes.set_to(60, bit, (attackers.count() as f32 / 4.0).min(1.0));
        planes.set_to(61, bit, (defenders.count() as f32 / 4.0).min(1.0));
    }
    for square in board.knights() {
        let bit = Bitboard::from_square(square).0;
        planes.set_to(62, bit, attacks.mobility(board, square) as f32 / 8.0);
    }
    for square in board.bishops() {
        let bit = Bitboard::from_square(square).0;
        planes.set_to(63, bit, attacks.mobility(board, square) as f32 / 13.0);
    }
    planes.set(64, pawns::passed(board).0);
    planes.set(65, pawns::isolated(board).0);
    planes.set(66, pawns::weak_squares(board).0);
    for square in CENTER {
        let ours = attacks::attackers(board, square, Color::White).count() as f32;
        let theirs = attacks::attackers(board, square, Color::Black).count() as f32;
        let bit = Bitboard::from_square(square).0;
        planes.set_to(67, bit, ((ours - theirs) / 4.0).clamp(-1.0, 1.0));
    }
    planes.set(68, king::pinned(board).0);
    planes.set(69, attacks.hanging(board).0);
    planes.set(70, attacks.attacking_upwards(board).0);
    planes.set(71, attacks.trapped(board).0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Line, parse_fen, parse_move};
    use shakmaty::Square;

    fn at(line: &Line, plane: usize, square: Square) -> f32 {
        let mut out = vec![f32::NAN; PLANES * 64];
        encode(line.plies(), &mut out);
        out[plane * 64 + square as usize]
    }

    #[test]
    fn counts_of_attackers_are_capped() {
        // Six attack d4, which is in the king's zone and the center.
        let fen = "4k3/3q2b1/2n1n3/5n2/8/2K5/8/3r4 w - - 0 1";
        let line = Line::new(parse_fen(fen, false).unwrap());
        assert_eq!(at(&line, 60, Square::D4), 1.0);
        assert_eq!(at(&line, 67, Square::D4), -1.0);
        assert_eq!(at(&line, 60, Square::C3), 0.25);
        assert_eq!(at(&line, 60, Square::B4), 0.25);
        // The king attacks d4 but does not count as its own zone's defender.
        assert_eq!(at(&line, 58, Square::D4), 1.0);
        assert_eq!(at(&line, 61, Square::D4), 0.0);
    }

    #[test]
    fn mobility_stops_at_own_pieces() {
        // Nb1 has a3, c3 and not d2; Bc1 has b2, a3 and not d2.
        let fen = "4k3/8/8/8/8/8/3P4/1NB1K3 w - - 0 1";
        let line = Line::new(parse_fen(fen, false).unwrap());
        assert_eq!(at(&line, 62, Square::B1), 2.0 / 8.0);
        assert_eq!(at(&line, 63, Square::C1), 2.0 / 13.0);
    }

    #[test]
    fn repetitions_in_halves() {
        let fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
        let mut line = Line::new(parse_fen(fen, false).unwrap());
        for expected in [0.5, 1.0, 1.0] {
            for text in ["a1b1", "e8d8", "b1a1", "d8e8"] {
                let m = parse_move(&line.last().position, text).unwrap();
                line.push(m);
            }
            assert_eq!(at(&line, 56, Square::A1), expected);
        }
    }
}
