//! `doctor`: what this machine has for playing, and what would make it better.
//!
//! In: the network and the library that the options name. Out: a report with
//! what was found, tried and measured, and lines of advice. Nothing that is
//! missing or broken ends it early.

use crate::engine::open_network;
use crate::eval::{
    Backend, BackendSettings, Network, Origin, Provider, Runtime, Workload, cache_folder,
    candidates, cpu_features, cpu_model, open_backend,
};
use crate::onnx::{NetworkSpec, random_network};
use crate::options::NetChoice;
use std::cell::RefCell;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What to examine.
#[derive(Clone, Debug, Default)]
pub struct Doctor {
    pub net: NetChoice,
    pub runtime_library: Option<PathBuf>,
}

/// Time for each speed.
const TIME: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 300 });

/// Examines the machine and writes the report.
pub fn doctor(settings: &Doctor, out: &mut dyn Write) -> io::Result<()> {
    let mut visit = Visit { settings, advice: Vec::new(), out };
    visit.machine()?;
    let runtime = visit.runtime()?;
    if runtime.is_some() {
        visit.providers()?;
    }
    let network = visit.network()?;
    visit.speeds(&network, runtime.is_some())?;
    visit.advice()
}

struct Visit<'a> {
    settings: &'a Doctor,
    advice: Vec<String>,
    out: &'a mut dyn Write,
}

