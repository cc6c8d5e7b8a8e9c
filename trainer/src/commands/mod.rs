//! The command line: one file per command, each a struct of flags and its `run`.

mod arena;
mod cycle;
mod evaluate;
mod export_onnx;
mod import_epd;
mod import_pgn;
mod inspect;
mod label;
mod nets;
mod openings;
mod report;
mod selfplay;
mod suite;
mod sweep;
mod train;

use crate::interrupt;
use crate::uci::EngineCommand;
use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// Arbor's trainer: turns games and teacher labels into networks for the engine.
#[derive(Parser)]
#[command(version = crate::provenance::VERSION, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    ImportPgn(import_pgn::Flags),
    ImportEpd(import_epd::Flags),
    Label(label::Flags),
    Inspect(inspect::Flags),
    Train(train::Flags),
    ExportOnnx(export_onnx::Flags),
    Nets(nets::Flags),
    Evaluate(evaluate::Flags),
    Selfplay(selfplay::Flags),
    Loop(cycle::Flags),
    Sweep(sweep::Flags),
    Report(report::Flags),
    Arena(arena::Flags),
    Openings(openings::Flags),
    Suite(suite::Flags),
}

/// An engine as a flag names it: a path, or a command with arguments.
fn engine_command(flag: &str, text: &str) -> Result<EngineCommand> {
    EngineCommand::parse(text)
        .with_context(|| format!("{flag} {text:?}: not a command; are all quotes closed?"))
}

/// Runs the command; the answer is the process's exit code.
pub fn run(arguments: Arguments) -> i32 {
    interrupt::listen();
    let outcome = match arguments.command {
        Command::ImportPgn(flags) => import_pgn::run(flags),
        Command::ImportEpd(flags) => import_epd::run(flags),
        Command::Label(flags) => label::run(flags),
        Command::Inspect(flags) => inspect::run(flags),
        Command::Train(flags) => train::run(flags),
        Command::ExportOnnx(flags) => export_onnx::run(flags),
        Command::Nets(flags) => nets::run(flags),
        Command::Evaluate(flags) => evaluate::run(flags),
        Command::Report(flags) => report::run(flags),
        Command::Loop(flags) => cycle::run(flags),
        Command::Sweep(flags) => sweep::run(flags),
        Command::Selfplay(flags) => selfplay::run(flags),
        Command::Arena(flags) => arena::run(flags),
        Command::Openings(flags) => openings::run(flags),
        Command::Suite(flags) => suite::run(flags),
    };
    match outcome {
        Ok(()) if interrupt::requested() => interrupt::EXIT_CODE,
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {error:#}");
            if interrupt::requested() { interrupt::EXIT_CODE } else { 1 }
        }
    }
}
