//! Planes and indices against what lc0 itself says, in `lc0_golden.json`
//! (recorded by `tests/oracle/record_lc0.py`).

use super::lines::{data, line, planes};
use crate::encode::{Encoder, PolicyMap};
use serde::Deserialize;
use shakmaty::{Move, Square};
use std::collections::HashMap;

#[derive(Deserialize)]
struct Golden {
    lines: Vec<Recorded>,
}

#[derive(Deserialize)]
struct Recorded {
    name: String,
    fen: String,
    moves: String,
    /// Plane to mask, in hexadecimal; the rest are zero.
    planes: HashMap<usize, String>,
    /// Values of the planes that are not one.
    values: HashMap<usize, f32>,
    indices: Vec<(String, usize)>,
}

fn recorded() -> Vec<Recorded> {
    let golden: Golden = serde_json::from_str(&data("lc0_golden.json")).unwrap();
    assert!(golden.lines.len() >= 40);
    golden.lines
}

#[test]
fn planes_are_lc0s() {
    for case in recorded() {
        let found = planes(Encoder::Lc0, &line(&case.fen, &case.moves));
        for plane in 0..112 {
            let hex = case.planes.get(&plane).map_or("0", String::as_str);
            let mask = u64::from_str_radix(hex, 16).unwrap();
            let value = case.values.get(&plane).copied().unwrap_or(1.0);
            for square in Square::ALL {
                let expected = if mask >> square as u32 & 1 == 1 { value } else { 0.0 };
                let found = found[plane * 64 + square as usize];
                assert_eq!(found, expected, "{}: plane {plane} {square}", case.name);
            }
        }
    }
}

/// lc0's spelling: castling is the king's move to the c- or g-file.
fn spelled(m: Move) -> String {
    match m {
        Move::Castle { king, rook } => {
            let file = if rook > king { 'g' } else { 'c' };
            format!("{king}{file}{}", king.rank())
        }
        _ => {
            let promotion = m.promotion().map_or(String::new(), |role| role.char().to_string());
            format!("{}{}{promotion}", m.from().unwrap(), m.to())
        }
    }
}

#[test]
fn indices_are_lc0s() {
    for case in recorded() {
        let line = line(&case.fen, &case.moves);
        let position = &line.last().position;
        let mut found: Vec<(String, usize)> = line
            .legal_moves()
            .into_iter()
            .map(|m| (spelled(m), PolicyMap::Lc0.index(m, position)))
            .collect();
        found.sort();
        let mut expected = case.indices;
        expected.sort();
        assert_eq!(found, expected, "{}", case.name);
    }
}
