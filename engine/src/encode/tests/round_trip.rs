//! Every legal move has an index of its own and comes back from it.

use super::lines::{chess960, random_play};
use crate::encode::PolicyMap;
use shakmaty::{
    Bitboard, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, Move, Position,
};
use std::collections::HashMap;

/// Checks one position; returns the number of castlings in it.
fn check(position: &Chess) -> usize {
    let moves = position.legal_moves();
    for policy in PolicyMap::ALL {
        let mut together = Vec::new();
        policy.add_indices(&moves, position, &mut together);
        let alone = moves.iter().map(|m| policy.index(*m, position) as u16);
        assert!(alone.eq(together), "{}: {position:?}", policy.name());
        let mut by_index = HashMap::new();
        for m in &moves {
            let index = policy.index(*m, position);
            assert!(index < policy.len(), "{m:?}");
            let before = by_index.insert(index, *m);
            assert_eq!(before, None, "{} has {m:?} at the same index", policy.name());
            assert_eq!(policy.to_move(index, position), Some(*m), "{}", policy.name());
        }
    }
    moves.iter().filter(|m| matches!(m, Move::Castle { .. })).count()
}

#[test]
fn ten_thousand_random_positions() {
    random_play(10_000, false, |line| {
        check(&line.last().position);
    });
}

#[test]
fn random_positions_of_chess960() {
    let mut castlings = 0;
    random_play(4_000, true, |line| castlings += check(&line.last().position));
    assert!(castlings > 100);
}

#[test]
fn an_index_of_no_legal_move_is_none() {
    let position = Chess::default();
    for policy in PolicyMap::ALL {
        let known = (0..policy.len()).filter(|i| policy.to_move(*i, &position).is_some()).count();
        assert_eq!(known, 20);
        assert_eq!(policy.to_move(policy.len(), &position), None);
        assert_eq!(policy.to_move(usize::MAX, &position), None);
    }
}

/// The start with only pawns, kings and the rooks that may castle to `sides`,
/// so that nothing stands in the way.
fn cleared(number: u32, turn: Color, sides: &[CastlingSide]) -> Chess {
    let start = chess960(number);
    let rooks: Bitboard = Color::ALL
        .iter()
        .flat_map(|color| sides.iter().filter_map(|side| start.castles().rook(*color, *side)))
        .collect();
    let mut setup = start.to_setup(EnPassantMode::Legal);
    for square in setup.board.occupied() & !setup.board.pawns() & !setup.board.kings() & !rooks {
        setup.board.discard_piece_at(square);
    }
    setup.castling_rights = rooks;
    setup.turn = turn;
    Chess::from_setup(setup, CastlingMode::Chess960).unwrap()
}

#[test]
fn castling_from_every_start() {
    use CastlingSide::{KingSide, QueenSide};
    let mut both_at_once = 0;
    for number in 0..960 {
        for turn in Color::ALL {
            // A lone rook may always castle; with two, one can be in the way.
            assert_eq!(check(&cleared(number, turn, &[KingSide])), 1, "start {number}");
            assert_eq!(check(&cleared(number, turn, &[QueenSide])), 1, "start {number}");
            both_at_once += check(&cleared(number, turn, &[KingSide, QueenSide])) / 2;
        }
    }
    assert!(both_at_once > 960);
}
