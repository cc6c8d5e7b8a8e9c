//! From what people write to what can be started.

use super::baseline::Baseline;
use super::spec::Network;
use super::{PlayerEntry, PlayerKind, PlayerSpec};
use crate::provenance::hash_file;
use crate::uci::EngineCommand;
use std::path::{Path, PathBuf};

/// Where the programs are that names such as `net:` stand for.
#[derive(Clone, Debug)]
pub struct Programs {
    /// Our engine.
    pub engine: PathBuf,
    pub stockfish: String,
}

impl Programs {
    pub fn engine_command(&self) -> EngineCommand {
        EngineCommand { program: self.engine.display().to_string(), arguments: Vec::new() }
    }
}

impl Default for Programs {
    /// The engine beside the running program, as `cargo build` puts it.
    fn default() -> Programs {
        let name = format!("engine{}", std::env::consts::EXE_SUFFIX);
        let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join(&name)));
        Programs { engine: beside.unwrap_or(name.into()), stockfish: "stockfish".to_string() }
    }
}

/// Looks at the files; the error says what is wrong with the entry.
pub fn resolve(entry: &PlayerEntry, programs: &Programs) -> Result<PlayerSpec, String> {
    let mut anchor = entry.anchor;
    let (name, kind) = match entry.kind.as_str() {
        "net" => net(entry, programs)?,
        "cmd" => {
            let command = EngineCommand::parse(&entry.what).ok_or_else(|| {
                format!("cmd:{}: not a command; are all quotes closed?", entry.what)
            })?;
            let stem = Path::new(&command.program).file_stem().unwrap_or_default();
            let name = stem.to_string_lossy().into_owned();
            (with_options(&name, &entry.options), engine(command, entry.options.clone(), None)?)
        }
        "stockfish" => {
            anchor = anchor.or(entry.what.parse().ok());
            stockfish(entry, programs)?
        }
        other => match Baseline::parse(other, &entry.options) {
            Some(baseline) => {
                let baseline = baseline.map_err(|cause| format!("{other}: {cause}"))?;
                (with_options(other, &entry.options), PlayerKind::Baseline(baseline))
            }
            None => return Err(unknown(entry)),
        },
    };
    let name = entry.name.clone().unwrap_or(name);
    if name.trim().is_empty() || name.contains(['"', '\n']) {
        return Err(format!("`{name}` is no name for a player"));
    }
    Ok(PlayerSpec { name, kind, time: entry.time, anchor })
}

fn unknown(entry: &PlayerEntry) -> String {
    format!(
        "`{}` is no player: expected net:FILE, cmd:COMMAND, stockfish:ELO, random, greedy, mcts or \
         alphabeta, each with ?OPTION=VALUE&... where needed",
        entry.kind
    )
}

fn net(entry: &PlayerEntry, programs: &Programs) -> Result<(String, PlayerKind), String> {
    let unreadable = |error: std::io::Error| format!("network {}: {error}", entry.what);
    let path = std::fs::canonicalize(&entry.what).map_err(unreadable)?;
    let sha256 = hash_file(&path).map_err(unreadable)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut options = vec![("Net".to_string(), path.display().to_string())];
    options.extend(entry.options.iter().cloned());
    let program = programs.engine.display().to_string();
    if !programs.engine.is_file() {
        return Err(format!(
            "net:{}: there is no engine at {program}; build it, or name it with --engine",
            entry.what
        ));
    }
    let command = EngineCommand { program, arguments: Vec::new() };
    let kind = engine(command, options, Some(Network { path, sha256 }))?;
    Ok((with_options(&stem, &entry.options), kind))
}

/// Stockfish held down to a rating of its own scale.
fn stockfish(entry: &PlayerEntry, programs: &Programs) -> Result<(String, PlayerKind), String> {
    let level = entry.what.as_str();
    if level.parse::<u32>().is_err() {
        return Err(format!("stockfish:{level}: expected a rating, e.g. stockfish:2000"));
    }
    let mut options = [("UCI_LimitStrength", "true"), ("UCI_Elo", level)]
        .map(|(n, v)| (n.into(), v.into()))
        .to_vec();
    options.extend(entry.options.iter().cloned());
    let command = EngineCommand::parse(&programs.stockfish)
        .ok_or_else(|| format!("--stockfish {}: not a command", programs.stockfish))?;
    let name = with_options(&format!("Stockfish {level}"), &entry.options);
    Ok((name, engine(command, options, None)?))
}

fn engine(
    command: EngineCommand,
    options: Vec<(String, String)>,
    network: Option<Network>,
) -> Result<PlayerKind, String> {
    let path = command.located().ok_or_else(|| {
        format!("{}: no such program; give its path, or put its folder into PATH", command.program)
    })?;
    let program = hash_file(&path).ok();
    Ok(PlayerKind::Engine { command, options, program, network })
}

/// A name that tells players apart who differ in their options.
fn with_options(name: &str, options: &[(String, String)]) -> String {
    let listed: Vec<String> =
        options.iter().map(|(option, value)| format!("{option}={value}")).collect();
    match listed.is_empty() {
        true => name.to_string(),
        false => format!("{name} ({})", listed.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str) -> Result<PlayerSpec, String> {
        let programs = Programs { engine: "/bin/sh".into(), stockfish: "sh".to_string() };
        resolve(&text.parse()?, &programs)
    }

    #[test]
    fn each_kind_of_player() {
        let folder = tempfile::tempdir().unwrap();
        let net = folder.path().join("best.onnx");
        std::fs::write(&net, "net").unwrap();
        let ours = resolved(&format!("net:{}?Threads=2", net.display())).unwrap();
        assert_eq!((ours.name.as_str(), ours.threads()), ("best (Threads=2)", Some(2)));
        let PlayerKind::Engine { options, network, .. } = ours.kind else { panic!() };
        assert_eq!(options[0].0, "Net");
        assert_eq!(network.unwrap().sha256, crate::provenance::hash(b"net"));

        let level = resolved("stockfish:2000?Hash=16").unwrap();
        assert_eq!((level.name.as_str(), level.anchor), ("Stockfish 2000 (Hash=16)", Some(2000.0)));
        assert_eq!(resolved("stockfish:2000?anchor=1900").unwrap().anchor, Some(1900.0));

        assert_eq!(resolved("cmd:sh -c x?name=Me").unwrap().name, "Me");
        assert_eq!(resolved("alphabeta?depth=2").unwrap().name, "alphabeta (depth=2)");
        assert_eq!(resolved("greedy").unwrap().threads(), Some(1));
    }

    #[test]
    fn refusals_name_the_cause() {
        for (text, cause) in [
            ("net:missing.onnx", "missing.onnx"),
            ("cmd:no-such-engine", "no such program"),
            ("cmd:'open", "quotes"),
            ("stockfish:strong", "expected a rating"),
            ("alphabeta?depth=0", "depth"),
            ("leela", "no player"),
            ("random?name=", "no name"),
        ] {
            let refusal = resolved(text).unwrap_err();
            assert!(refusal.contains(cause), "{text}: {refusal}");
        }
    }
}
