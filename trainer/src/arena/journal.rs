//! The match's memory: `match.jsonl`, one line for what is played and one for
//! each finished game.
//!
//! A game is appended and synced when it ends, so that killing the process loses
//! games in flight only. A torn last line is cut off when the match goes on, and
//! the PGN file is written anew from the journal.

use super::{ArenaError, GameRecord, MatchSettings, RunSettings, pgn};
use crate::differences::differences;
use crate::files::{AtomicFile, lock};
use crate::provenance::{self, Host};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, Write};
use std::path::{Path, PathBuf};

const JOURNAL: &str = "match.jsonl";
const PGN: &str = "games.pgn";
const LOCK: &str = "match.lock";
/// Raised when older readers would misunderstand a journal.
const FORMAT: u32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    settings: Value,
    /// SHA-256 of the settings.
    settings_sha256: String,
    command: Vec<String>,
    trainer: String,
    git: String,
    host: Host,
    started: u64,
}

pub struct Journal {
    folder: PathBuf,
    file: File,
    pgn: File,
    _lock: File,
}

impl Journal {
    /// Begins a match or goes on with it; `each` gets the games that are
    /// finished.
    pub fn open(
        settings: &MatchSettings,
        run: &RunSettings,
        mut each: impl FnMut(GameRecord),
    ) -> Result<Journal, ArenaError> {
        let folder = run.out.as_path();
        let write = |path: &Path| {
            let path = path.to_path_buf();
            move |source| ArenaError::Write { path, source }
        };
        fs::create_dir_all(folder).map_err(write(folder))?;
        let lock = lock(&folder.join(LOCK)).map_err(write(folder))?;
        let lock = lock.ok_or_else(|| ArenaError::InUse(folder.to_path_buf()))?;
        let (journal, pgn) = (folder.join(JOURNAL), folder.join(PGN));
        let foreign = fs::metadata(&pgn).is_ok_and(|facts| facts.len() > 0);
        if foreign && !journal.exists() {
            return Err(ArenaError::Foreign(pgn));
        }
        let mut whole = AtomicFile::create(&pgn).map_err(write(&pgn))?;
        let known = read(&journal, folder, &settings.identity(), |game| {
            whole.write_all(pgn::text(&game, settings).as_bytes()).map_err(write(&pgn))?;
            each(game);
            Ok(())
        })?;
        whole.finish().map_err(write(&pgn))?;
        let pgn = OpenOptions::new().append(true).open(&pgn).map_err(write(&pgn))?;
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&journal)
            .map_err(write(&journal))?;
        file.set_len(known).map_err(write(&journal))?;
        file.seek(io::SeekFrom::End(0)).map_err(write(&journal))?;
        if known == 0 {
            let line = line(&header(settings, run)).map_err(write(&journal))?;
            file.write_all(&line).and_then(|()| file.sync_all()).map_err(write(&journal))?;
        }
        Ok(Journal { folder: folder.to_path_buf(), file, pgn, _lock: lock })
    }

    /// A game that has just been finished.
    pub fn append(
        &mut self,
        game: &GameRecord,
        settings: &MatchSettings,
    ) -> Result<(), ArenaError> {
        let fail = |name: &str| {
            let path = self.folder.join(name);
            move |source| ArenaError::Write { path, source }
        };
        let line = line(game).map_err(fail(JOURNAL))?;
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        written.map_err(fail(JOURNAL))?;
        self.pgn.write_all(pgn::text(game, settings).as_bytes()).map_err(fail(PGN))
    }
}

fn header(settings: &MatchSettings, run: &RunSettings) -> Header {
    let identity = settings.identity();
    Header {
        format: FORMAT,
        settings_sha256: provenance::hash(identity.to_string().as_bytes()),
        settings: identity,
        command: run.command.clone(),
        trainer: provenance::VERSION.to_string(),
        git: provenance::GIT.to_string(),
        host: Host::this(),
        started: provenance::now(),
    }
}

fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Hands each game of a journal to `sink`; the length of what is whole of it.
fn read(
    path: &Path,
    folder: &Path,
    identity: &Value,
    mut sink: impl FnMut(GameRecord) -> Result<(), ArenaError>,
) -> Result<u64, ArenaError> {
    let unreadable = |source| ArenaError::Read { path: path.to_path_buf(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(unreadable(error)),
    };
    let mut whole = 0;
    let mut reader = BufReader::new(file);
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let count = reader.read_until(b'\n', &mut text).map_err(unreadable)?;
        // What has no end was being written when the process was killed.
        if text.last() != Some(&b'\n') {
            break;
        }
        let broken = |cause| ArenaError::Journal { path: path.to_path_buf(), line, cause };
        if line == 1 {
            let header: Header = serde_json::from_slice(&text)
                .map_err(|error| broken(format!("not the journal of a match ({error})")))?;
            header.check(identity, folder).map_err(broken)??;
        } else {
            let game = serde_json::from_slice(&text);
            sink(game.map_err(|error| broken(format!("not a game ({error})")))?)?;
        }
        whole += count as u64;
    }
    Ok(whole)
}

impl Header {
    /// Whether a match of these settings may go on; the outer error is a journal
    /// that cannot be read.
    fn check(&self, identity: &Value, folder: &Path) -> Result<Result<(), ArenaError>, String> {
        if self.format != FORMAT {
            return Err(format!("format {}, expected {FORMAT}", self.format));
        }
        // By the hash: floating-point numbers may come back from text changed in
        // their last digit.
        if self.settings_sha256 == provenance::hash(identity.to_string().as_bytes()) {
            return Ok(Ok(()));
        }
        let differences = differences(&self.settings, identity).join("; ");
        Ok(Err(ArenaError::OtherSettings { folder: folder.to_path_buf(), differences }))
    }
}
