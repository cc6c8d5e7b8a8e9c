//! A Python with pinned packages, to read what the trainer writes.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use engine::eval::cache_folder;

/// The interpreter of the cache folder's environment, with packages named like
/// `pyarrow==21.0.0`; both are made if missing, and `None` if they cannot be.
pub fn python_with(packages: &[&str]) -> Option<PathBuf> {
    // Tests run side by side, and pip does not like company.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock();
    let folder = cache_folder()?.join("python");
    let binaries = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = binaries.join(if cfg!(windows) { "python.exe" } else { "python" });
    let succeeds = |command: &mut Command| command.output().is_ok_and(|o| o.status.success());
    let check = "import sys, importlib.metadata as m\n\
                 for p in sys.argv[1:]:\n    n, v = p.split('==')\n    assert m.version(n) == v";
    if succeeds(Command::new(&python).args(["-c", check]).args(packages)) {
        return Some(python);
    }
    let system = if cfg!(windows) { "python" } else { "python3" };
    let made = python.exists() || succeeds(Command::new(system).args(["-m", "venv"]).arg(&folder));
    let install = ["-m", "pip", "install", "--quiet"];
    (made && succeeds(Command::new(&python).args(install).args(packages))).then_some(python)
}
