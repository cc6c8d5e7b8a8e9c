//! The lines of a block into records: positions that follow each other by one
//! legal move become one.

use super::csv::{self, Label};
use super::epd;
use super::lines::{Block, Format};
use crate::shards::Record;
use engine::chess::{PackedMove, parse_fen};
use sha2::{Digest, Sha256};
use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, Move, Position};

/// Where records come from.
pub struct Origin<'a> {
    pub source: &'a str,
    pub engine: Option<&'a str>,
}

/// What was found in a block.
#[derive(Default)]
pub struct BlockRecords {
    pub lines: u64,
    pub records: Vec<Record>,
    /// Line numbers and what is wrong there.
    pub broken: Vec<(u64, String)>,
}

/// Reads a block. The lines of a CSV share one group; an EPD position's group
/// is its board, so that it is on one side of a split wherever it comes from.
pub fn read_block(block: &Block, origin: &Origin) -> BlockRecords {
    let mut found = BlockRecords::default();
    let index = block.index.to_le_bytes();
    let first = block.text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let group = hash(&[origin.source.as_bytes(), &index, first]);
    let mut run = Run::default();
    for (number, line) in block.text.split(|&byte| byte == b'\n').enumerate() {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        found.lines += 1;
        let text = std::str::from_utf8(line).map_err(|_| "not text".to_string());
        let outcome = match block.format {
            Format::Csv => text.and_then(csv::parse).map(|label| run.add(label, group)),
            Format::Epd => text.and_then(epd::parse).map(|mut record| {
                record.group = board_hash(&record);
                Some(record)
            }),
        };
        match outcome {
            Ok(record) => found.records.extend(record),
            Err(cause) => {
                found.records.extend(run.finish());
                found.broken.push((block.line + number as u64, cause));
            }
        }
    }
    found.records.extend(run.finish());
    for record in &mut found.records {
        record.source = origin.source.to_string();
        record.engine = origin.engine.map(str::to_string);
    }
    found
}

/// Whether one CSV line goes on from another.
pub fn follows(earlier: &[u8], later: &[u8]) -> bool {
    let position = |line: &[u8]| {
        let text = std::str::from_utf8(line).ok()?;
        parse_fen(text.split(';').next()?, false).ok()
    };
    match (position(earlier), position(later)) {
        (Some(earlier), Some(later)) => connecting_move(&earlier, &later).is_some(),
        _ => false,
    }
}

/// A record under way.
#[derive(Default)]
struct Run {
    record: Option<(Record, Chess)>,
}

impl Run {
    /// Adds a label; when it does not go on from the last one, that run is over.
    fn add(&mut self, label: Label, group: u64) -> Option<Record> {
        if let Some((record, last)) = &mut self.record
            && let Some(m) = connecting_move(last, &label.position)
            && let Some(ply) = record.plies.last_mut()
        {
            ply.played = Some(PackedMove::new(m));
            record.plies.push(label.ply);
            *last = label.position;
            return None;
        }
        let record = Record {
            group,
            start_fen: Fen::from_position(&label.position, EnPassantMode::Legal).to_string(),
            chess960: label.position.castles().mode().is_chess960(),
            plies: vec![label.ply],
            ..Record::default()
        };
        self.record.replace((record, label.position)).map(|(record, _)| record)
    }

    fn finish(&mut self) -> Option<Record> {
        self.record.take().map(|(record, _)| record)
    }
}

/// The legal move from one position to the next, counters included.
fn connecting_move(from: &Chess, to: &Chess) -> Option<Move> {
    let number = from.fullmoves().get() + u32::from(from.turn() == Color::Black);
    if from.turn() == to.turn() || to.fullmoves().get() != number {
        return None;
    }
    // Most pairs of lines end here, before any move is made.
    let changed = from.board().occupied() ^ to.board().occupied();
    if changed.count() > 4 {
        return None;
    }
    from.legal_moves().into_iter().find(|&m| {
        if !m.is_castle() && !changed.contains(m.from().unwrap_or(m.to())) {
            return false;
        }
        let mut next = from.clone();
        next.play_unchecked(m);
        next == *to && next.halfmoves() == to.halfmoves()
    })
}

fn board_hash(record: &Record) -> u64 {
    hash(&[record.start_fen.split(' ').next().unwrap_or_default().as_bytes()])
}

/// The first 8 bytes of SHA-256, big-endian, over the parts with zero bytes
/// between them: the same on every machine and in every version.
fn hash(parts: &[&[u8]]) -> u64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
        hash.update([0]);
    }
    let digest: [u8; 32] = hash.finalize().into();
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "\
        4k3/8/8/8/8/8/4P3/4K3 w - - 0 1;e2e3;cp 31;200 790 10\n\
        4k3/8/8/8/4P3/8/8/4K3 b - - 0 1;e8e7;cp -31;10 790 200\n\
        8/4k3/8/8/4P3/8/8/4K3 w - - 1 2;e1e2;cp 31;200 790 10\n";

    fn read(text: &str, format: Format) -> BlockRecords {
        let block = Block { text: text.into(), line: 11, index: 3, format };
        read_block(&block, &Origin { source: "a.csv", engine: Some("Teacher 1") })
    }

    #[test]
    fn lines_that_follow_are_joined() {
        let found = read(RUN, Format::Csv);
        assert_eq!((found.lines, found.records.len()), (3, 1));
        let record = &found.records[0];
        let played: Vec<_> = record.plies.iter().map(|ply| ply.played).collect();
        assert_eq!(played[0].unwrap().to(), shakmaty::Square::E4);
        assert_eq!(record.plies[0].policy[0].m.to(), shakmaty::Square::E3);
        assert!(played[1].is_some() && played[2].is_none());
        assert_eq!(record.engine.as_deref(), Some("Teacher 1"));
    }

    #[test]
    fn a_gap_starts_a_new_record_of_the_same_group() {
        let lines: Vec<&str> = RUN.lines().collect();
        for text in [
            [lines[0], lines[2], lines[1]].join("\n"),
            [lines[0], "nonsense", lines[1]].join("\n"),
            // The clock does not fit the move.
            [lines[0], &lines[1].replace("- 0 1", "- 3 1")].join("\n"),
        ] {
            let found = read(&text, Format::Csv);
            assert!(found.records.len() >= 2, "{text}");
            assert!(found.records.iter().all(|record| record.group == found.records[0].group));
        }
        assert_eq!(read("nonsense\n\n", Format::Csv).broken[0].0, 11);
        assert_eq!(read("\n# heading\nnonsense", Format::Epd).broken[0].0, 13);
    }

    #[test]
    fn castling_capture_and_promotion_connect() {
        for (from, to) in [
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "4k3/8/8/3P4/8/8/8/4K3 b - - 0 1"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2"),
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "N7/4k3/8/8/8/8/8/4K3 b - - 0 1"),
        ] {
            assert!(follows(from.as_bytes(), to.as_bytes()), "{from}");
            assert!(!follows(to.as_bytes(), from.as_bytes()), "{from}");
        }
    }

    #[test]
    fn a_board_has_one_group_everywhere() {
        let line = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n";
        let (here, there) =
            (read(line, Format::Epd), read(&line.replace("bm e4", "ce 3"), Format::Epd));
        assert_eq!(here.records[0].group, there.records[0].group);
    }
}
