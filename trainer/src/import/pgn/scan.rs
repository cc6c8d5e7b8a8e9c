//! Where one game ends in a stream of PGN, without understanding its moves.
//!
//! In: bytes from the start of a game on. Out: its length. Comments may hold
//! anything, tags may be missing and blank lines may stand anywhere, so this
//! goes by tokens: a game ends after its result, before the next tags, or
//! where a blank line is followed by move 1.

/// What is wrong with the text of a game as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error("a comment is never closed: a }} is missing")]
    OpenComment,
    #[error("no end of the game within 16 MiB")]
    TooLong,
}

/// The text of one game.
#[derive(Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where the moves start, in bytes.
    pub moves: usize,
    /// Its length in bytes.
    pub end: usize,
    /// Blank lines stand among the moves.
    pub blank_lines: bool,
    pub flaw: Option<Flaw>,
}

const BOM: &[u8] = b"\xef\xbb\xbf";
const EVENT: &[u8] = b"[Event ";

/// The game at the start of `text`; `None` when its end is not in sight yet.
/// `complete` says that nothing follows after `text`.
pub fn game_extent(text: &[u8], complete: bool) -> Option<Extent> {
    let mut scan = Scan { text, complete, at: 0, blank_lines: false };
    let section = scan.tags()?;
    let moves = scan.at;
    let flaw = match section {
        Section::Over => None,
        Section::Moves => scan.moves()?,
    };
    Some(Extent { moves, end: scan.at, blank_lines: scan.blank_lines, flaw })
}

/// How many bytes at the start belong to no game.
pub fn blank_prefix(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte.is_ascii_whitespace() {
            at += 1;
        } else if text[at..].starts_with(BOM) {
            at += BOM.len();
        } else {
            break;
        }
    }
    at
}

/// What follows the tags.
enum Section {
    Moves,
    Over,
}

struct Scan<'a> {
    text: &'a [u8],
    complete: bool,
    at: usize,
    blank_lines: bool,
}

