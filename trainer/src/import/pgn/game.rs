//! One game's text into a record, or the reason why not.

use super::cut::{Span, newlines};
use super::eval_comment::{seen_by, white_score};
use super::filter::{Filter, Reason, Variant};
use super::headers::Headers;
use super::movetext::unreadable_word;
use crate::import::wdl_model::wdl;
use crate::shards::{Outcome, Ply, Record, SearchKind};
use engine::chess::PackedMove;
use pgn_reader::{KnownOutcome, RawComment, RawTag, Reader, SanPlus, Visitor};
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, Position};
use std::borrow::Cow;
use std::ops::ControlFlow::{self, Break, Continue};

/// What becomes of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameSettings {
    pub filter: Filter,
    /// What chose the moves. A position with a score in its comment counts as
    /// [`SearchKind::Comment`].
    pub kind: SearchKind,
    /// The first plies get no weight.
    pub skip_plies: usize,
}

impl Default for GameSettings {
    fn default() -> GameSettings {
        GameSettings { filter: Filter::default(), kind: SearchKind::Human, skip_plies: 0 }
    }
}

/// What became of a game.
#[derive(Debug)]
pub enum Verdict {
    /// `group` is its id.
    Kept(Box<Record>),
    LeftOut(Reason),
    /// With the line of the file where it went wrong.
    Broken {
        line: u64,
        cause: String,
    },
    /// A comment or so between games.
    NoGame,
}

/// Reads one game of a chunk, of which `text` is the span.
pub fn read_game(text: &[u8], span: &Span, settings: &GameSettings) -> Verdict {
    if let Some(flaw) = span.flaw {
        return Verdict::Broken { line: span.line, cause: flaw.to_string() };
    }
    let text = if span.blank_lines { fill_blank_lines(text, span) } else { Cow::Borrowed(text) };
    let line_at = |offset: usize| span.line + newlines(&text[..offset]);
    // Longer comments come in parts, in which a score may be torn.
    let mut reader = Reader::build(&text[..]).set_supported_comment_length(4096).finish();
    let outcome = reader.read_game(&mut GameVisitor { settings });
    let unread = reader.buffer().len() + reader.into_inner().len();
    // A line break right behind the last word read is not part of it.
    let read = text[..text.len() - unread].trim_ascii_end().len();
    let outcome = match outcome {
        Ok(None) => return Verdict::NoGame,
        Ok(Some(outcome)) => outcome,
        Err(error) => Err(Stop::Broken(error.to_string())),
    };
    if let Ok(game) = &outcome {
        if let Some(word) = unreadable_word(&text[span.moves..]) {
            let (from, to) = (span.moves + word.start, span.moves + word.end);
            let word = String::from_utf8_lossy(&text[from..to.min(from + 40)]);
            let no_game = if game.is_empty() { "not a PGN game: no tags, and " } else { "" };
            let cause = format!("{no_game}\"{word}\" is not a move");
            return Verdict::Broken { line: line_at(from), cause };
        }
        if game.is_empty() {
            return Verdict::NoGame;
        }
    }
    match outcome.and_then(|game| game.finish(settings)) {
        Ok(record) => Verdict::Kept(Box::new(record)),
        Err(Stop::LeftOut(reason)) => Verdict::LeftOut(reason),
        Err(Stop::Broken(cause)) => Verdict::Broken { line: line_at(read), cause },
    }
}

/// The parser takes a blank line among the moves for the end of the game; a
/// space makes it an ordinary one.
fn fill_blank_lines<'a>(text: &[u8], span: &Span) -> Cow<'a, [u8]> {
    let (tags, moves) = text.split_at(span.moves);
    let mut filled = tags.to_vec();
    for line in moves.split_inclusive(|&byte| byte == b'\n') {
        if line == b"\n" || line == b"\r\n" {
            filled.push(b' ');
        }
        filled.extend_from_slice(line);
    }
    Cow::Owned(filled)
}

/// Why a game is not read to its end.
enum Stop {
    LeftOut(Reason),
    Broken(String),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Stop {
        Stop::LeftOut(reason)
    }
}

struct GameVisitor<'a> {
    settings: &'a GameSettings,
}

/// A game as far as it is read.
struct Game {
    record: Record,
    tags: bool,
    position: Chess,
    /// Of the position, from comments; no move is known yet.
    next: Ply,
    tagged: Option<Outcome>,
    marker: Option<Outcome>,
}

