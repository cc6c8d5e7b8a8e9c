//! The policy layouts by name: a legal move in, its index in the policy head
//! out, and back.

use super::{az4672, exchange3716, lc0_1858};
use shakmaty::{Chess, Move, Position};

/// How a network numbers moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PolicyMap {
    /// AlphaZero's: 73 kinds of move from each of 64 squares.
    Az4672,
    /// Leela Chess Zero's: every from-to pair a piece could ever play.
    Lc0,
    /// The same from the king's side, moves that lose material apart.
    Exchange,
}

impl PolicyMap {
    pub const ALL: [PolicyMap; 3] = [PolicyMap::Az4672, PolicyMap::Lc0, PolicyMap::Exchange];

    /// The name that network files carry.
    pub fn name(self) -> &'static str {
        match self {
            PolicyMap::Az4672 => "az4672",
            PolicyMap::Lc0 => "lc0-1858",
            PolicyMap::Exchange => "exchange3716",
        }
    }

    pub fn from_name(name: &str) -> Option<PolicyMap> {
        PolicyMap::ALL.into_iter().find(|policy| policy.name() == name)
    }

    /// Outputs of the policy head.
    #[allow(clippy::len_without_is_empty)] // a policy head is never empty
    pub fn len(self) -> usize {
        match self {
            PolicyMap::Az4672 => az4672::LEN,
            PolicyMap::Lc0 => lc0_1858::LEN,
            PolicyMap::Exchange => exchange3716::LEN,
        }
    }

    /// The index of a legal move, in the mover's view.
    pub fn index(self, m: Move, position: &Chess) -> usize {
        match self {
            PolicyMap::Az4672 => az4672::index(m, position.turn()),
            PolicyMap::Lc0 => lc0_1858::index(m, position.turn()),
            PolicyMap::Exchange => exchange3716::index(m, position),
        }
    }

    /// Adds the indices of legal moves.
    pub fn add_indices(self, moves: &[Move], position: &Chess, to: &mut Vec<u16>) {
        match self {
            PolicyMap::Exchange => exchange3716::add_indices(moves, position, to),
            _ => to.extend(moves.iter().map(|m| self.index(*m, position) as u16)),
        }
    }

    /// The legal move that has this index, if there is one. Searching the legal
    /// moves keeps `index` the only definition of the layout.
    pub fn to_move(self, index: usize, position: &Chess) -> Option<Move> {
        position.legal_moves().into_iter().find(|m| self.index(*m, position) == index)
    }
}
