//! `backendbench`: a network's speed on a backend, batch size by batch size.
//!
//! In: an opened backend. Out: a table of positions per second and latency, with
//! one evaluator and with two at the same time; or the same as JSON.

use crate::eval::{EvalError, EvaluatorSource, Opened, Speed, Workload};
use serde::Serialize;
use std::io::{self, Write};
use std::thread;
use std::time::Duration;

/// What to measure.
#[derive(Clone, Debug)]
pub struct BackendBench {
    /// Largest batch; sizes double from 1 up to it.
    pub max_batch: usize,
    /// Time for each size, once with one evaluator and once with two.
    pub time: Duration,
    pub json: bool,
}

impl Default for BackendBench {
    fn default() -> BackendBench {
        BackendBench { max_batch: 64, time: Duration::from_millis(500), json: false }
    }
}

#[derive(Serialize)]
struct Report {
    backend: &'static str,
    description: String,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    batch: usize,
    positions_per_second: f64,
    latency_ms: f64,
    two_evaluators_positions_per_second: f64,
    two_evaluators_latency_ms: f64,
}

/// Measures `opened` and writes the table.
pub fn backendbench(
    opened: &Opened,
    settings: &BackendBench,
    out: &mut dyn Write,
) -> io::Result<()> {
    let description = opened.source.describe();
    if !settings.json {
        for note in &opened.notes {
            writeln!(out, "note: {note}")?;
        }
        writeln!(out, "{description}")?;
        writeln!(out, "           one evaluator            two evaluators, two threads")?;
        writeln!(out, "batch   positions/s  latency ms    positions/s  latency ms")?;
    }
    let workload = Workload::new();
    let mut rows = Vec::new();
    let sizes = (0..).map(|i| 1usize << i).take_while(|batch| *batch <= settings.max_batch.max(1));
    for batch in sizes {
        let row = measure(opened.source.as_ref(), &workload, batch, settings.time)
            .map_err(io::Error::other)?;
        if !settings.json {
            writeln!(
                out,
                "{batch:5}  {:12.0}  {:10.2}   {:12.0}  {:10.2}",
                row.positions_per_second,
                row.latency_ms,
                row.two_evaluators_positions_per_second,
                row.two_evaluators_latency_ms
            )?;
        }
        rows.push(row);
    }
    if settings.json {
        let report = Report { backend: opened.backend.name(), description, rows };
        serde_json::to_writer(&mut *out, &report)?;
        writeln!(out)?;
    }
    Ok(())
}

fn measure(
    source: &dyn EvaluatorSource,
    workload: &Workload,
    batch: usize,
    time: Duration,
) -> Result<Row, EvalError> {
    let run = || {
        let mut evaluator = source.create(batch)?;
        workload.measure(evaluator.as_mut(), batch, time)
    };
    let one = run()?;
    let (a, b) = thread::scope(|scope| {
        let other = scope.spawn(run);
        let mine = run();
        let other = other.join().unwrap_or_else(|_| Err(EvalError("a thread died".to_string())));
        (mine, other)
    });
    let (a, b): (Speed, Speed) = (a?, b?);
    let ms = |latency: Duration| latency.as_secs_f64() * 1000.0;
    Ok(Row {
        batch,
        positions_per_second: one.positions_per_second,
        latency_ms: ms(one.latency),
        two_evaluators_positions_per_second: a.positions_per_second + b.positions_per_second,
        two_evaluators_latency_ms: ms((a.latency + b.latency) / 2),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Backend, BackendSettings, open_backend};

    #[test]
    fn table_and_json_have_a_row_for_each_size() {
        let settings = BackendSettings { backend: Backend::Random, ..Default::default() };
        let opened = open_backend(&settings).unwrap();
        let time = Duration::from_millis(1);
        let mut bench = BackendBench { max_batch: 5, time, json: false };
        let mut text = Vec::new();
        backendbench(&opened, &bench, &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap().lines().count(), 3 + 3);
        bench.json = true;
        let mut text = Vec::new();
        backendbench(&opened, &bench, &mut text).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(report["rows"][2]["batch"], 4);
        assert_eq!(report["backend"], "random");
    }
}
