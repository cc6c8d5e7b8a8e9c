//! Problems from the rows of a table of Lichess puzzles.
//!
//! The header tells where the columns are. The first of a row's moves is the
//! opponent's: the solver sees the position after it.

use super::{Expected, Problem};
use crate::players::GameLine;
use engine::chess::{parse_fen, parse_move};

/// Where the columns are that matter here.
#[derive(Debug, PartialEq)]
pub struct Columns {
    count: usize,
    fen: usize,
    moves: usize,
    id: Option<usize>,
    rating: Option<usize>,
    themes: Option<usize>,
}

impl Columns {
    /// `None` if the line is no header of puzzles.
    pub fn from_header(line: &str) -> Option<Columns> {
        let names = split(line);
        let column = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
        Some(Columns {
            count: names.len(),
            fen: column("FEN")?,
            moves: column("Moves")?,
            id: column("PuzzleId"),
            rating: column("Rating"),
            themes: column("Themes"),
        })
    }

    /// Reads one row; the error says what is wrong with it. `name` is the id of
    /// a problem that has none.
    pub fn parse(&self, row: &str, name: &str) -> Result<Problem, String> {
        let cells = split(row);
        if cells.len() != self.count {
            return Err(format!("expected {} columns, found {}", self.count, cells.len()));
        }
        let cell = |column: Option<usize>| column.map_or("", |column| cells[column].as_str());
        let position = parse_fen(cell(Some(self.fen)), false).map_err(|error| error.to_string())?;
        let (start, line) = parse_line(GameLine::new(position), cell(Some(self.moves)))?;
        let id = if cell(self.id).is_empty() { name } else { cell(self.id) };
        Ok(Problem {
            id: id.to_string(),
            start,
            solution: line,
            rating: parse_rating(cell(self.rating))?,
            themes: cell(self.themes).split_whitespace().map(str::to_string).collect(),
        })
    }
}

/// The cells of a row, without the quotes that some writers put around them.
fn split(row: &str) -> Vec<String> {
    let mut quoted = false;
    row.trim()
        .split(|c| {
            quoted ^= c == '"';
            c == ',' && !quoted
        })
        .map(|cell| {
            let cell = cell.trim();
            let inner = cell.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
            inner.map_or_else(|| cell.to_string(), |inner| inner.replace("\"\"", "\""))
        })
        .collect()
}

/// Plays the opponent's first move; what follows is the solution.
fn parse_line(mut start: GameLine, text: &str) -> Result<(GameLine, Expected), String> {
    let mut game = start.clone();
    let mut moves = Vec::new();
    for word in text.split_whitespace() {
        let m = parse_move(game.position(), word).ok_or_else(|| format!("illegal move {word}"))?;
        game.push(m);
        moves.push(m);
    }
    match moves.split_first() {
        Some((&first, line)) if line.len() % 2 == 1 => {
            start.push(first);
            Ok((start, Expected::Line(line.to_vec())))
        }
        _ => Err(format!(
            "{} moves: expected the opponent's first, then an odd number from the solver's first \
             to the solver's last",
            moves.len()
        )),
    }
}

fn parse_rating(text: &str) -> Result<Option<f64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let rating = text.parse::<f64>().ok().filter(|rating| rating.is_finite());
    rating.map(Some).ok_or_else(|| format!("rating \"{text}\": expected a number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Color, Position};

    const FULL: &str = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,\
                        GameUrl,OpeningTags";
    const ROW: &str = "7Xa2b,2r3k1/p3Rppp/8/8/8/8/5PPP/4R1K1 b - - 3 30,a7a6 e7e8 c8e8 e1e8,\
                       612.5,80,91,1200,endgame mate mateIn2,https://lichess.org/x#59,";

    fn parse(header: &str, row: &str) -> Result<Problem, String> {
        Columns::from_header(header).unwrap().parse(row, "file:2")
    }

    #[test]
    fn the_official_format_is_read() {
        let problem = parse(FULL, ROW).unwrap();
        assert_eq!(problem.id, "7Xa2b");
        assert_eq!(problem.start.moves(), ["a7a6"]);
        assert_eq!(problem.start.position().turn(), Color::White);
        assert_eq!(problem.expected(), "Re8+ Rxe8 Rxe8#");
        assert_eq!(problem.rating, Some(612.5));
        assert_eq!(problem.themes, ["endgame", "mate", "mateIn2"]);
    }

    #[test]
    fn columns_stand_in_any_order() {
        let row = "f2f1 e7e8,\"a \"\"b\"\", c\",6k1/4Rppp/8/8/8/8/5K2/8 w - - 0 1";
        // It is White's first move that is the opponent's here.
        assert!(parse("moves,Remark,fen", row).unwrap_err().contains("illegal move e7e8"));
        let row = row.replace("f2f1 e7e8", "f2f1 g8f8");
        let problem = parse("moves,Remark,fen", &row).unwrap();
        assert_eq!((problem.id.as_str(), problem.rating), ("file:2", None));
        assert!(problem.themes.is_empty());
    }

    #[test]
    fn cells_may_be_empty_or_quoted() {
        let row = "\"\",\"6k1/4Rppp/8/8/8/8/5K2/8 b - - 0 1\",h7h6 e7e8,,";
        let problem = parse("PuzzleId,FEN,Moves,Rating,Themes", row).unwrap();
        assert_eq!((problem.id.as_str(), problem.rating), ("file:2", None));
        assert!(problem.themes.is_empty());
    }

    #[test]
    fn only_a_header_is_a_header() {
        assert_eq!(Columns::from_header(ROW), None);
        assert_eq!(Columns::from_header("PuzzleId,FEN,Rating"), None);
        assert!(Columns::from_header("FEN,Moves").is_some());
    }

    #[test]
    fn faults_are_named() {
        let fault = |from: &str, to: &str| parse(FULL, &ROW.replace(from, to)).unwrap_err();
        assert!(fault("e7e8 c8e8", "e7e8 c8d7").contains("illegal move c8d7"));
        assert!(fault(" e1e8,", ",").starts_with("3 moves"));
        assert!(fault("a7a6 e7e8 c8e8 e1e8,", ",").starts_with("0 moves"));
        assert!(fault("e7e8 c8e8 e1e8,", ",").starts_with("1 moves"));
        assert!(fault("612.5", "hard").contains("rating \"hard\""));
        assert!(fault("612.5", "inf").contains("rating \"inf\""));
        assert!(fault("2r3k1", "2r3k2").contains("not a FEN"));
        assert!(fault(",https", "https").contains("expected 10 columns, found 9"));
    }
}
