//! Positions that are mirror images, left and right, look the same to `threats`
//! and have the same moves in `exchange3716`.

use super::lines::{line, random_play};
use crate::chess::Ply;
use crate::encode::{Encoder, PolicyMap};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Bitboard, CastlingMode, Chess, EnPassantMode, FromSetup, Move, Position};

/// The same without castling rights, which no mirror image has, and perhaps
/// turned over.
fn plain(ply: &Ply, turned: bool) -> Ply {
    let mut setup = ply.position.to_setup(EnPassantMode::Always);
    setup.castling_rights = Bitboard::EMPTY;
    if turned {
        setup.board.flip_horizontal();
        setup.ep_square = setup.ep_square.map(|square| square.flip_horizontal());
    }
    let position = Chess::from_setup(setup, CastlingMode::Standard).unwrap();
    let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
    Ply { position, key, ..*ply }
}

fn turned_move(m: Move) -> Move {
    match m {
        Move::Normal { role, from, capture, to, promotion } => {
            let (from, to) = (from.flip_horizontal(), to.flip_horizontal());
            Move::Normal { role, from, capture, to, promotion }
        }
        Move::EnPassant { from, to } => {
            Move::EnPassant { from: from.flip_horizontal(), to: to.flip_horizontal() }
        }
        Move::Castle { .. } | Move::Put { .. } => unreachable!("{m:?}"),
    }
}

fn check(last: &Ply) {
    let (one, other) = (plain(last, false), plain(last, true));
    let seen = |ply: &Ply| {
        let mut planes = vec![f32::NAN; Encoder::Threats.planes() * 64];
        Encoder::Threats.encode(std::slice::from_ref(ply), &mut planes);
        planes
    };
    assert!(seen(&one) == seen(&other), "{:?}", one.position);
    let (one, other) = (&one.position, &other.position);
    let policy = PolicyMap::Exchange;
    assert_eq!(one.legal_moves().len(), other.legal_moves().len());
    for m in one.legal_moves() {
        let turned = turned_move(m);
        assert!(other.is_legal(turned));
        assert_eq!(policy.index(m, one), policy.index(turned, other), "{m:?} {one:?}");
    }
}

#[test]
fn mirror_images_look_alike() {
    random_play(2_000, false, |line| check(line.last()));
    random_play(500, true, |line| check(line.last()));
    check(line("8/2P5/8/2k5/3pP3/8/1p4K1/R7 b - e3 0 1", "").last());
    check(line("1r6/P6k/8/8/8/8/8/1K6 w - - 90 80", "").last());
}

#[test]
fn castling_rights_tell_mirror_images_apart() {
    // The same board from either side, but one rook has moved.
    let seen = |fen| {
        let mut planes = vec![f32::NAN; Encoder::Threats.planes() * 64];
        Encoder::Threats.encode(line(fen, "").plies(), &mut planes);
        planes
    };
    let may = seen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    let may_not = seen("r3k2r/8/8/8/8/8/8/R3K2R w Qk - 0 1");
    let differing: Vec<usize> = (0..may.len()).filter(|i| may[*i] != may_not[*i]).collect();
    // Our h1, their a8.
    assert_eq!(differing, [174 * 64 + 7, 175 * 64 + 56]);
}
