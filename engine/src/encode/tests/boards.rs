//! Every encoder's piece planes give back the boards they came from.

use super::lines::{line, planes, random_play};
use crate::chess::Line;
use crate::encode::Encoder;
use shakmaty::{Board, Color, File, Piece, Position, Role, Square};

/// Planes from one board of history to the next.
fn stride(encoder: Encoder) -> usize {
    match encoder {
        Encoder::Basic18 | Encoder::Rich | Encoder::Tactics | Encoder::Threats | Encoder::Nmp72 => {
            12
        }
        Encoder::Az119 => 14,
        Encoder::Lc0 => 13,
    }
}

/// The board in twelve planes from `first` on, with us as White.
fn read_board(planes: &[f32], first: usize) -> Board {
    let mut board = Board::empty();
    for i in 0..12 {
        let color = Color::from_white(i < 6);
        let piece = Piece { color, role: Role::ALL[i % 6] };
        for square in Square::ALL {
            let value = planes[(first + i) * 64 + square as usize];
            assert!(value == 0.0 || value == 1.0, "plane {} {square}: {value}", first + i);
            if value == 1.0 {
                assert_eq!(board.piece_at(square), None);
                board.set_piece_at(square, piece);
            }
        }
    }
    board
}

fn seen_by(encoder: Encoder, mover: Color, board: &Board) -> Board {
    let mut seen = mover.fold_wb(board.clone(), board.clone().into_mirrored());
    let king = seen.king_of(Color::White).unwrap();
    if encoder == Encoder::Threats && king.file() <= File::D {
        seen.flip_horizontal();
    }
    seen
}

fn check(line: &Line) {
    for encoder in Encoder::ALL {
        let planes = planes(encoder, line);
        assert!(planes.iter().all(|x| x.is_finite()), "{} left gaps", encoder.name());
        for (age, ply) in line.plies().iter().rev().take(encoder.history()).enumerate() {
            let expected = seen_by(encoder, line.last().turn(), ply.position.board());
            assert_eq!(read_board(&planes, age * stride(encoder)), expected, "{}", encoder.name());
        }
    }
}

#[test]
fn boards_come_back() {
    random_play(2_000, false, check);
    random_play(500, true, check);
}

#[test]
fn no_history_is_made_up_but_by_lc0() {
    let line = line("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4");
    for encoder in [Encoder::Az119, Encoder::Nmp72] {
        let planes = planes(encoder, &line);
        for age in 2..encoder.history() {
            assert_eq!(read_board(&planes, age * stride(encoder)), Board::empty());
        }
    }
}

#[test]
fn an_empty_line_is_zero() {
    for encoder in Encoder::ALL {
        let mut out = vec![f32::NAN; encoder.planes() * 64];
        encoder.encode(&[], &mut out);
        assert!(out.iter().all(|x| *x == 0.0));
    }
}
