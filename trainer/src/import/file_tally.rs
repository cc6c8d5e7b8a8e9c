//! Whether a file was any good.

use std::io;

/// What was found in one file.
#[derive(Default)]
pub struct FileTally {
    /// Games or lines, broken ones included.
    pub items: u64,
    broken: u64,
    first: Option<(u64, String)>,
    error: Option<io::Error>,
}

impl FileTally {
    pub fn broken(&mut self, line: u64, cause: String) {
        self.broken += 1;
        self.first.get_or_insert((line, cause));
    }

    /// The file cannot be read any further.
    pub fn failed(&mut self, error: io::Error) {
        self.error = Some(error);
    }

    /// What the user must know of the file, if anything; `noun` is an item.
    pub fn complaint(self, path: &str, noun: &str) -> Option<String> {
        let items = self.items;
        if let Some(error) = self.error {
            return Some(match items {
                0 => format!("{path}: cannot be read ({error}): is it cut off or damaged?"),
                _ => format!(
                    "{path}: cut off or damaged ({error}); the {items} {noun}s before that are kept"
                ),
            });
        }
        match self.first {
            None if items == 0 => Some(format!("{path}: there is no {noun} in it")),
            Some((line, cause)) if self.broken == items => Some(format!(
                "{path}: none of its {items} {noun}s can be used; line {line}: {cause}"
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_useless_files_are_complained_of() {
        let complaint = |items, broken: u64, error: Option<&str>| {
            let mut tally = FileTally { items, ..FileTally::default() };
            (1..=broken).for_each(|line| tally.broken(line, "nonsense".into()));
            error.into_iter().for_each(|error| tally.failed(io::Error::other(error)));
            tally.complaint("f.pgn", "game")
        };
        assert_eq!(complaint(3, 2, None), None);
        assert!(complaint(0, 0, None).unwrap().contains("no game"));
        assert!(complaint(2, 2, None).unwrap().contains("line 1: nonsense"));
        assert!(complaint(9, 1, Some("eof")).unwrap().contains("9 games before that are kept"));
        assert!(complaint(0, 0, Some("eof")).unwrap().contains("cannot be read"));
    }
}