impl Game {
    fn begin(headers: Headers, settings: &GameSettings) -> Result<Game, Stop> {
        let filter = &settings.filter;
        // Without tags it may be no game at all, which is worse than unwanted.
        if headers.any {
            filter.ratings(headers.white_elo, headers.black_elo)?;
            filter.termination(&headers.termination)?;
        }
        // An unknown result may still follow the moves.
        if let Some(result) = headers.result.filter(|&result| result != Outcome::Unknown) {
            filter.result(result)?;
        }
        let variant = headers.variant();
        if variant.is_none() {
            filter.variant(None)?;
        }
        let position =
            headers.start().map_err(|error| Stop::Broken(format!("FEN tag: {error}")))?;
        let chess960 = position.castles().mode().is_chess960();
        filter.variant(Some(if chess960 { Variant::Chess960 } else { Variant::Standard }))?;
        let (tags, tagged) = (headers.any, headers.result);
        let record = headers.into_record(&position);
        let next = settings.next_ply(0);
        Ok(Game { record, tags, position, next, tagged, marker: None })
    }

    fn play(&mut self, san: SanPlus, settings: &GameSettings) -> Result<(), Stop> {
        let m = san.san.to_move(&self.position).map_err(|_| {
            let number = self.position.fullmoves();
            let dots = if self.position.turn() == Color::White { "." } else { "..." };
            Stop::Broken(format!("illegal move {number}{dots} {san}"))
        })?;
        self.position.play_unchecked(m);
        let following = settings.next_ply(self.record.plies.len() + 1);
        let mut ply = std::mem::replace(&mut self.next, following);
        ply.played = Some(PackedMove::new(m));
        self.record.plies.push(ply);
        Ok(())
    }

    /// Whether there is nothing of a game in it.
    fn is_empty(&self) -> bool {
        !self.tags && self.marker.is_none() && self.record.plies.is_empty()
    }

    fn finish(mut self, settings: &GameSettings) -> Result<Record, Stop> {
        let filter = &settings.filter;
        self.record.result = self.result()?;
        filter.ratings(self.record.white_elo, self.record.black_elo)?;
        filter.termination(&self.record.termination)?;
        filter.result(self.record.result)?;
        filter.plies(self.record.plies.len())?;
        // The final position is kept when something is known of it.
        if self.next.wdl.is_some() && !self.position.is_game_over() {
            self.record.plies.push(self.next);
        }
        self.record.group = self.record.id();
        filter.sample(self.record.group)?;
        Ok(self.record)
    }

    /// What tags and moves agree on; where one is silent, the other counts.
    fn result(&self) -> Result<Outcome, Stop> {
        let known = |outcome: Option<Outcome>| outcome.filter(|&o| o != Outcome::Unknown);
        match (known(self.tagged), known(self.marker)) {
            (Some(tag), Some(end)) if tag != end => Err(Stop::Broken(format!(
                "the Result tag says {}, the moves end with {}",
                tag.text(),
                end.text()
            ))),
            (tag, end) => Ok(tag.or(end).unwrap_or_default()),
        }
    }
}

impl GameSettings {
    fn next_ply(&self, index: usize) -> Ply {
        let weight = if index < self.skip_plies { 0.0 } else { 1.0 };
        Ply { kind: self.kind, weight, ..Ply::default() }
    }
}

impl Visitor for GameVisitor<'_> {
    type Tags = Headers;
    type Movetext = Game;
    type Output = Result<Game, Stop>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Headers> {
        Continue(Headers::default())
    }

    fn tag(
        &mut self,
        headers: &mut Headers,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        headers.add(name, value);
        Continue(())
    }

    fn begin_movetext(&mut self, headers: Headers) -> ControlFlow<Self::Output, Game> {
        match Game::begin(headers, self.settings) {
            Ok(game) => Continue(game),
            Err(stop) => Break(Err(stop)),
        }
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<Self::Output> {
        match game.play(san, self.settings) {
            Ok(()) => Continue(()),
            Err(stop) => Break(Err(stop)),
        }
    }

    fn comment(&mut self, game: &mut Game, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        if let Some(white) = white_score(comment.as_bytes()) {
            let score = seen_by(game.position.turn(), white);
            let next = &mut game.next;
            (next.score, next.wdl) = (Some(score), Some(wdl(score)));
            next.kind = SearchKind::Comment;
        }
        Continue(())
    }

    fn outcome(&mut self, game: &mut Game, end: pgn_reader::Outcome) -> ControlFlow<Self::Output> {
        game.marker = Some(match end {
            pgn_reader::Outcome::Known(KnownOutcome::Draw) => Outcome::Draw,
            pgn_reader::Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => {
                Outcome::White
            }
            pgn_reader::Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => {
                Outcome::Black
            }
            pgn_reader::Outcome::Unknown => Outcome::Unknown,
        });
        Continue(())
    }

    fn end_game(&mut self, game: Game) -> Self::Output {
        Ok(game)
    }
}
