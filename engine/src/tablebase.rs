//! Syzygy tablebases: exact results with few pieces on the board.
//!
//! In: folders of `.rtbw` and `.rtbz` files. Out: win/draw/loss in the tree, and
//! at the root the moves that keep the result and make progress.

use std::path::{Path, PathBuf};

use shakmaty::{Chess, Move, Position};
pub use shakmaty_syzygy::Wdl;
use shakmaty_syzygy::{AmbiguousWdl, Tablebase};

/// Folders below the given ones are searched this deep: a link that leads
/// back up must not hang the engine.
const DEEPEST_FOLDER: usize = 6;

/// Ranks of results that the fifty-move rule cannot touch.
const WON: u8 = 6;
const LOST: u8 = 0;

/// The tables' word on a position to move in.
pub struct RootProbe {
    /// The result under the fifty-move rule, for the side to move.
    pub result: Wdl,
    /// The moves worth searching: those that keep the result, and of winning
    /// ones the quickest to the next capture, pawn move or mate.
    pub moves: Vec<Move>,
    /// Tables looked up.
    pub probes: usize,
}

pub struct Tablebases {
    tables: Tablebase<Chess>,
    files: usize,
}

impl Tablebases {
    /// Opens all tables in `paths` (separated as in `PATH`) and their
    /// sub-folders. The second part names folders that could not be read.
    pub fn open(paths: &str) -> (Tablebases, Vec<String>) {
        let mut opened = Tablebases { tables: Tablebase::new(), files: 0 };
        let mut problems = Vec::new();
        for path in std::env::split_paths(paths).filter(|path| !path.as_os_str().is_empty()) {
            opened.add_folder(&path, DEEPEST_FOLDER, &mut problems);
        }
        (opened, problems)
    }

    fn add_folder(&mut self, folder: &Path, depth: usize, problems: &mut Vec<String>) {
        match self.tables.add_directory(folder) {
            Ok(count) => self.files += count,
            Err(error) => {
                problems.push(format!("{}: {error}", folder.display()));
                return;
            }
        }
        if depth > 0 {
            for sub_folder in sub_folders(folder) {
                self.add_folder(&sub_folder, depth - 1, problems);
            }
        }
    }

    pub fn files(&self) -> usize {
        self.files
    }

    pub fn max_pieces(&self) -> usize {
        self.tables.max_pieces()
    }

    fn covers(&self, position: &Chess) -> bool {
        position.castles().is_empty()
            && position.board().occupied().count() <= self.tables.max_pieces()
    }

    /// The result for the side to move, as if a capture or pawn move had just
    /// been made; `None` when no table knows.
    pub fn wdl(&self, position: &Chess) -> Option<Wdl> {
        if !self.covers(position) {
            return None;
        }
        self.tables.probe_wdl_after_zeroing(position).ok()
    }

    /// What the tables say of the root and its moves.
    pub fn probe_root(&self, position: &Chess) -> Option<RootProbe> {
        if !self.covers(position) {
            return None;
        }
        let ranked: Option<Vec<((u8, u32), Move)>> = position
            .legal_moves()
            .into_iter()
            .map(|m| self.rank(position, m).map(|rank| (rank, m)))
            .collect();
        let ranked = ranked?;
        let best = ranked.iter().map(|(rank, _)| *rank).max()?;
        Some(RootProbe {
            probes: ranked.len(),
            result: match best.0 {
                WON.. => Wdl::Win,
                LOST => Wdl::Loss,
                _ => Wdl::Draw,
            },
            moves: ranked.into_iter().filter(|(rank, _)| *rank == best).map(|(_, m)| m).collect(),
        })
    }

    /// Higher is better: first the result, then (when winning) the speed.
    fn rank(&self, position: &Chess, m: Move) -> Option<(u8, u32)> {
        let mut after = position.clone();
        after.play_unchecked(m);
        if after.is_checkmate() {
            return Some((WON, u32::MAX));
        }
        let dtz = self.tables.probe_dtz(&after).ok()?;
        let class = match AmbiguousWdl::from_dtz_and_halfmoves(dtz, after.halfmoves()) {
            AmbiguousWdl::Loss => WON,
            AmbiguousWdl::MaybeLoss => 5,
            AmbiguousWdl::BlessedLoss => 4,
            AmbiguousWdl::Draw => 3,
            AmbiguousWdl::CursedWin => 2,
            AmbiguousWdl::MaybeWin => 1,
            AmbiguousWdl::Win => LOST,
        };
        let plies = if after.halfmoves() == 0 { 0 } else { dtz.ignore_rounding().0.unsigned_abs() };
        let speed = if class > 3 { u32::MAX - 1 - plies } else { 0 };
        Some((class, speed))
    }
}

fn sub_folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
