//! Planes and indices against `layout_golden.txt`, whose head explains it.

use super::lines::{data, line, planes};
use crate::chess::{Line, parse_move};
use crate::encode::{Encoder, PolicyMap};
use shakmaty::{Color, Square};
use std::collections::HashSet;

#[derive(Default)]
struct Case {
    text: String,
    planes: Vec<(Encoder, Vec<f32>)>,
    indices: Vec<(PolicyMap, String, usize)>,
}

impl Case {
    fn line(&self) -> Line {
        let (fen, moves) = self.text.split_once("moves").unwrap_or((&self.text, ""));
        line(fen, moves)
    }
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut policy = None;
    for row in data("layout_golden.txt").lines() {
        let row = row.trim();
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        if let Some(text) = row.strip_prefix("position ") {
            cases.push(Case { text: text.to_owned(), ..Case::default() });
            continue;
        }
        let case = cases.last_mut().unwrap();
        if let Some(name) = row.strip_prefix("encoder ") {
            let encoder = Encoder::from_name(name).unwrap();
            case.planes.push((encoder, vec![0.0; encoder.planes() * 64]));
        } else if let Some(name) = row.strip_prefix("policy ") {
            policy = Some(PolicyMap::from_name(name).unwrap());
        } else if let Some((list, content)) = row.split_once(':') {
            let (_, expected) = case.planes.last_mut().unwrap();
            for plane in list.split(',') {
                let plane: usize = plane.parse().unwrap();
                write_plane(&mut expected[plane * 64..][..64], content);
            }
        } else {
            let (m, index) = row.split_once(' ').unwrap();
            case.indices.push((policy.unwrap(), m.to_owned(), index.parse().unwrap()));
        }
    }
    cases
}

fn write_plane(plane: &mut [f32], content: &str) {
    for token in content.split_whitespace() {
        let (place, value) = token.split_once('=').unwrap_or((token, "1"));
        let value: f32 = value.parse().unwrap();
        if place == "all" {
            plane.fill(value);
        } else if let Some(rank) = place.strip_prefix("rank") {
            let rank: usize = rank.parse().unwrap();
            plane[(rank - 1) * 8..rank * 8].fill(value);
        } else {
            plane[place.parse::<Square>().unwrap() as usize] = value;
        }
    }
}

#[test]
fn planes_are_as_written() {
    for case in cases() {
        for (encoder, expected) in &case.planes {
            let found = planes(*encoder, &case.line());
            for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
                let square = Square::new((at % 64) as u32);
                assert!(
                    (found - expected).abs() < 1e-6,
                    "{} of {}: plane {} {square} is {found}, not {expected}",
                    encoder.name(),
                    case.text,
                    at / 64,
                );
            }
        }
    }
}

#[test]
fn indices_are_as_written() {
    for case in cases() {
        let line = case.line();
        let position = &line.last().position;
        for (policy, text, index) in &case.indices {
            let m = parse_move(position, text).unwrap_or_else(|| panic!("{text} {}", case.text));
            assert_eq!(policy.index(m, position), *index, "{} {text}", policy.name());
            assert_eq!(policy.to_move(*index, position), Some(m), "{} {text}", policy.name());
        }
    }
}

#[test]
fn every_pair_is_covered_for_both_colors() {
    let mut covered = HashSet::new();
    for case in cases() {
        let turn = case.line().last().turn();
        for (encoder, _) in &case.planes {
            for (policy, _, _) in &case.indices {
                covered.insert((*encoder, *policy, turn));
            }
        }
    }
    for encoder in Encoder::ALL {
        for policy in PolicyMap::ALL {
            for turn in Color::ALL {
                assert!(
                    covered.contains(&(encoder, policy, turn)),
                    "{encoder:?} {policy:?} {turn}"
                );
            }
        }
    }
}

#[test]
fn names_and_sizes() {
    for encoder in Encoder::ALL {
        assert_eq!(Encoder::from_name(encoder.name()), Some(encoder));
    }
    for policy in PolicyMap::ALL {
        assert_eq!(PolicyMap::from_name(policy.name()), Some(policy));
    }
    assert_eq!(Encoder::from_name("poor"), None);
    assert_eq!(PolicyMap::from_name(""), None);
    assert_eq!(Encoder::ALL.map(Encoder::planes), [18, 119, 72, 112, 37, 62, 182]);
    assert_eq!(Encoder::ALL.map(Encoder::history), [1, 8, 4, 8, 1, 1, 1]);
    assert_eq!(PolicyMap::ALL.map(PolicyMap::len), [4672, 1858, 3716]);
}
