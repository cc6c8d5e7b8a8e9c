//! The input layouts by name: a line of positions in, planes or a cache key out.

use super::PolicyMap;
use super::{az119, basic18, cache_key, lc0_planes, nmp72, planes, rich, tactics, threats};
use crate::chess::Ply;
use pulp::Arch;

/// How a network sees a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Encoder {
    /// The board, rights and clock alone, without history.
    Basic18,
    /// The same and planes of chess knowledge, without history.
    Rich,
    /// The same and the outcome of every move by captures, without history.
    Tactics,
    /// Pieces and what attacks and defends them, without history.
    Threats,
    /// AlphaZero's shape: eight boards.
    Az119,
    /// Four boards and two dozen planes of chess knowledge.
    Nmp72,
    /// Leela Chess Zero's classical input: eight boards.
    Lc0,
}

impl Encoder {
    pub const ALL: [Encoder; 7] = [
        Encoder::Basic18,
        Encoder::Az119,
        Encoder::Nmp72,
        Encoder::Lc0,
        Encoder::Rich,
        Encoder::Tactics,
        Encoder::Threats,
    ];

    /// The name that network files carry.
    pub fn name(self) -> &'static str {
        match self {
            Encoder::Basic18 => "basic18",
            Encoder::Rich => "rich",
            Encoder::Tactics => "tactics",
            Encoder::Threats => "threats",
            Encoder::Az119 => "az119",
            Encoder::Nmp72 => "nmp72",
            Encoder::Lc0 => "lc0-112",
        }
    }

    pub fn from_name(name: &str) -> Option<Encoder> {
        Encoder::ALL.into_iter().find(|encoder| encoder.name() == name)
    }

    /// Planes of 64 numbers that one position takes.
    pub fn planes(self) -> usize {
        match self {
            Encoder::Basic18 => basic18::PLANES,
            Encoder::Rich => rich::PLANES,
            Encoder::Tactics => tactics::PLANES,
            Encoder::Threats => threats::PLANES,
            Encoder::Az119 => az119::PLANES,
            Encoder::Nmp72 => nmp72::PLANES,
            Encoder::Lc0 => lc0_planes::PLANES,
        }
    }

    /// Boards that the encoder looks at, the current one included.
    pub fn history(self) -> usize {
        match self {
            Encoder::Basic18 | Encoder::Rich | Encoder::Tactics | Encoder::Threats => 1,
            Encoder::Az119 => az119::HISTORY,
            Encoder::Nmp72 => nmp72::HISTORY,
            Encoder::Lc0 => lc0_planes::HISTORY,
        }
    }

    /// The policy that goes with these planes in networks that our trainer makes:
    /// both look at the board from the same side.
    pub fn policy(self) -> PolicyMap {
        match self {
            Encoder::Threats => PolicyMap::Exchange,
            _ => PolicyMap::Az4672,
        }
    }

    /// Writes the planes of the last of `plies`, all of `out`, which must hold
    /// `planes() * 64` numbers. `plies` is the line, oldest first; it may be
    /// shorter than [`history`](Self::history) only where the game starts.
    pub fn encode(self, plies: &[Ply], out: &mut [f32]) {
        debug_assert_eq!(out.len(), self.planes() * 64);
        match self {
            Encoder::Basic18 => basic18::encode(plies, out),
            Encoder::Rich => rich::encode(plies, out),
            Encoder::Tactics => tactics::encode(plies, out),
            Encoder::Threats => threats::encode(plies, out),
            Encoder::Az119 => az119::encode(plies, out),
            Encoder::Nmp72 => nmp72::encode(plies, out),
            Encoder::Lc0 => lc0_planes::encode(plies, out),
        }
    }

    /// Adds the places and numbers of what is not zero in the planes. `planes` is
    /// room for them, whose content may be anything.
    pub fn encode_sparse(self, plies: &[Ply], planes: &mut [f32], to: &mut Vec<(u16, f32)>) {
        match self {
            Encoder::Threats => threats::set_squares(plies, to),
            _ => {
                self.encode(plies, planes);
                planes::nonzero(Arch::new(), planes, to);
            }
        }
    }

    /// A key of everything that this encoder sees of the last of `plies`, save
    /// that the half-move clock is coarse while it is low (see `cache_key`).
    pub fn cache_key(self, plies: &[Ply]) -> u64 {
        self.cache_key_over(plies, usize::MAX)
    }

    /// The same, but blind to all history beyond the last `boards` positions:
    /// more lines share a key, though the network would tell them apart.
    pub fn cache_key_over(self, plies: &[Ply], boards: usize) -> u64 {
        let over = |history: usize, move_number| {
            cache_key::with_history(plies, history.min(boards.max(1)), move_number)
        };
        match self {
            Encoder::Basic18 | Encoder::Rich | Encoder::Tactics | Encoder::Threats => {
                cache_key::position(plies)
            }
            Encoder::Az119 => over(az119::HISTORY, true),
            Encoder::Nmp72 => over(nmp72::HISTORY, true),
            Encoder::Lc0 => over(lc0_planes::HISTORY, false),
        }
    }
}
