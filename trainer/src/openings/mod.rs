//! Where games begin: opening books and the names of openings.
//!
//! In: EPD or PGN files, the built-in book, or a teacher engine. Out: [`Opening`]s
//! for matches and self-play, and the name of any line that has one. `book` reads
//! them, `eco` names them, `make` makes new ones: `walk` finds a line, `make`
//! keeps those that are balanced and new.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod book;
mod eco;
mod make;
mod opening;
mod walk;

pub use book::{Book, BookError};
pub use eco::{Named, family_of, name_of};
pub use make::{Made, MakeError, MakeSettings, make};
pub use opening::Opening;
