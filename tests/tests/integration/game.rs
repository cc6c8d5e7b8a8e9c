//! The rules by shakmaty alone: a game replayed beside the engine, and the
//! check of everything one `go` printed.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

use crate::driver::{best_and_ponder, is_best};
use crate::info::Info;

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
pub const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[derive(Clone)]
pub struct Game {
    start: String,
    mode: CastlingMode,
    pub position: Chess,
    pub moves: Vec<String>,
}

impl Game {
    pub fn new(fen: &str) -> Game {
        Game::in_mode(fen, CastlingMode::Standard)
    }

    pub fn in_mode(fen: &str, mode: CastlingMode) -> Game {
        let position = fen.parse::<Fen>().unwrap().into_position(mode).unwrap();
        Game { start: fen.to_string(), mode, position, moves: Vec::new() }
    }

    /// The `position` command that leads here.
    pub fn command(&self) -> String {
        match self.moves.is_empty() {
            true => format!("position fen {}", self.start),
            false => format!("position fen {} moves {}", self.start, self.moves.join(" ")),
        }
    }

    pub fn fen(&self) -> String {
        Fen::from_position(&self.position, EnPassantMode::Legal).to_string()
    }

    /// The move, if it is legal and spelled as this kind of chess wants it.
    pub fn read(&self, text: &str) -> Option<Move> {
        let m = text.parse::<UciMove>().ok()?.to_move(&self.position).ok()?;
        (m.to_uci(self.mode).to_string() == text).then_some(m)
    }

    pub fn play(&mut self, text: &str) {
        let m = self.read(text).unwrap_or_else(|| panic!("{text} is illegal in {}", self.fen()));
        self.position.play_unchecked(m);
        self.moves.push(text.to_string());
    }

    /// Plays the n-th legal move, counted round and round.
    pub fn play_any(&mut self, n: u64) {
        let moves = self.position.legal_moves();
        let m = moves[(n % moves.len() as u64) as usize];
        self.play(&m.to_uci(self.mode).to_string());
    }

    /// Mate, stalemate, bare kings and the like, or fifty moves.
    pub fn is_over(&self) -> bool {
        self.position.is_game_over() || self.position.halfmoves() >= 100
    }

    /// Everything a GUI may expect of the answer to one `go`. Returns the move.
    pub fn check(&self, lines: &[String]) -> String {
        let (last, before) = lines.split_last().expect("no answer");
        assert!(is_best(last) && !before.iter().any(|line| is_best(line)), "{lines:#?}");
        let infos = Info::all(before);
        assert!(!infos.is_empty(), "no scored line before {last}");
        self.check_depths(&infos, lines);
        self.check_numbering(&infos, lines);
        for info in &infos {
            self.check_info(info, lines);
        }
        let (best, ponder) = best_and_ponder(last);
        if best == "(none)" {
            assert!(self.position.legal_moves().is_empty() && ponder.is_none(), "{lines:#?}");
            return best;
        }
        let mut after = self.clone();
        after.play(&best);
        if let Some(ponder) = ponder {
            after.play(&ponder);
        }
        assert_eq!(Info::last(before).pv.first(), Some(&best), "{lines:#?}");
        best
    }

    /// Depths start at 1 and rise one by one; time does not run backwards.
    fn check_depths(&self, infos: &[Info], lines: &[String]) {
        if self.position.legal_moves().is_empty() {
            return;
        }
        let (mut reached, mut time) = (0, 0);
        for info in infos {
            assert!(info.time >= time, "time runs backwards: {lines:#?}");
            time = info.time;
            assert!(info.depth == reached || info.depth == reached + 1, "depth skips: {lines:#?}");
            reached = info.depth;
        }
    }

    /// Lines of one report are numbered from 1 and begin with different moves.
    fn check_numbering(&self, infos: &[Info], lines: &[String]) {
        let mut seen: Vec<&str> = Vec::new();
        for info in infos {
            let Some(number) = info.multipv else { continue };
            if number == 1 {
                seen.clear();
            }
            assert_eq!(number as usize, seen.len() + 1, "numbering: {lines:#?}");
            let first = info.pv[0].as_str();
            assert!(!seen.contains(&first), "{first} twice: {lines:#?}");
            seen.push(first);
        }
    }

    fn check_info(&self, info: &Info, lines: &[String]) {
        assert!(info.hashfull <= 1000, "{info:?}");
        assert!(info.seldepth >= 1 || self.position.legal_moves().is_empty(), "{info:?}");
        assert!(info.wdl.is_none_or(|wdl| wdl.iter().sum::<u32>() == 1000), "{info:?}");
        let mut replay = self.clone();
        for text in &info.pv {
            assert!(replay.read(text).is_some(), "{text} in the pv {:?}: {lines:#?}", info.pv);
            replay.play(text);
        }
        assert!(!info.pv.is_empty() || self.position.legal_moves().is_empty(), "{info:?}");
    }
}

/// Small and good enough to pick moves: xorshift.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
