//! Problems from shards whose labels value many moves, as `trainer label
//! --multipv 256` makes them: no move is right or wrong, each gives something
//! away.

use super::{Expected, Problem, Suite, SuiteError};
use crate::players::GameLine;
use crate::shards::{Ply, Reader, Record, Replay, ReplayError, find_shards};
use shakmaty::{Chess, Move, Position};
use std::path::{Path, PathBuf};

/// Whether a path names shards and not a file of text.
pub fn is_shards(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|ending| ending == "parquet")
}

/// All positions with two or more valued moves; others are counted as skipped.
pub fn read_rated(path: PathBuf) -> Result<Suite, SuiteError> {
    let mut suite = Suite { problems: Vec::new(), skipped: 0 };
    for file in find_shards(std::slice::from_ref(&path))? {
        for (row, record) in Reader::open(&file)?.records()?.enumerate() {
            let name = format!("{}:{row}", file.display());
            collect(&record?, &name, &mut suite)
                .map_err(|cause| SuiteError::Record { name, cause })?;
        }
    }
    match suite.problems.is_empty() {
        true => Err(SuiteError::Unrated { path }),
        false => Ok(suite),
    }
}

fn collect(record: &Record, name: &str, suite: &mut Suite) -> Result<(), ReplayError> {
    let mut replay = Replay::new(record)?;
    let mut game: Option<GameLine> = None;
    while let Some(step) = replay.advance()? {
        let position = &step.line.last().position;
        let game = game.get_or_insert_with(|| GameLine::new(position.clone()));
        let moves = valued(step.ply, position);
        if moves.len() < 2 {
            suite.skipped += 1;
        } else {
            suite.problems.push(Problem {
                id: format!("{name}:{}", step.index),
                start: game.clone(),
                solution: Expected::Valued(moves),
                rating: None,
                themes: Vec::new(),
            });
        }
        if let Some(m) = step.played {
            game.push(m);
        }
    }
    Ok(())
}

/// The legal moves that have a value, in points from 0 to 1.
fn valued(ply: &Ply, position: &Chess) -> Vec<(Move, f64)> {
    let moves = ply.policy.iter().filter_map(|target| {
        let m = target.m.unpack(position);
        Some((m, (f64::from(target.value?) + 1.0) / 2.0))
    });
    moves.filter(|(m, _)| position.is_legal(*m)).collect()
}
