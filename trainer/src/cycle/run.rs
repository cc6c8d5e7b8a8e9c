//! The loop itself: stage after stage, its state on disk after each.

use super::LoopError;
use super::config::LoopConfig;
use super::folder::Folder;
use super::judge::{Judge, Verdict};
use super::stages::Stages;
use super::state::{Generation, Stage, State};
use super::strength::{Strength, strengths};
use super::veto::{Measures, measures};
use crate::config::Format;
use crate::differences::differences;
use crate::files::{lock, remove_all_unfinished, write_atomic};
use crate::interrupt;
use crate::metrics::{LogLine, Recorder, read_metrics};
use crate::players::Programs;
use crate::train::checkpoints;
use crate::uci::EngineCommand;
use std::collections::BTreeSet;
use std::fs::File;

pub struct Loop {
    config: LoopConfig,
    folder: Folder,
    programs: Programs,
    engine: EngineCommand,
    state: State,
    _lock: File,
}

impl Loop {
    /// Begins a loop, or goes on with it.
    pub fn open(config: LoopConfig, programs: Programs) -> Result<Loop, LoopError> {
        let folder = Folder(config.out.join(&config.name));
        let mut problems = config.problems();
        if !folder.state().exists() {
            problems.extend(config.missing_start());
        }
        if !problems.is_empty() {
            return Err(LoopError::Settings(problems.join("; ")));
        }
        let failed = |path: std::path::PathBuf| move |source| LoopError::Write { path, source };
        std::fs::create_dir_all(folder.path()).map_err(failed(folder.path().to_path_buf()))?;
        let lock = lock(&folder.lock()).map_err(failed(folder.lock()))?;
        let lock = lock.ok_or_else(|| LoopError::InUse(folder.path().to_path_buf()))?;
        remove_all_unfinished(folder.path()).map_err(failed(folder.path().to_path_buf()))?;
        let state = State::read(&folder.state())
            .map_err(|cause| LoopError::State { path: folder.state(), cause })?;
        settle_config(&config, &folder, state.is_some())?;
        let engine = programs.engine_command();
        let state = state.unwrap_or_default();
        Ok(Loop { config, folder, programs, engine, state, _lock: lock })
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Runs to the last generation, or until Ctrl-C.
    pub fn run(&mut self) -> Result<(), LoopError> {
        if self.state.generation == 0 {
            self.stages().start()?;
            self.state.generation = 1;
            self.save()?;
        }
        while self.state.generation <= self.config.generations && !interrupt::requested() {
            self.advance()?;
        }
        Ok(())
    }

    fn stages(&self) -> Stages<'_> {
        Stages { config: &self.config, folder: &self.folder, engine: &self.engine }
    }

