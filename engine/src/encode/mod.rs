//! Network layouts: positions become input planes, moves become policy indices.
//!
//! In: a line of positions and its legal moves. Out: `f32` planes for the
//! network's input, one index into its policy head per move, and the key under
//! which an evaluation may be cached.
//!
//! Every layout is canonical: the mover plays up the board. For Black the
//! board is flipped top to bottom and the colors swap, so the network only
//! ever sees White to move. Row 0 of a plane is the mover's first rank, column
//! 0 the a-file; planes follow each other, 64 numbers each.
//!
//! ```
//! use engine::chess::{Line, parse_move};
//! use engine::encode::{Encoder, PolicyMap};
//! use shakmaty::Chess;
//!
//! let line = Line::new(Chess::default());
//! let encoder = Encoder::Basic18;
//! let mut planes = vec![0.0; encoder.planes() * 64];
//! encoder.encode(line.plies(), &mut planes);
//! assert_eq!(planes[12], 1.0); // our pawn on e2
//!
//! let position = &line.last().position;
//! let e2e4 = parse_move(position, "e2e4").unwrap();
//! let index = PolicyMap::Lc0.index(e2e4, position);
//! assert_eq!(index, 322);
//! assert_eq!(PolicyMap::Lc0.to_move(index, position), Some(e2e4));
//! ```

mod az119;
mod az4672;
mod basic18;
mod cache_key;
mod encoder;
mod exchange3716;
mod knowledge;
mod lc0_1858;
mod lc0_planes;
mod nmp72;
mod planes;
mod policy;
mod rich;
mod tactics;
mod threats;
mod view;

#[cfg(test)]
mod tests;

pub use encoder::Encoder;
pub use policy::PolicyMap;
