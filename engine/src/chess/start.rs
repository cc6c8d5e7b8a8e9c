//! Positions and moves from text: FEN, X-FEN, Shredder-FEN and UCI moves.

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, FromSetup, Move, PositionError, PositionErrorKinds};
use thiserror::Error;

/// Why a FEN cannot be played from.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FenError {
    #[error("not a FEN ({0})")]
    Syntax(#[from] ParseFenError),
    #[error("not a playable position ({0})")]
    Illegal(String),
}

/// Reads a FEN. Castling rights without a rook and en-passant squares without a
/// pawn are dropped, as GUIs and other engines do; missing fields take their
/// defaults. `chess960` turns on castling from any home-rank squares; rights
/// that only Chess960 can have turn it on by themselves.
pub fn parse_fen(text: &str, chess960: bool) -> Result<Chess, FenError> {
    let setup = text.trim().parse::<Fen>()?.into_setup();
    let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::detect(&setup) };
    Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|e| FenError::Illegal(describe(e.kinds())))
}

/// Reads a move in UCI notation, castling as the king's two-square move or as
/// king takes rook; `None` if it is not legal here.
pub fn parse_move(position: &Chess, text: &str) -> Option<Move> {
    text.to_ascii_lowercase().parse::<UciMove>().ok()?.to_move(position).ok()
}

fn describe(kinds: PositionErrorKinds) -> String {
    let causes = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a side has more than one king"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the side that just moved is in check"),
    ];
    let named: Vec<&str> = causes
        .iter()
        .filter(|(kind, _)| kinds.intersects(*kind))
        .map(|(_, words)| *words)
        .collect();
    if named.is_empty() { format!("{kinds:?}") } else { named.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_cause() {
        let cause = |fen| parse_fen(fen, false).unwrap_err().to_string();
        assert!(cause("8/8/8/8/8/8/8/K7 w - - 0 1").contains("a king is missing"));
        assert!(cause("k7/8/8/8/8/8/8/RK6 w - - 0 1").contains("in check"));
        assert!(cause("kP6/8/8/8/8/8/8/K7 w - - 0 1").contains("pawn"));
        assert!(cause("hello").contains("not a FEN"));
    }

    #[test]
    fn harmless_faults_are_mended() {
        assert!(parse_fen("4k3/8/8/8/8/8/8/4K3 w KQkq e6 0 1", false).is_ok());
        assert!(parse_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w", false).is_ok());
    }

    #[test]
    fn castling_in_both_spellings() {
        let position = parse_fen("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", false).unwrap();
        assert_eq!(parse_move(&position, "e1g1"), parse_move(&position, "e1h1"));
        let shredder = parse_fen("1r2k1r1/8/8/8/8/8/6P1/1R2K1R1 w GBgb - 0 1", false).unwrap();
        assert!(matches!(parse_move(&shredder, "e1g1"), Some(Move::Castle { .. })));
        assert_eq!(parse_move(&shredder, "e1e9"), None);
    }
}