    fn judge(&self) -> Judge<'_> {
        Judge { config: &self.config, folder: &self.folder, programs: &self.programs }
    }

    /// One stage.
    fn advance(&mut self) -> Result<(), LoopError> {
        let number = self.state.generation;
        match self.state.stage {
            Stage::Selfplay => {
                let played = self.stages().selfplay(&self.state)?;
                if interrupt::requested() {
                    return Ok(());
                }
                let generation = self.generation();
                generation.games = played.iter().map(|played| played.games).sum();
                let searches = played.iter().map(|played| played.telemetry.effort.full_searches);
                generation.new_positions = searches.map(u64::from).sum();
                self.state.stage = Stage::Train;
            }
            Stage::Train => {
                let new_positions = self.generation().new_positions;
                let Some(trained) = self.stages().train(&self.state, new_positions)? else {
                    return Ok(());
                };
                let generation = self.generation();
                generation.positions = trained.positions;
                generation.training = trained.metrics;
                generation.diverged = trained.diverged;
                self.state.kl_weight = trained.kl_weight.or(self.state.kl_weight);
                self.state.stage = Stage::Export;
            }
            Stage::Export => {
                let from = if self.generation().diverged { self.state.best } else { number };
                self.stages().export(number, from)?;
                self.state.stage = Stage::Judge;
            }
            Stage::Judge => {
                let limit = self.config.drift.map(|drift| drift.limit);
                let drifted = limit.zip(self.generation().kl()).is_some_and(|(l, kl)| kl > l);
                let verdict = match self.generation().diverged {
                    true => Some(Verdict::given(false)),
                    false => self.judge().gate(&self.state, drifted)?,
                };
                let Some(verdict) = verdict else { return Ok(()) };
                let Some(watch) = self.judge().watch(&self.state)? else { return Ok(()) };
                self.generation().watch = watch;
                self.settle(verdict);
                self.record(number)?;
                self.state.generation += 1;
                self.state.stage = Stage::Selfplay;
                self.save()?;
                return self.drop_checkpoints();
            }
        }
        self.save()
    }

    /// Checkpoints are several times as large as the networks that came of them:
    /// only those that training may go on from are kept.
    fn drop_checkpoints(&self) -> Result<(), LoopError> {
        let needed = [0, self.state.best, self.state.weights];
        for number in (1..self.state.generation).filter(|number| !needed.contains(number)) {
            for path in checkpoints(&self.folder.run(number)) {
                std::fs::remove_file(&path).map_err(|source| LoopError::Write { path, source })?;
            }
        }
        Ok(())
    }

    /// What the verdict means for the generations to come.
    fn settle(&mut self, verdict: Verdict) {
        let number = self.state.generation;
        let accepted = verdict.accepted;
        let generation = self.generation();
        generation.accepted = accepted;
        generation.gate = verdict.results;
        let state = &mut self.state;
        if accepted {
            (state.best, state.weights, state.vetoes) = (number, number, 0);
            state.measures = Measures::default();
        } else {
            state.vetoes += 1;
            state.weights = state.best;
            state.measures = measures(state.vetoes);
        }
    }

    fn generation(&mut self) -> &mut Generation {
        let number = self.state.generation;
        if self.state.history.last().is_none_or(|last| last.number != number) {
            self.state.history.push(Generation { number, ..Generation::default() });
        }
        let last = self.state.history.len() - 1;
        &mut self.state.history[last]
    }

    /// Telemetry of a finished generation.
    fn record(&mut self, number: u32) -> Result<(), LoopError> {
        let telemetry = self.folder.telemetry(number);
        let generation = self.generation().clone();
        // What a killed loop wrote of this generation is written again.
        let mut recorder = Recorder::open(self.folder.path(), Some(u64::from(number) - 1))?;
        let mut row: Vec<(String, f64)> = telemetry
            .metrics()
            .into_iter()
            .map(|(name, value)| (format!("selfplay/{name}"), value))
            .collect();
        row.extend(generation.training.clone());
        row.push(("gate/accepted".to_string(), f64::from(u8::from(generation.accepted))));
        for result in generation.matches() {
            row.push((format!("match/{}/score", result.opponent), result.score));
            for (name, value) in
                [("elo", result.elo), ("elo_low", result.low), ("elo_high", result.high)]
            {
                row.extend(value.map(|v| (format!("match/{}/{name}", result.opponent), v)));
            }
        }
        row.extend(self.rating(number));
        for (name, value) in &row {
            recorder.scalar(name, *value);
        }
        recorder.histogram("selfplay/lengths", &telemetry.typical_lengths());
        recorder.finish_step(u64::from(number), generation.positions)?;
        self.write_csv()
    }

    /// The strength of a generation, as all matches so far show it: three series
    /// for a band.
    fn rating(&self, number: u32) -> Vec<(String, f64)> {
        let points = strengths(&self.state.history).map_or(Vec::new(), |found| found.points);
        let Some(point) = points.into_iter().find(|point| point.generation == number) else {
            return Vec::new();
        };
        let Strength { elo, interval, .. } = point;
        let values = [("elo", elo), ("elo_low", interval.low), ("elo_high", interval.high)];
        values.map(|(name, value)| (format!("rating/{name}"), value)).into()
    }

    /// All metrics so far as a table, for spreadsheets.
    fn write_csv(&self) -> Result<(), LoopError> {
        let lines = read_metrics(&self.folder.metrics()).unwrap_or_default();
        let path = self.folder.csv();
        let table = table(&lines);
        write_atomic(&path, table.as_bytes()).map_err(|source| LoopError::Write { path, source })
    }

    fn save(&self) -> Result<(), LoopError> {
        let path = self.folder.state();
        self.state.write(&path).map_err(|source| LoopError::Write { path, source })
    }
}

/// Comma-separated columns, one for each name in any of the lines.
fn table(lines: &[LogLine]) -> String {
    let names: BTreeSet<&String> = lines.iter().flat_map(|line| line.values.keys()).collect();
    let quoted = |name: &&String| format!("\"{}\"", name.replace('"', "\"\""));
    let mut text = "generation,positions".to_string();
    names.iter().for_each(|name| text += &format!(",{}", quoted(name)));
    for line in lines {
        text += &format!("\n{},{}", line.step, line.positions);
        for name in &names {
            let value = line.values.get(*name).copied().flatten();
            text += &value.map_or(",".to_string(), |value| format!(",{value}"));
        }
    }
    text + "\n"
}

/// A folder is for one config once the loop has begun; only its length may change.
fn settle_config(config: &LoopConfig, folder: &Folder, begun: bool) -> Result<(), LoopError> {
    let path = folder.config();
    if let Ok(text) = std::fs::read_to_string(&path)
        && begun
    {
        let before: LoopConfig = Format::Toml.parse(&text, &path)?;
        let same = LoopConfig { generations: config.generations, ..before.clone() };
        if same != *config {
            let tree = |config: &LoopConfig| serde_json::to_value(config).unwrap_or_default();
            let differences = differences(&tree(&before), &tree(config)).join("; ");
            return Err(LoopError::OtherSettings {
                folder: folder.path().to_path_buf(),
                differences,
            });
        }
    }
    let text =
        toml::to_string_pretty(config).map_err(|error| LoopError::Settings(error.to_string()))?;
    write_atomic(&path, text.as_bytes()).map_err(|source| LoopError::Write { path, source })
}
