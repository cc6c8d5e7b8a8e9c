//! Lines to test with: from text, and from seeded random play.

use crate::chess::{Line, parse_fen, parse_move};
use crate::encode::Encoder;
use shakmaty::{Bitboard, Board, CastlingMode, Chess, FromSetup, Rank, Setup};
use std::path::{Path, PathBuf};

pub fn line(fen: &str, moves: &str) -> Line {
    let mut line = Line::new(parse_fen(fen, false).unwrap());
    for text in moves.split_whitespace() {
        let m = parse_move(&line.last().position, text)
            .unwrap_or_else(|| panic!("{text} in {fen} {moves}"));
        line.push(m);
    }
    line
}

/// The planes of a line's last position, into a buffer full of rubbish.
pub fn planes(encoder: Encoder, line: &Line) -> Vec<f32> {
    let mut out = vec![f32::NAN; encoder.planes() * 64];
    encoder.encode(line.plies(), &mut out);
    out
}

/// A file of `tests/data`.
pub fn data(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path: PathBuf = root.join("../tests/data").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// One of the 960 starts, by its Scharnagl number.
pub fn chess960(number: u32) -> Chess {
    let board = Board::chess960(number);
    let home = Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth);
    let castling_rights = board.rooks() & home;
    let setup = Setup { board, castling_rights, ..Setup::initial() };
    Chess::from_setup(setup, CastlingMode::Chess960).unwrap()
}

/// Plays seeded random games and shows every position until `count` have been
/// seen. Games start from the usual position or, `any_start`, from all 960.
pub fn random_play(count: usize, any_start: bool, mut show: impl FnMut(&Line)) {
    let mut random = XorShift(0x9e37_79b9_7f4a_7c15);
    let mut shown = 0;
    while shown < count {
        let start = if any_start { chess960(random.below(960) as u32) } else { Chess::default() };
        let mut line = Line::new(start);
        while shown < count && line.len() < 200 {
            show(&line);
            shown += 1;
            let moves = line.legal_moves();
            if moves.is_empty() {
                break;
            }
            line.push(moves[random.below(moves.len())]);
        }
    }
}

struct XorShift(u64);

impl XorShift {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
