//! Runs an import of games: cutting on one thread, reading on all cores,
//! counting and handing out in order.

use super::cut::{Chunk, Cutter, Span};
use super::filter::Reason;
use super::game::{GameSettings, Verdict, read_game};
use crate::import::file_tally::FileTally;
use crate::import::output::Summary;
use crate::import::pieces::{Piece, pieces};
use crate::import::pipeline;
use crate::import::report::Report;
use crate::import::source::Sources;
use crate::shards::{Record, SearchKind};
use indicatif::HumanCount;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow::{self, Break, Continue};

#[derive(Clone, Debug, Serialize)]
pub struct PgnSettings {
    pub game: GameSettings,
    /// Keeps games with the start and the moves of an earlier one.
    pub keep_duplicates: bool,
    /// Stops after so many kept games.
    pub limit: Option<u64>,
    #[serde(skip)]
    pub threads: usize,
}

/// What became of the games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PgnSummary {
    pub games: u64,
    pub kept: u64,
    pub positions: u64,
    /// Positions with a score from a comment.
    pub scored_positions: u64,
    pub left_out: BTreeMap<Reason, u64>,
    pub duplicates: u64,
    pub broken: u64,
    pub failures: Vec<String>,
}

/// Imports games from all files; `sink` gets the kept ones in their order.
/// Duplicates are found by [`Record::id`], 8 bytes of memory per kept game.
pub fn import_pgn<E>(
    sources: &Sources,
    settings: &PgnSettings,
    report: &mut Report,
    sink: impl FnMut(&Record) -> Result<(), E>,
) -> Result<PgnSummary, E> {
    let (summary, seen, file) = Default::default();
    let mut tally = Tally { sources, settings, report, sink, summary, seen, file };
    let work = |piece| read_piece(piece, sources, &settings.game);
    let pieces = pieces(sources, Cutter::new);
    pipeline::ordered(settings.threads, pieces, work, |piece| tally.take(piece))?;
    Ok(tally.summary)
}

fn read_piece(
    piece: Piece<Chunk>,
    sources: &Sources,
    settings: &GameSettings,
) -> Piece<Vec<Verdict>> {
    piece.map(|file, chunk| {
        let source = sources.name(file);
        let read = |span: &Span| {
            let mut verdict = read_game(&chunk.text[span.range.clone()], span, settings);
            if let Verdict::Kept(record) = &mut verdict {
                record.source.clone_from(&source);
            }
            verdict
        };
        chunk.games.iter().map(read).collect()
    })
}

/// Takes the verdicts in order.
struct Tally<'a, S> {
    sources: &'a Sources,
    settings: &'a PgnSettings,
    report: &'a mut Report,
    sink: S,
    summary: PgnSummary,
    seen: HashSet<u64>,
    file: FileTally,
}

impl<E, S: FnMut(&Record) -> Result<(), E>> Tally<'_, S> {
    fn take(&mut self, piece: Piece<Vec<Verdict>>) -> Result<ControlFlow<()>, E> {
        match piece {
            Piece::Chunk { file, chunk: verdicts } => {
                for verdict in verdicts {
                    if self.is_full() {
                        return Ok(Break(()));
                    }
                    self.count(file, verdict)?;
                }
                let message = format!("{} games", HumanCount(self.summary.games));
                self.report.progress(self.sources.read(), message);
            }
            Piece::Failed { error, .. } => self.file.failed(error),
            Piece::End { file } => {
                let tally = std::mem::take(&mut self.file);
                self.summary.failures.extend(tally.complaint(&self.sources.path(file), "game"));
            }
        }
        Ok(if self.is_full() { Break(()) } else { Continue(()) })
    }

    fn is_full(&self) -> bool {
        self.settings.limit.is_some_and(|limit| self.summary.kept >= limit)
    }

    fn count(&mut self, file: usize, verdict: Verdict) -> Result<(), E> {
        let summary = &mut self.summary;
        if let Verdict::NoGame = verdict {
            return Ok(());
        }
        summary.games += 1;
        self.file.items += 1;
        match verdict {
            Verdict::LeftOut(reason) => *summary.left_out.entry(reason).or_default() += 1,
            Verdict::Broken { line, cause } => {
                summary.broken += 1;
                self.report.broken(&self.sources.path(file), line, &cause);
                self.file.broken(line, cause);
            }
            Verdict::Kept(record) => {
                if !self.settings.keep_duplicates && !self.seen.insert(record.group) {
                    summary.duplicates += 1;
                    return Ok(());
                }
                let scored = record.plies.iter().filter(|ply| ply.kind == SearchKind::Comment);
                summary.scored_positions += scored.count() as u64;
                summary.positions += record.plies.len() as u64;
                summary.kept += 1;
                (self.sink)(&record)?;
            }
            Verdict::NoGame => {}
        }
        Ok(())
    }
}

impl Summary for PgnSummary {
    fn rows(&self) -> Vec<(String, u64)> {
        let mut rows = vec![("games read".to_string(), self.games)];
        rows.push(("kept".into(), self.kept));
        for (reason, &count) in &self.left_out {
            rows.push((format!("left out: {}", reason.text()), count));
        }
        rows.push(("duplicates".into(), self.duplicates));
        rows.push(("broken".into(), self.broken));
        rows.push(("positions".into(), self.positions));
        rows.push(("positions with a score".into(), self.scored_positions));
        rows
    }

    fn unit(&self) -> &'static str {
        "games"
    }

    fn items(&self) -> u64 {
        self.games
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }
}
