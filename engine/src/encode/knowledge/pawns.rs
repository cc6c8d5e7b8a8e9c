//! Pawn structure: a board in, masks of pawns and squares out.
//!
//! Everything is worked out for pawns that move up the board; black ones are
//! turned round before and after.

use shakmaty::{Bitboard, Board};

const A_FILE: u64 = 0x0101_0101_0101_0101;
const H_FILE: u64 = A_FILE << 7;
const RANKS_3_AND_4: u64 = 0x0000_0000_ffff_0000;

/// Pawns with no enemy pawn ahead on their own or a neighboring file.
pub fn passed(board: &Board) -> Bitboard {
    let (white, black) = pawns(board);
    let guarded = |pawns| ahead(pawns) | sideways(ahead(pawns));
    let passed_white = white & !guarded(black.swap_bytes()).swap_bytes();
    let passed_black = black & !guarded(white);
    Bitboard(passed_white | passed_black)
}

/// Pawns with no pawn of their own side on a neighboring file.
pub fn isolated(board: &Board) -> Bitboard {
    let (white, black) = pawns(board);
    let alone = |pawns: u64| pawns & !sideways(files(pawns));
    Bitboard(alone(white) | alone(black))
}

/// Squares of each side's third and fourth rank that its pawns attack neither
/// now nor after advancing.
pub fn weak_squares(board: &Board) -> Bitboard {
    let (white, black) = pawns(board);
    let holes = |pawns| RANKS_3_AND_4 & !sideways(ahead(pawns));
    Bitboard(holes(white) | holes(black.swap_bytes()).swap_bytes())
}

fn pawns(board: &Board) -> (u64, u64) {
    ((board.pawns() & board.white()).0, (board.pawns() & board.black()).0)
}

/// All squares above the pawns on their files.
fn ahead(pawns: u64) -> u64 {
    let mut fill = pawns << 8;
    fill |= fill << 8;
    fill |= fill << 16;
    fill | fill << 32
}

/// The whole files of the pawns.
fn files(pawns: u64) -> u64 {
    let up = pawns | ahead(pawns);
    up | ahead(up.swap_bytes()).swap_bytes()
}

/// The squares left and right of these.
fn sideways(squares: u64) -> u64 {
    (squares & !H_FILE) << 1 | (squares & !A_FILE) >> 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;
    use shakmaty::{Position, Square};

    fn board(fen: &str) -> Board {
        parse_fen(fen, false).unwrap().board().clone()
    }

    fn squares(list: &[Square]) -> Bitboard {
        list.iter().copied().collect()
    }

    #[test]
    fn passed_on_three_files() {
        // b6 guards a5's way and the other way round, h7 and h4 meet; d5 and
        // e3 have passed each other.
        let board = board("4k3/7p/1p6/P2P4/7P/4p3/8/4K3 w - - 0 1");
        assert_eq!(passed(&board), squares(&[Square::D5, Square::E3]));
    }

    #[test]
    fn a_pawn_level_or_behind_stops_nobody() {
        let board = board("4k3/8/8/3Pp3/8/8/8/4K3 w - - 0 1");
        assert_eq!(passed(&board), squares(&[Square::D5, Square::E5]));
    }

    #[test]
    fn isolated_without_neighbors_at_any_rank() {
        // a2 and b6 are neighbors; d4 and h3 are alone; black's h7 too. The
        // a-file and the h-file do not touch.
        let board = board("4k3/7p/1P6/8/3P4/7P/P7/4K3 w - - 0 1");
        assert_eq!(isolated(&board), squares(&[Square::D4, Square::H3, Square::H7]));
    }

    #[test]
    fn weak_squares_are_beyond_all_pawns() {
        // White d2 guards c3, e3 and by advancing c4, e4. Black c5 guards b4,
        // d4 and below, none of its ranks 5 and 6; its h7 guards g6 and g5.
        let board = board("4k3/7p/8/2p5/8/8/3P4/4K3 w - - 0 1");
        let white = RANKS_3_AND_4
            & !(squares(&[Square::C3, Square::E3]).0)
            & !(squares(&[Square::C4, Square::E4]).0);
        let black = (RANKS_3_AND_4 << 16) & !(squares(&[Square::G6, Square::G5]).0);
        assert_eq!(weak_squares(&board), Bitboard(white | black));
    }
}
