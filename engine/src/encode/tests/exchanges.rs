//! The quick verdicts on exchanges against a slow search of the same rules.

use super::lines::{line, random_play};
use crate::encode::knowledge::exchanges::{gain, loses, winning, worth};
use shakmaty::{Board, Chess, Color, Move, Piece, Position, Role, Square};

/// What `side` wins on a square if it may take there or stop.
fn wins(board: &Board, square: Square, side: Color) -> i32 {
    let Some(victim) = board.role_at(square) else { return 0 };
    let mine = board.attacks_to(square, side, board.occupied());
    let by_worth = Role::ALL.into_iter().map(|role| mine & board.by_role(role));
    let Some(from) = by_worth.flat_map(|pieces| pieces.first()).next() else { return 0 };
    let mut after = board.clone();
    let Some(taker) = after.remove_piece_at(from) else { return 0 };
    after.set_piece_at(square, taker);
    let guarded = after.attacks_to(square, !side, after.occupied()).any();
    if taker.role == Role::King && guarded {
        return 0;
    }
    (worth(victim) - wins(&after, square, !side)).max(0)
}

fn loses_slowly(position: &Chess, m: Move) -> bool {
    let (side, mut board) = (position.turn(), position.board().clone());
    let (Move::Normal { from, to, .. } | Move::EnPassant { from, to }) = m else { return false };
    let role = m.promotion().unwrap_or(m.role());
    let promoted = worth(role) - worth(m.role());
    board.discard_piece_at(from);
    if m.is_en_passant() {
        board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
    }
    board.set_piece_at(to, Piece { color: side, role });
    m.capture().map_or(0, worth) + promoted < wins(&board, to, !side)
}

fn check(position: &Chess, losing: &mut usize) {
    for m in position.legal_moves() {
        let expected = loses_slowly(position, m);
        *losing += usize::from(expected);
        assert_eq!(loses(position.board(), m, position.turn()), expected, "{m:?} {position:?}");
    }
    for turn in Color::ALL {
        let (squares, best) = winning(position.board(), turn);
        assert_eq!(best, gain(position.board(), turn), "{position:?}");
        assert!((squares & !position.board().by_color(!turn)).is_empty());
        assert!(squares.is_empty() || best > 0);
    }
}

#[test]
fn random_positions() {
    let mut losing = 0;
    random_play(3_000, false, |line| check(&line.last().position, &mut losing));
    random_play(500, true, |line| check(&line.last().position, &mut losing));
    assert!(losing > 1_000, "{losing} moves lose");
}

#[test]
fn crowded_positions() {
    let mut losing = 0;
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "1rbr2k1/q4ppp/2n1p3/1N1pP3/P2P1Pn1/3BQN2/1R4PP/3R2K1 b - - 0 1",
        "3rr1k1/1bqnbppp/p2p1n2/1pp1p3/3PP3/1BN1BN2/PPQ2PPP/3RR1K1 w - - 0 1",
    ] {
        check(&line(fen, "").last().position, &mut losing);
    }
    assert!(losing > 10, "{losing} moves lose");
}
