//! Stand-in for the real encoders while those are built; same interface.

use crate::chess::{PackedMove, Ply};
use shakmaty::{Chess, Color, Move, Position, Square};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Encoder {
    Basic18,
    Az119,
    Nmp72,
    Lc0,
}

impl Encoder {
    pub const ALL: [Encoder; 4] = [Encoder::Basic18, Encoder::Az119, Encoder::Nmp72, Encoder::Lc0];

    pub fn name(self) -> &'static str {
        match self {
            Encoder::Basic18 => "basic18",
            Encoder::Az119 => "az119",
            Encoder::Nmp72 => "nmp72",
            Encoder::Lc0 => "lc0-112",
        }
    }

    pub fn from_name(name: &str) -> Option<Encoder> {
        Encoder::ALL.into_iter().find(|e| e.name() == name)
    }

    pub fn planes(self) -> usize {
        match self {
            Encoder::Basic18 => 18,
            Encoder::Az119 => 119,
            Encoder::Nmp72 => 72,
            Encoder::Lc0 => 112,
        }
    }

    pub fn history(self) -> usize {
        match self {
            Encoder::Basic18 => 1,
            Encoder::Nmp72 => 4,
            Encoder::Az119 | Encoder::Lc0 => 8,
        }
    }

    pub fn encode(self, plies: &[Ply], out: &mut [f32]) {
        out.fill(0.0);
        let Some(ply) = plies.last() else { return };
        let turn = ply.position.turn();
        for (square, piece) in ply.position.board().clone() {
            let square = if turn == Color::White { square } else { square.flip_vertical() };
            let side = if piece.color == turn { 0 } else { 6 };
            out[(side + piece.role as usize - 1) * 64 + square as usize] = 1.0;
        }
    }

    pub fn cache_key(self, plies: &[Ply]) -> u64 {
        plies.last().map_or(0, |ply| ply.key)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum PolicyMap {
    Az4672,
    Lc0,
}

impl PolicyMap {
    pub const ALL: [PolicyMap; 2] = [PolicyMap::Az4672, PolicyMap::Lc0];

    pub fn name(self) -> &'static str {
        match self {
            PolicyMap::Az4672 => "az4672",
            PolicyMap::Lc0 => "lc0-1858",
        }
    }

    pub fn from_name(name: &str) -> Option<PolicyMap> {
        PolicyMap::ALL.into_iter().find(|p| p.name() == name)
    }

    #[allow(clippy::len_without_is_empty)]
    pub fn len(self) -> usize {
        match self {
            PolicyMap::Az4672 => 4672,
            PolicyMap::Lc0 => 1858,
        }
    }

    pub fn index(self, m: Move, position: &Chess) -> usize {
        let seen = PackedMove::new(m).mover_view(position.turn());
        let (from, to): (Square, Square) = (seen.from(), seen.to());
        (from as usize * 73 + to as usize) % self.len()
    }
}
