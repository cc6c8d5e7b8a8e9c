//! The command line: every option of the table is a flag, every one-shot
//! command a subcommand. Without a subcommand the engine speaks UCI.

use std::io::{self, Write};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::commands::{self, BackendBench, BenchSettings, Doctor, Leaves};
use crate::engine::open_network;
use crate::eval::{Backend, BackendSettings, open_backend};
use crate::options::{Kind, Settings, Spec, TABLE, Values};
use crate::selfplay;
use crate::uci;

const ABOUT: &str = "Arbor, a chess engine that thinks with a neural network and tree search";
const AFTER: &str = "Without a command the engine speaks UCI on standard input and output.\n\
                     Options set here are the defaults that a GUI can still change.";

/// The whole command line.
pub fn command() -> Command {
    let fen = || Arg::new("fen").value_name("FEN").required(true).help("Position");
    let json = || Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON");
    let number = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name).long(name).default_value(default).value_parser(value_parser!(u32)).help(help)
    };
    Command::new("engine")
        .about(ABOUT)
        .after_help(AFTER)
        .version(env!("CARGO_PKG_VERSION"))
        .args(TABLE.iter().filter(|spec| spec.kind != Kind::Button).map(flag))
        .subcommand(Command::new("uci").about("Speak UCI (the default)"))
        .subcommand(
            Command::new("bench")
                .about("Search fixed positions: same nodes on every run, then nodes per second")
                .arg(number("depth", "6", "Mean depth at which a position is done"))
                .arg(number("nodes", "20000", "Visits after which it is done in any case")),
        )
        .subcommand(
            Command::new("backendbench")
                .about("Measure the network alone, by batch size")
                .arg(number("max-batch", "64", "Largest batch"))
                .arg(number("milliseconds", "500", "Time for each size"))
                .arg(json()),
        )
        .subcommand(Command::new("doctor").about("Report on runtime, devices, network and speed"))
        .subcommand(
            Command::new("perft").about("Count the legal move tree").arg(fen()).arg(
                Arg::new("depth").required(true).value_parser(value_parser!(u32)).help("Plies"),
            ),
        )
        .subcommand(
            Command::new("eval")
                .about("Show the network's policy and value for a position")
                .arg(fen())
                .arg(json()),
        )
        .subcommand(
            Command::new("leaves")
                .about("Search each position of a list on standard input; print some that the network was asked about")
                .arg(number("nodes", "400", "Visits of each search"))
                .arg(number("every", "10", "Print one of so many positions")),
        )
        .subcommand(
            Command::new("selfplay")
                .about("Play games for training: JSON jobs on standard input, games on its output"),
        )
        .subcommand(
            Command::new("options").about("Print the table of options as Markdown").hide(true),
        )
}

fn flag(spec: &Spec) -> Arg {
    let help = format!("{} [default: {}]", spec.help, spec.default_for_people());
    Arg::new(spec.name)
        .long(spec.flag())
        .value_name("VALUE")
        .allow_hyphen_values(true)
        .global(true)
        .help(help)
}

/// Does what the command line says.
pub fn run(matches: &ArgMatches) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match matches.subcommand() {
        Some(("bench", args)) => {
            let bench =
                BenchSettings { depth: number(args, "depth"), nodes: number(args, "nodes").into() };
            commands::bench(&values(args)?, bench, &mut out)
        }
        Some(("backendbench", args)) => backendbench(args, &mut out),
        Some(("doctor", args)) => doctor(args, &mut out),
        Some(("perft", args)) => commands::perft::run(text(args), number(args, "depth"), &mut out),
        Some(("eval", args)) => {
            let settings = Settings::new(&values(args)?);
            commands::eval::run(&settings, text(args), args.get_flag("json"), &mut out)
        }
        Some(("leaves", args)) => {
            drop(out);
            let leaves = Leaves {
                nodes: number(args, "nodes").into(),
                every: number(args, "every") as usize,
            };
            let settings = Settings::new(&values(args)?);
            commands::leaves(&settings, leaves, io::BufReader::new(io::stdin()), &mut io::stdout())
        }
        Some(("selfplay", args)) => {
            drop(out);
            let settings = Settings::new(&values(args)?);
            selfplay::run(&settings, io::BufReader::new(io::stdin()), &mut io::stdout())
        }
        Some(("options", _)) => write!(out, "{}", crate::options::markdown_table()),
        _ => {
            drop(out);
            let values = values(matches.subcommand().map_or(matches, |(_, args)| args))?;
            uci::run(io::stdin().lock(), Box::new(io::stdout()), values);
            Ok(())
        }
    }
}

fn text(args: &ArgMatches) -> &str {
    args.get_one::<String>("fen").map_or("", String::as_str)
}

fn number(args: &ArgMatches, name: &str) -> u32 {
    args.get_one::<u32>(name).copied().unwrap_or_default()
}

/// The options given as flags.
fn values(args: &ArgMatches) -> io::Result<Values> {
    let mut values = Values::default();
    for spec in TABLE.iter().filter(|spec| spec.kind != Kind::Button) {
        if let Some(value) = args.get_one::<String>(spec.name) {
            values.set(spec.name, value).map_err(|error| {
                io::Error::new(io::ErrorKind::InvalidInput, format!("--{}: {error}", spec.flag()))
            })?;
        }
    }
    Ok(values)
}

fn doctor(args: &ArgMatches, out: &mut dyn Write) -> io::Result<()> {
    let settings = Settings::new(&values(args)?);
    let Settings { net, runtime_library, .. } = settings;
    commands::doctor(&Doctor { net, runtime_library }, out)
}

fn backendbench(args: &ArgMatches, out: &mut dyn Write) -> io::Result<()> {
    let settings = Settings::new(&values(args)?);
    let network = match settings.backend {
        Backend::Random => None,
        _ => {
            let network = open_network(&settings.net, &|text| eprintln!("{text}"));
            Some(network.map_err(io::Error::other)?.into())
        }
    };
    let opened = open_backend(&BackendSettings {
        backend: settings.backend,
        network,
        runtime_library: settings.runtime_library.clone(),
        device_id: settings.device,
        fp16: settings.fp16,
        seed: settings.seed(),
    })
    .map_err(io::Error::other)?;
    let bench = BackendBench {
        max_batch: number(args, "max-batch") as usize,
        time: Duration::from_millis(number(args, "milliseconds").into()),
        json: args.get_flag("json"),
    };
    commands::backendbench(&opened, &bench, out)
}
