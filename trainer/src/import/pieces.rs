//! The chunks of all files in one row, with the ends of the files between them.

use super::source::Sources;
use crate::interrupt;
use std::io::{self, Read};

/// A chunk, or what there is to say about its file.
pub enum Piece<C> {
    Chunk {
        file: usize,
        chunk: C,
    },
    /// The file cannot be read, or not any further; its end follows.
    Failed {
        error: io::Error,
    },
    End {
        file: usize,
    },
}

impl<C> Piece<C> {
    /// Works on the chunk, which belongs to the file of the given index.
    pub fn map<R>(self, work: impl FnOnce(usize, C) -> R) -> Piece<R> {
        match self {
            Piece::Chunk { file, chunk } => Piece::Chunk { file, chunk: work(file, chunk) },
            Piece::Failed { error } => Piece::Failed { error },
            Piece::End { file } => Piece::End { file },
        }
    }
}

/// Opens the files one after the other and cuts them; stops between chunks when
/// the user interrupts.
pub fn pieces<'a, C: 'a, I>(
    sources: &'a Sources,
    cut: impl Fn(Box<dyn Read + Send + 'a>) -> I + Copy + 'a,
) -> impl Iterator<Item = Piece<C>> + 'a
where
    I: Iterator<Item = io::Result<C>> + 'a,
{
    let of_file = move |file| {
        let (chunks, error) = match sources.open(file) {
            Ok(reader) => (Some(cut(reader)), None),
            Err(error) => (None, Some(Piece::Failed { error })),
        };
        let chunks = chunks.into_iter().flatten().map(move |chunk| match chunk {
            Ok(chunk) => Piece::Chunk { file, chunk },
            Err(error) => Piece::Failed { error },
        });
        chunks.chain(error).chain([Piece::End { file }])
    };
    (0..sources.len()).flat_map(of_file).take_while(|_| !interrupt::requested())
}
