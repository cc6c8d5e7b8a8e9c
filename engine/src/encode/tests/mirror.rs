//! A line and its color-flipped twin look the same to every network.

use super::lines::{line, random_play};
use crate::chess::{Line, Ply};
use crate::encode::{Encoder, PolicyMap};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, FromSetup, Move, Position};

/// The plane that tells the colors apart, where a layout has one.
fn color_plane(encoder: Encoder) -> Option<usize> {
    match encoder {
        Encoder::Basic18 | Encoder::Rich | Encoder::Tactics | Encoder::Threats | Encoder::Nmp72 => {
            None
        }
        Encoder::Az119 => Some(112),
        Encoder::Lc0 => Some(108),
    }
}

/// Position by position, so that move numbers stay as they are.
fn twin(ply: &Ply) -> Ply {
    let setup = ply.position.to_setup(EnPassantMode::Always).into_mirrored();
    let position = Chess::from_setup(setup, ply.position.castles().mode()).unwrap();
    let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
    Ply { position, key, ..*ply }
}

fn twin_move(m: Move) -> Move {
    match m {
        Move::Normal { role, from, capture, to, promotion } => {
            let (from, to) = (from.flip_vertical(), to.flip_vertical());
            Move::Normal { role, from, capture, to, promotion }
        }
        Move::EnPassant { from, to } => {
            Move::EnPassant { from: from.flip_vertical(), to: to.flip_vertical() }
        }
        Move::Castle { king, rook } => {
            Move::Castle { king: king.flip_vertical(), rook: rook.flip_vertical() }
        }
        Move::Put { role, to } => Move::Put { role, to: to.flip_vertical() },
    }
}

fn check(line: &Line) {
    let plies = &line.plies()[line.len().saturating_sub(8)..];
    let twins: Vec<Ply> = plies.iter().map(twin).collect();
    for encoder in Encoder::ALL {
        if encoder == Encoder::Lc0 && line.len() < 8 && line.plies()[0].position == Chess::default()
        {
            continue; // lc0 makes up history for the twin of the initial position
        }
        let mut one = vec![f32::NAN; encoder.planes() * 64];
        let mut other = one.clone();
        encoder.encode(plies, &mut one);
        encoder.encode(&twins, &mut other);
        if let Some(plane) = color_plane(encoder) {
            let colors = plane * 64..plane * 64 + 64;
            assert!(
                one[colors.clone()].iter().zip(&other[colors.clone()]).all(|(a, b)| a + b == 1.0)
            );
            one[colors.clone()].fill(0.0);
            other[colors].fill(0.0);
        }
        assert!(one == other, "{} of {:?}", encoder.name(), line.last().position);
    }
    let (position, twin) = (&line.last().position, &twins[twins.len() - 1].position);
    for policy in PolicyMap::ALL {
        for m in position.legal_moves() {
            let m_twin = twin_move(m);
            assert!(twin.is_legal(m_twin));
            assert_eq!(policy.index(m, position), policy.index(m_twin, twin), "{m:?}");
        }
    }
}

#[test]
fn twins_look_alike() {
    random_play(2_000, false, check);
    random_play(500, true, check);
    check(&line("8/2P5/8/2k5/3pP3/8/1p4K1/R7 b - e3 0 1", ""));
    check(&line("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "e1g1"));
    check(&line("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 33 40", "e8c8 h1h3"));
}