impl Visit<'_> {
    fn machine(&mut self) -> io::Result<()> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        writeln!(self.out, "Machine")?;
        writeln!(self.out, "  {os} on {arch}, {threads} threads")?;
        writeln!(self.out, "  processor: {}", cpu_model())?;
        writeln!(self.out, "  instructions: {}", cpu_features().join(" "))?;
        match cache_folder() {
            Some(folder) => writeln!(self.out, "  cache: {}", folder.display()),
            None => writeln!(self.out, "  cache: none (set ARBOR_CACHE)"),
        }
    }

    fn runtime(&mut self) -> io::Result<Option<Arc<Runtime>>> {
        writeln!(self.out, "\nONNX Runtime")?;
        let explicit = self.settings.runtime_library.as_deref();
        let runtime = match Runtime::load(explicit) {
            Ok(runtime) => {
                let (version, path) = (&runtime.version, runtime.path.display());
                writeln!(self.out, "  version {version} from {path} ({})", runtime.origin)?;
                Some(runtime)
            }
            Err(e) => {
                writeln!(self.out, "  none: {e}")?;
                self.advice.push(e.to_string());
                None
            }
        };
        writeln!(self.out, "  looked for, in this order:")?;
        for candidate in candidates(explicit) {
            let state = match candidate.origin {
                Origin::System => "for the system loader",
                _ if candidate.path.is_file() => "there",
                _ => "not there",
            };
            let (path, origin) = (candidate.path.display(), candidate.origin);
            writeln!(self.out, "    {path} ({origin}): {state}")?;
        }
        Ok(runtime)
    }

    /// Tries each provider with a network so small that starting is all it does.
    fn providers(&mut self) -> io::Result<()> {
        writeln!(self.out, "\nProviders")?;
        let tiny = tiny_network()?;
        for backend in Backend::ALL {
            let Some(provider) = backend.provider() else { continue };
            let state = if !provider.compiled_in() {
                "not in this library".to_string()
            } else {
                match open_backend(&self.backend(backend, &tiny)) {
                    Ok(_) => "works".to_string(),
                    Err(e) => format!("in this library, but fails: {e}"),
                }
            };
            writeln!(self.out, "  {:9} {state}", provider.to_string())?;
        }
        if nvidia_driver() && !Provider::Cuda.compiled_in() {
            let remedy = Provider::Cuda.remedy();
            self.advice.push(format!("this machine has an NVIDIA driver; to use it, {remedy}"));
        }
        Ok(())
    }

    fn network(&mut self) -> io::Result<Arc<Network>> {
        writeln!(self.out, "\nNetwork")?;
        let noted = RefCell::new(Vec::new());
        let opened = open_network(&self.settings.net, &|text| noted.borrow_mut().push(text));
        self.advice.extend(noted.into_inner());
        let network = match opened {
            Ok(network) => {
                writeln!(self.out, "  {}", network.path.display())?;
                writeln!(self.out, "  layout: {}", network.layout.describe())?;
                writeln!(self.out, "  sha-256: {}", network.hash)?;
                if !network.producer.is_empty() {
                    writeln!(self.out, "  written by: {}", network.producer)?;
                }
                for (key, value) in network.metadata.iter().filter(|(k, _)| k.starts_with("arbor."))
                {
                    writeln!(self.out, "  {key}: {value}")?;
                }
                network
            }
            Err(e) => {
                writeln!(self.out, "  refused: {e}")?;
                writeln!(self.out, "  speeds are those of a tiny random one")?;
                self.advice.push(e.to_string());
                return tiny_network();
            }
        };
        Ok(Arc::new(network))
    }

    fn speeds(&mut self, network: &Arc<Network>, has_runtime: bool) -> io::Result<()> {
        writeln!(self.out, "\nSpeed on one thread, positions per second")?;
        let native = self.speed(Backend::Native, network)?;
        let cpu = if has_runtime { self.speed(Backend::Cpu, network)? } else { None };
        let rust = self.speed(Backend::Rust, network)?;
        for (name, other) in [("ONNX Runtime on the CPU", cpu), ("the Rust backend", rust)] {
            if let (Some(native), Some(other)) = (native, other) {
                let ratio = native / other;
                writeln!(self.out, "  the native backend is {ratio:.1} times as fast as {name}")?;
            }
        }
        Ok(())
    }

    /// Writes one line and returns the best speed.
    fn speed(&mut self, backend: Backend, network: &Arc<Network>) -> io::Result<Option<f64>> {
        let opened = match open_backend(&self.backend(backend, network)) {
            Ok(opened) => opened,
            Err(e) => {
                writeln!(self.out, "  {backend}: {e}")?;
                return Ok(None);
            }
        };
        let workload = Workload::new();
        let mut best: Option<f64> = None;
        let mut line = format!("  {backend:5}");
        for batch in [1, 8, 32] {
            let speed = opened
                .source
                .create(batch)
                .and_then(|mut evaluator| workload.measure(evaluator.as_mut(), batch, TIME));
            match speed {
                Ok(speed) => {
                    line += &format!(" batch {batch}: {:.0};", speed.positions_per_second);
                    best = Some(best.unwrap_or(0.0).max(speed.positions_per_second));
                }
                Err(e) => line += &format!(" batch {batch}: {e};"),
            }
        }
        writeln!(self.out, "{} ({})", line.trim_end_matches(';'), opened.source.describe())?;
        Ok(best)
    }

    fn advice(&mut self) -> io::Result<()> {
        writeln!(self.out, "\nAdvice")?;
        if self.advice.is_empty() {
            return writeln!(self.out, "  none: all is well");
        }
        for line in &self.advice {
            writeln!(self.out, "  - {line}")?;
        }
        Ok(())
    }

    fn backend(&self, backend: Backend, network: &Arc<Network>) -> BackendSettings {
        BackendSettings {
            backend,
            network: Some(Arc::clone(network)),
            runtime_library: self.settings.runtime_library.clone(),
            ..BackendSettings::default()
        }
    }
}

fn tiny_network() -> io::Result<Arc<Network>> {
    let bytes = random_network(&NetworkSpec::default());
    Network::from_bytes("tiny random network", bytes).map(Arc::new).map_err(io::Error::other)
}

fn nvidia_driver() -> bool {
    let place = if cfg!(windows) { "C:\\Windows\\System32\\nvcuda.dll" } else { "/dev/nvidia0" };
    std::path::Path::new(place).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_network_becomes_advice() {
        let net = NetChoice::File("/no/such.onnx".into());
        let settings = Doctor { net, runtime_library: None };
        let mut text = Vec::new();
        doctor(&settings, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for part in ["Machine", "looked for", "refused", "Speed", "- no network file at /no/such"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
