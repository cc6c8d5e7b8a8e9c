//! How an engine is started: a path, or a command with arguments.

use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const GAMES_FOLDERS: [&str; 2] = ["/usr/games", "/usr/local/games"];

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EngineCommand {
    pub program: String,
    pub arguments: Vec<String>,
}

impl EngineCommand {
    /// A file's path as it is, spaces and all; anything else is split at blanks,
    /// with single or double quotes around what belongs together. `None` when
    /// nothing is left or a quote is not closed.
    pub fn parse(text: &str) -> Option<EngineCommand> {
        if Path::new(text).is_file() {
            return Some(EngineCommand { program: text.to_string(), arguments: Vec::new() });
        }
        let mut words = split(text)?.into_iter();
        Some(EngineCommand { program: words.next()?, arguments: words.collect() })
    }

    /// The program's file: a path as it is, a bare name by `PATH` and then the
    /// folders of games, where Debian's packages put engines.
    pub fn located(&self) -> Option<PathBuf> {
        if Path::new(&self.program).components().count() > 1 {
            return Some(PathBuf::from(&self.program)).filter(|path| path.is_file());
        }
        let name = format!("{}{}", self.program, std::env::consts::EXE_SUFFIX);
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let games = GAMES_FOLDERS.iter().map(PathBuf::from);
        std::env::split_paths(&paths)
            .chain(games)
            .flat_map(|folder| [folder.join(&name), folder.join(&self.program)])
            .find(|path| path.is_file())
    }

    /// Ready to start, with pipes, in a process group of its own: Ctrl-C goes to
    /// the trainer alone, which lets the engine finish what it is at.
    pub(super) fn build(&self) -> Command {
        let mut command =
            Command::new(self.located().unwrap_or_else(|| self.program.clone().into()));
        command.args(&self.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        {
            const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
            std::os::windows::process::CommandExt::creation_flags(
                &mut command,
                CREATE_NEW_PROCESS_GROUP,
            );
        }
        command
    }
}

impl fmt::Display for EngineCommand {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.program)?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
    }
}

fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Option<Vec<String>> {
        EngineCommand::parse(text).map(|command| {
            [vec![command.program], command.arguments].into_iter().flatten().collect()
        })
    }

    #[test]
    fn arguments_are_split_at_blanks_outside_quotes() {
        let expected = ["lc0", "--weights=a b.pb", "", "x"].map(String::from).to_vec();
        assert_eq!(words("lc0  --weights='a b.pb' \"\" x"), Some(expected));
        assert_eq!(words("lc0 'open"), None);
        assert_eq!(words("  "), None);
    }

    #[test]
    fn a_bare_name_is_looked_up_and_a_path_is_not() {
        let located = |program: &str| {
            EngineCommand { program: program.to_string(), arguments: Vec::new() }.located()
        };
        assert!(located("sh").is_some_and(|path| path.is_absolute()));
        assert_eq!(located("./sh"), None);
        assert_eq!(located("no-such-engine"), None);
    }

    #[test]
    fn a_file_with_blanks_in_its_name_is_one_word() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my engine");
        std::fs::write(&path, "").unwrap();
        let path = path.display().to_string();
        assert_eq!(words(&path), Some(vec![path]));
    }
}
