//! Positions per second that the dataset makes of shards, against encoding
//! alone, by the clock and by the processor time spent: the second holds on a
//! busy machine as well. The shards are random games in a temporary folder, or
//! those that `ARBOR_SHARDS` names.
//! Run: `cargo bench -p benches --bench dataset`.

use benches::middlegames;
use engine::chess::{Line, PackedMove};
use engine::encode::Encoder;
use engine::search::Random;
use shakmaty::Chess;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;
use trainer::dataset::{Dataset, DatasetSettings, SourceSettings};
use trainer::shards::{Outcome, Ply, Record, Writer, WriterSettings};

const GAMES: usize = 8_192;
const PLIES: usize = 80;
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// A whole number of blocks, for a fair share of the reading.
const POSITIONS: usize = 1 << 19;

fn main() -> Result<(), Box<dyn Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = match std::env::var_os("ARBOR_SHARDS") {
        Some(folder) => PathBuf::from(folder),
        None => {
            play(temporary.path())?;
            temporary.path().to_path_buf()
        }
    };
    for encoder in [Encoder::Basic18, Encoder::Nmp72, Encoder::Az119] {
        let whole = DatasetSettings {
            sources: vec![SourceSettings { paths: vec![folder.clone()], weight: 1.0 }],
            ..DatasetSettings::default()
        };
        let thin = DatasetSettings { sample_rate: 0.1, ..whole.clone() };
        measure(encoder, "encoding alone", || Ok(encode(encoder)))?;
        measure(encoder, "dataset", || batches(&whole, encoder, true))?;
        measure(encoder, "dataset, nothing recycled", || batches(&whole, encoder, false))?;
        measure(encoder, "dataset, a tenth of each game", || batches(&thin, encoder, true))?;
    }
    Ok(())
}

/// Prints how fast `work` makes the positions that it counts.
fn measure(
    encoder: Encoder,
    what: &str,
    work: impl FnOnce() -> Result<usize, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let (clock, processor) = (Instant::now(), processor_time());
    let positions = work()? as f64;
    let by_clock = positions / clock.elapsed().as_secs_f64();
    print!("{:8} {what:30} {by_clock:8.0} positions/s", encoder.name());
    if let Some((before, after)) = processor.zip(processor_time()) {
        print!(", {:8.0} per processor second", positions / (after - before));
    }
    println!();
    Ok(())
}

/// Seconds that all threads of this process were running, where the system
/// tells; it counts in hundredths.
fn processor_time() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in brackets and may have spaces.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

/// From the first batch on, so that the first block counts.
fn batches(
    settings: &DatasetSettings,
    encoder: Encoder,
    recycle: bool,
) -> Result<usize, Box<dyn Error>> {
    let mut dataset = Dataset::open(settings, encoder, None)?;
    let mut positions = 0;
    while positions < POSITIONS {
        let batch = dataset.next_batch()?;
        positions += batch.size;
        if recycle {
            dataset.recycle(batch);
        }
    }
    Ok(positions)
}

/// Into the memory of one batch, as the dataset does it.
fn encode(encoder: Encoder) -> usize {
    let lines = middlegames(256);
    let size = encoder.planes() * 64;
    let mut batch = vec![0.0; 1024 * size];
    for _ in 0..POSITIONS / 1024 {
        for (line, out) in lines.iter().cycle().zip(batch.chunks_exact_mut(size)) {
            encoder.encode(line.plies(), out);
        }
    }
    POSITIONS
}

fn play(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut random = Random::new(1);
    let mut writer = Writer::create(folder, WriterSettings::default())?;
    for number in 0..GAMES {
        let mut line = Line::new(Chess::default());
        let mut plies = Vec::with_capacity(PLIES);
        while plies.len() < PLIES {
            let moves = line.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[(random.next_u64() % moves.len() as u64) as usize];
            plies.push(Ply::played(PackedMove::new(m)));
            line.push(m);
        }
        writer.write(&Record {
            group: number as u64,
            start_fen: START.to_string(),
            plies,
            result: Outcome::ALL[number % 3],
            source: "random".to_string(),
            ..Record::default()
        })?;
    }
    writer.finish()?;
    Ok(())
}
