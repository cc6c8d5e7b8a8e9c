//! A conversation with a GUI, from the first line to `quit`.

use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, Position};

use super::input::read_line;
use super::log::Output;
use super::parse::{Command, GoCommand, StartPosition, parse};
use super::print::{self, Style};
use crate::chess::{Line, PackedMove, parse_fen, parse_move};
use crate::engine::{Handle, Order};
use crate::options::{Id, Settings, TABLE, Values};
use crate::search::Event;
use crate::time::Limits;

/// Reads commands until `quit` or the end of input. `values` are the options
/// from the command line.
pub fn run(input: impl BufRead, output: Box<dyn Write + Send>, values: Values) {
    let mut session = Session::new(output, values);
    let mut input = input;
    while let Ok(Some(line)) = read_line(&mut input) {
        session.output.log_input(&line);
        match parse(&line) {
            Ok(None) => {}
            Ok(Some(Command::Quit)) => break,
            Ok(Some(command)) => session.obey(command),
            Err(error) => session.say(&error.to_string()),
        }
        if session.output.is_broken() {
            break;
        }
    }
    // Dropping the handle stops a search under way and joins the thread.
}

struct Session {
    output: Arc<Output>,
    style: Arc<Mutex<Style>>,
    debug: bool,
    values: Values,
    line: Line,
    engine: Handle,
}

impl Session {
    fn new(output: Box<dyn Write + Send>, values: Values) -> Session {
        let output = Arc::new(Output::new(output));
        let style = Arc::new(Mutex::new(Style::default()));
        let (out, shown) = (Arc::clone(&output), Arc::clone(&style));
        let engine = Handle::start(Arc::new(move |event: Event| {
            let style = *shown.lock().unwrap_or_else(PoisonError::into_inner);
            let lines = print::lines(&event, style);
            out.print(lines.iter().map(String::as_str));
        }));
        let session = Session {
            output,
            style,
            debug: false,
            values,
            line: Line::new(Chess::default()),
            engine,
        };
        session.apply_presentation();
        session
    }

    fn say(&self, text: &str) {
        self.output.print([print::note(text).as_str()]);
    }

    fn settings(&self) -> Settings {
        Settings::new(&self.values)
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.ready(),
            Command::Debug(on) => {
                self.debug = on;
                self.apply_presentation();
            }
            Command::Register => self.say("no registration needed"),
            Command::Stop => self.engine.stop(),
            Command::PonderHit => self.engine.ponderhit(),
            Command::Display => self.display(),
            // Quit ends the loop before it comes here.
            Command::Quit => {}
            Command::SetOption { .. }
            | Command::Position { .. }
            | Command::Go(_)
            | Command::NewGame
                if !self.engine.wait_if_stopping() =>
            {
                self.say("a search is running: send stop first");
            }
            Command::NewGame => self.engine.new_game(),
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Position { start, moves } => match self.place(&start, &moves) {
                Ok(line) => self.line = line,
                Err(problem) => self.say(&format!("position unchanged: {problem}")),
            },
            Command::Go(go) => self.go(go),
        }
    }

    fn introduce(&self) {
        let mut lines = vec![
            format!("id name Arbor {}", env!("CARGO_PKG_VERSION")),
            "id author the Arbor developers".to_string(),
        ];
        lines.extend(TABLE.iter().map(|spec| spec.uci()));
        lines.push("uciok".to_string());
        self.output.print(lines.iter().map(String::as_str));
    }

    /// During a search the answer is immediate, unless it was told to stop; otherwise it comes when all
    /// that was asked for is loaded.
    fn ready(&self) {
        let output = Arc::clone(&self.output);
        if !self.engine.wait_if_stopping() {
            output.print(["readyok"]);
        } else {
            self.engine.prepare(self.settings(), move || output.print(["readyok"]));
        }
    }

    fn set_option(&mut self, name: &str, value: &str) {
        match self.values.set(name, value) {
            Ok(Id::ClearHash) => self.engine.clear_hash(),
            Ok(_) => self.apply_presentation(),
            Err(error) => self.say(&error.to_string()),
        }
    }

    /// Options that concern what is printed take effect at once.
    fn apply_presentation(&self) {
        let settings = self.settings();
        *self.style.lock().unwrap_or_else(PoisonError::into_inner) = Style {
            show_wdl: settings.show_wdl,
            multipv: settings.multipv > 1,
            chess960: settings.chess960,
            debug: self.debug,
        };
        if let Err(error) = self.output.log_to(settings.log_file.as_deref()) {
            let path = settings.log_file.unwrap_or_default();
            self.say(&format!("Debug Log File {}: {error}", path.display()));
        }
    }

    fn place(&self, start: &StartPosition, moves: &[String]) -> Result<Line, String> {
        let chess960 = self.settings().chess960;
        let position = match start {
            StartPosition::Initial if !chess960 => Chess::default(),
            StartPosition::Initial => {
                parse_fen(&Fen::default().to_string(), true).map_err(|error| error.to_string())?
            }
            StartPosition::Fen(fen) => {
                parse_fen(fen, chess960).map_err(|error| format!("{fen}: {error}"))?
            }
        };
        let mut line = Line::new(position);
        for (number, text) in moves.iter().enumerate() {
            let m = parse_move(&line.last().position, text)
                .ok_or_else(|| format!("move {} ({text}) is not legal", number + 1))?;
            line.push(m);
        }
        Ok(line)
    }

    fn go(&mut self, go: GoCommand) {
        let started = Instant::now();
        if !go.unknown.is_empty() {
            self.say(&format!("go: passed over: {}", go.unknown.join(" ")));
        }
        let position = &self.line.last().position;
        let (mut searchmoves, mut illegal) = (Vec::new(), Vec::new());
        for text in &go.searchmoves {
            match parse_move(position, text) {
                Some(m) => searchmoves.push(PackedMove::new(m)),
                None => illegal.push(text.as_str()),
            }
        }
        if !illegal.is_empty() {
            self.say(&format!("searchmoves: not legal here, passed over: {}", illegal.join(" ")));
        }
        let limits = Limits { searchmoves, ..go.limits };
        let (settings, line) = (self.settings(), self.line.clone());
        self.engine.go(Order { settings, line, limits, started });
    }

    fn display(&self) {
        let position = &self.line.last().position;
        let fen = Fen::from_position(position, EnPassantMode::Legal);
        let board = format!("{:?}", position.board());
        for row in board.lines().chain([format!("fen {fen}").as_str()]) {
            self.say(row);
        }
    }
}
