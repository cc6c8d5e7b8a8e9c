//! `threats`: which piece stands where, and which pieces attack or defend it.
//! Meant for networks without convolutions: squares of few planes are set, and
//! each of them says what such a network could not work out by itself. No
//! history, so that transpositions share one evaluation.
//!
//! Left and right are swapped where our king is on the left half of the board
//! (as in the policy `exchange3716`), so mirror images share one evaluation too.
//!
//! | planes | content |
//! |---|---|
//! | 0-11 | our pawns, knights, bishops, rooks, queens, king, then theirs |
//! | 12-155 | the same twelve, each in twelve planes: those attacked or defended by our pawns, knights, ..., king, then by theirs |
//! | 156-161 | squares at their king that our pawns, knights, bishops, rooks, queens, king attack |
//! | 162-167 | squares at our king that theirs attack |
//! | 168, 169 | our passed pawns, theirs |
//! | 170, 171 | our pinned pieces, theirs |
//! | 172, 173 | our pieces that they win by exchanges if it were their move, theirs that we win |
//! | 174, 175 | our rooks that may castle, theirs |
//! | 176 | en-passant target square, where the capture is legal |
//! | 177 | the half-move clock / 8 |
//! | 178 | the balance of material |
//! | 179, 180 | the same after our best exchange, and after theirs if it were their move |
//! | 181 | the material of both sides / 2 |
//!
//! Squares *at* a king are its own and those next to it. Planes 177 to 181 have
//! one square set each, whose number says how much; a balance of 0 is square 32.

use super::knowledge::{exchanges, king, pawns, reach::Reach};
use super::planes::Planes;
use super::view::View;
use crate::chess::Ply;
use shakmaty::{Board, Color, Position, Role};

pub const PLANES: usize = 182;

const ATTACKED: usize = 12;
const KING_ZONES: usize = 156;
const PASSED: usize = 168;
const PINNED: usize = 170;
const LOST: usize = 172;
const CASTLING: usize = 174;
const EN_PASSANT: usize = 176;
const CLOCK: usize = 177;
const BALANCE: usize = 178;
const AFTER_EXCHANGE: usize = 179;
const MATERIAL: usize = 181;

/// The square of an even balance.
const EVEN: i32 = 32;

pub fn encode(plies: &[Ply], out: &mut [f32]) {
    let mut planes = Planes::zeroed(out);
    each_plane(plies, |plane, squares| planes.set(plane, squares));
}

/// Adds the squares that are set, as places in all planes and ones.
pub fn set_squares(plies: &[Ply], to: &mut Vec<(u16, f32)>) {
    each_plane(plies, |plane, squares| {
        let mut rest = squares;
        while rest != 0 {
            to.push(((plane * 64) as u16 + rest.trailing_zeros() as u16, 1.0));
            rest &= rest - 1;
        }
    });
}

/// Calls `set` with planes and their squares; some planes it leaves out, which
/// are empty.
#[inline(always)]
fn each_plane(plies: &[Ply], mut set: impl FnMut(usize, u64)) {
    let Some(last) = plies.last() else { return };
    let (board, us) = (last.position.board(), last.turn());
    let view = View::king_right(board, us);
    let sides = [us, !us];
    let reach = sides.map(|side| Reach::of(board, side));
    let passed = pawns::passed(board);

    for (s, side) in sides.into_iter().enumerate() {
        for role in Role::ALL {
            let pieces = board.by_role(role) & board.by_color(side);
            if pieces.is_empty() {
                continue;
            }
            let kind = 6 * s + role as usize - 1;
            set(kind, view.bits(pieces));
            let attackers = reach.iter().flat_map(|reach| reach.by_role);
            for (attacker, squares) in attackers.enumerate() {
                let attacked = pieces & squares;
                if attacked.any() {
                    set(ATTACKED + 12 * kind + attacker, view.bits(attacked));
                }
            }
        }
        let zone = king::zone(board, !side);
        for (role, squares) in reach[s].by_role.into_iter().enumerate() {
            set(KING_ZONES + 6 * s + role, view.bits(zone & squares));
        }
        set(PASSED + s, view.bits(passed & board.by_color(side)));
        set(PINNED + s, view.bits(king::pinned_of(board, side)));
        let rooks = last.position.castles().castling_rights() & board.by_color(side);
        set(CASTLING + s, view.bits(rooks));
    }
    set(EN_PASSANT, view.en_passant(&last.position));
    set(CLOCK, number(last.rule50() as i32 / 8));
    let [ours, theirs] = sides.map(|side| material(board, side));
    let (won, our_gain) = exchanges::winning(board, us);
    let (lost, their_gain) = exchanges::winning(board, !us);
    set(LOST, view.bits(lost));
    set(LOST + 1, view.bits(won));
    let balance = EVEN + ours - theirs;
    set(BALANCE, number(balance));
    set(AFTER_EXCHANGE, number(balance + our_gain));
    set(AFTER_EXCHANGE + 1, number(balance - their_gain));
    set(MATERIAL, number((ours + theirs) / 2));
}

/// A plane that says a number.
fn number(number: i32) -> u64 {
    1 << number.clamp(0, 63)
}

/// In pawns, the king aside.
fn material(board: &Board, side: Color) -> i32 {
    let worth_of = |role: Role| {
        (board.by_role(role) & board.by_color(side)).count() as i32 * exchanges::worth(role)
    };
    Role::ALL.into_iter().filter(|role| *role != Role::King).map(worth_of).sum()
}
