//! Judging a position without looking ahead. In: positions. Out: centipawns,
//! and what they are worth in points.

use super::tables::{BARE_KING, bonus, worth};
use shakmaty::{Board, Chess, Color, Position, Role};

/// Material alone, White's less Black's.
pub fn material(board: &Board) -> i32 {
    let side = |color| {
        let count = |role: Role| board.by_piece(role.of(color)).count() as i32;
        Role::ALL.iter().map(|&role| worth(role) * count(role)).sum::<i32>()
    };
    side(Color::White) - side(Color::Black)
}

/// Material and piece-square bonuses, in view of the side to move.
pub fn evaluate(position: &Chess) -> i32 {
    let board = position.board();
    let phase = phase(board);
    let balance = side(board, Color::White, phase) - side(board, Color::Black, phase);
    position.turn().fold_wb(balance, -balance)
}

/// Expected points, 0 to 1, of a side so many centipawns ahead: the logistic
/// curve of the Elo scale, where a pawn is worth 100 Elo and ten to one is 400.
pub fn expected_points(centipawns: i32) -> f64 {
    1.0 / (1.0 + 10_f64.powf(f64::from(-centipawns) / 400.0))
}

/// The inverse of [`expected_points`], at most 1200 either way: a finite number
/// of games cannot tell a certain win from 999 in a thousand.
pub fn centipawns(expected_points: f64) -> i32 {
    let points = expected_points.clamp(0.001, 0.999);
    (400.0 * (points / (1.0 - points)).log10()).round() as i32
}

const FULL_PHASE: i32 = 24;

/// How much is left besides pawns: 24 at the start, 0 when only pawns are.
fn phase(board: &Board) -> i32 {
    let minors = (board.knights() | board.bishops()).count();
    let phase = minors + 2 * board.rooks().count() + 4 * board.queens().count();
    (phase as i32).min(FULL_PHASE)
}

fn side(board: &Board, color: Color, phase: i32) -> i32 {
    let mut sum = 0;
    for &role in &Role::ALL {
        let table = bonus(role);
        for square in board.by_piece(role.of(color)) {
            let place = table.at(color, square);
            sum += match role {
                Role::King => {
                    let bare = BARE_KING.at(color, square);
                    (place * phase + bare * (FULL_PHASE - phase)) / FULL_PHASE
                }
                _ => worth(role) + place,
            };
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::baseline::tests::KIWIPETE;
    use engine::chess::parse_fen;
    use shakmaty::{CastlingMode, EnPassantMode};

    fn judge(fen: &str) -> i32 {
        evaluate(&parse_fen(fen, false).unwrap())
    }

    #[test]
    fn colors_are_judged_alike() {
        for fen in
            [KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "8/8/1k6/8/8/8/6KP/8 b - -"]
        {
            let position = parse_fen(fen, false).unwrap();
            let setup = position.to_setup(EnPassantMode::Legal).into_mirrored();
            let mirrored: Chess = setup.position(CastlingMode::Standard).unwrap();
            assert_ne!(mirrored.turn(), position.turn());
            assert_ne!(evaluate(&position), 0);
            assert_eq!(evaluate(&position), evaluate(&mirrored), "{fen}");
            assert_eq!(material(position.board()), -material(mirrored.board()), "{fen}");
        }
    }

    #[test]
    fn the_start_is_even_and_a_passed_turn_changes_the_sign() {
        assert_eq!(evaluate(&Chess::default()), 0);
        assert_eq!(judge(KIWIPETE), -judge(&KIWIPETE.replace(" w ", " b ")));
    }

    #[test]
    fn places_matter() {
        assert!(judge("4k3/8/8/8/3N4/8/8/4K3 w - -") > judge("4k3/8/8/8/8/8/8/N3K3 w - -"));
        assert!(judge("4k3/4P3/8/8/8/8/8/4K3 w - -") > judge("4k3/8/8/8/4P3/8/8/4K3 w - -"));
        // A king belongs in the corner among queens, in the center without.
        let queens = |king: &str| judge(&format!("qrrqk3/8/8/8/{king}/8/8/QRRQ4 w - -"));
        let alone = |king: &str| judge(&format!("4k3/8/8/8/{king}/7P/8/8 w - -"));
        assert!(queens("K7") > queens("4K3"));
        assert!(alone("K7") < alone("4K3"));
    }

    #[test]
    fn points_and_centipawns_agree() {
        assert_eq!(expected_points(0), 0.5);
        assert!((expected_points(400) - 10.0 / 11.0).abs() < 1e-12);
        for score in [-900, -30, 0, 30, 900] {
            assert_eq!(centipawns(expected_points(score)), score);
        }
        assert_eq!((centipawns(1.0), centipawns(0.0)), (1200, -1200));
    }
}