impl Scan<'_> {
    /// Passes over the tags.
    fn tags(&mut self) -> Option<Section> {
        let (mut tags, mut events, mut newlines) = (0, 0, 1);
        loop {
            let Some(&byte) = self.text.get(self.at) else { return self.over() };
            match byte {
                b'\n' => {
                    newlines += 1;
                    self.at += 1;
                }
                b'%' if newlines > 0 => self.skip_line()?,
                b'[' => {
                    let event = self.starts_with(self.at, EVENT)?;
                    if event && tags > 0 && (newlines > 1 || events > 0) {
                        return Some(Section::Over);
                    }
                    tags += 1;
                    events += usize::from(event);
                    newlines = 0;
                    self.tag()?;
                }
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => return Some(Section::Moves),
            }
        }
    }

    /// Passes over one tag, which ends with its line at the latest.
    fn tag(&mut self) -> Option<()> {
        let mut quoted = false;
        self.at += 1;
        loop {
            match self.text.get(self.at) {
                None => return self.complete.then_some(()),
                Some(b'\n') => return Some(()),
                Some(b']') if !quoted => {
                    self.at += 1;
                    return Some(());
                }
                Some(b'\\') if quoted && self.text.get(self.at + 1) != Some(&b'\n') => {
                    self.at += 2;
                }
                Some(b'"') => {
                    quoted = !quoted;
                    self.at += 1;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// Passes over the moves; the answer is what is wrong with them, if anything.
    fn moves(&mut self) -> Option<Option<Flaw>> {
        let mut depth = 0usize;
        let mut result = false;
        loop {
            let Some(&byte) = self.text.get(self.at) else {
                return self.over().map(|_| None);
            };
            match byte {
                b'\n' => {
                    self.at += 1;
                    if self.starts_tag(self.at)? {
                        return Some(None);
                    }
                    match self.text.get(self.at) {
                        Some(b'%') => self.skip_line()?,
                        Some(b'\n' | b'\r') if self.ends_at_blank_line(result, depth)? => {
                            return Some(None);
                        }
                        _ => {}
                    }
                }
                b'{' => {
                    if let Some(next_game) = self.comment()? {
                        self.at = next_game;
                        return Some(Some(Flaw::OpenComment));
                    }
                }
                b';' => self.skip_line()?,
                b'(' => {
                    depth += 1;
                    self.at += 1;
                }
                b')' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ if result && (byte.is_ascii_digit() || byte == b'[') => return Some(None),
                _ => {
                    let token = self.token()?;
                    result |= depth == 0 && is_result(token);
                    self.at += token.len();
                }
            }
        }
    }

    /// At a blank line among the moves: whether the game is over. If not, the
    /// line is passed over.
    fn ends_at_blank_line(&mut self, result: bool, depth: usize) -> Option<bool> {
        let blank = self.text[self.at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        // Whether this is a blank line or a stray carriage return.
        let newline = self.text[self.at..self.at + blank].contains(&b'\n');
        let next = self.at + blank;
        if next == self.text.len() && !self.complete {
            return None;
        }
        let first_move = depth == 0
            && (self.starts_with(next, b"1 ")?
                || self.starts_with(next, b"1.")? && !self.starts_with(next, b"1..")?);
        if newline && (next == self.text.len() || result || first_move || self.starts_tag(next)?) {
            self.at = next;
            return Some(true);
        }
        self.blank_lines |= newline && next < self.text.len();
        self.at = next;
        Some(false)
    }

    /// Passes over a comment. When it is never closed, the answer is where the
    /// next game starts. Tags within a comment tell: a closing brace after them,
    /// before another comment or game, makes them part of it.
    fn comment(&mut self) -> Option<Option<usize>> {
        let mut next_game = None;
        let mut after_blank = false;
        self.at += 1;
        loop {
            let Some(&byte) = self.text.get(self.at) else {
                let end = next_game.unwrap_or(self.text.len());
                return self.complete.then_some(Some(end));
            };
            self.at += 1;
            match byte {
                b'}' => return Some(None),
                b'{' if next_game.is_some() => return Some(next_game),
                b'\n' => {
                    if after_blank && self.starts_with(self.at, EVENT)? {
                        if next_game.is_some() {
                            return Some(next_game);
                        }
                        next_game = Some(self.at);
                    }
                    after_blank = matches!(self.text.get(self.at), Some(b'\n' | b'\r'));
                }
                _ => {}
            }
        }
    }

    fn token(&self) -> Option<&[u8]> {
        let rest = &self.text[self.at..];
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"{}();".contains(byte);
        // At least a byte: a stray } is a token of its own.
        match rest.iter().skip(1).position(ends) {
            Some(length) => Some(&rest[..length + 1]),
            None => self.complete.then_some(rest),
        }
    }

    /// Up to the end of the line, which stays.
    fn skip_line(&mut self) -> Option<()> {
        match self.text[self.at..].iter().position(|&byte| byte == b'\n') {
            Some(length) => self.at += length,
            None if self.complete => self.at = self.text.len(),
            None => return None,
        }
        Some(())
    }

    fn starts_tag(&self, at: usize) -> Option<bool> {
        let bom = if self.starts_with(at, BOM)? { BOM.len() } else { 0 };
        self.starts_with(at + bom, b"[")
    }

    fn starts_with(&self, at: usize, prefix: &[u8]) -> Option<bool> {
        let rest = self.text.get(at..).unwrap_or_default();
        let undecided = rest.len() < prefix.len() && prefix.starts_with(rest) && !self.complete;
        (!undecided).then(|| rest.starts_with(prefix))
    }

    fn over(&self) -> Option<Section> {
        self.complete.then_some(Section::Over)
    }
}

fn is_result(token: &[u8]) -> bool {
    matches!(token, b"1-0" | b"0-1" | b"1/2-1/2" | b"*" | b"\xc2\xbd-\xc2\xbd")
}
