//! Evaluation cache: what the network said of a position, kept beyond the node.
//!
//! The key is the encoder's: it covers everything the network sees (the clock of
//! the fifty-move rule in steps), so a hit is what an evaluation would give. Entries are arrays of atomic words
//! with the key folded into a checksum: readers and writers never wait, and an
//! entry torn by two writers fails its checksum and counts as a miss.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use super::memory::{Pages, Zeroed, prefetch, zeroed};
use super::slots::{decode_prior, encode_prior};
use crate::eval::Value;

const PRIORS_PER_WORD: usize = 4;
/// Words of an entry: checksum, value, priors of up to 56 moves. 128 bytes.
const SMALL: usize = 16;
/// For the rare positions with more moves: up to 248 of them. 512 bytes.
const LARGE: usize = 64;
const HEADER: usize = 2;
/// Entries where a key may live.
const WAYS: usize = 4;

pub struct EvalCache {
    small: Table<SMALL>,
    large: Table<LARGE>,
    /// Entries of earlier searches are replaced first.
    generation: AtomicU8,
    /// Mixed into every key. A new salt makes all old entries unfindable, which
    /// clears the cache without touching its memory.
    salt: AtomicU64,
}

/// What became of an evaluation.
pub struct Inserted {
    /// The value as it will be read: a search must not depend on whether an
    /// answer came from the network or from here.
    pub value: Value,
    pub stored: bool,
}

struct Table<const WORDS: usize> {
    entries: Box<[Entry<WORDS>]>,
}

struct Entry<const WORDS: usize>([AtomicU64; WORDS]);

// SAFETY: zero is a valid `AtomicU64`.
unsafe impl<const WORDS: usize> Zeroed for Entry<WORDS> {}

impl EvalCache {
    pub fn new(bytes: usize) -> Option<EvalCache> {
        Some(EvalCache {
            small: Table::new(bytes - bytes / 16)?,
            large: Table::new(bytes / 16)?,
            generation: AtomicU8::new(1),
            salt: AtomicU64::new(0),
        })
    }

    pub fn new_generation(&self) {
        self.generation.fetch_add(1, Relaxed);
    }

    pub fn clear(&self) {
        self.salt.fetch_add(0x9e37_79b9_7f4a_7c15, Relaxed);
    }

    fn salted(&self, key: u64) -> u64 {
        key ^ self.salt.load(Relaxed)
    }

    /// Starts loading the entry of `key`, for a [`get`](Self::get) soon after.
    pub fn prefetch(&self, key: u64) {
        prefetch(&self.small.set(self.salted(key))[0]);
    }

    /// Value and priors (one per legal move, in move generation order).
    pub fn get(&self, key: u64, priors: &mut [f32]) -> Option<Value> {
        let key = self.salted(key);
        if priors.len() <= capacity(SMALL) {
            self.small.get(key, priors)
        } else {
            self.large.get(key, priors)
        }
    }

    /// Stores an evaluation, unless all places for it hold others of this
    /// search, whose leaves still count on them.
    pub fn insert(&self, key: u64, value: &Value, priors: &[f32]) -> Inserted {
        let key = self.salted(key);
        let generation = self.generation.load(Relaxed);
        let stored = if priors.len() <= capacity(SMALL) {
            self.small.insert(key, value, priors, generation)
        } else {
            priors.len() <= capacity(LARGE) && self.large.insert(key, value, priors, generation)
        };
        Inserted { value: decode_value(encode_value(value)), stored }
    }
}

const fn capacity(words: usize) -> usize {
    (words - HEADER) * PRIORS_PER_WORD
}

impl<const WORDS: usize> Table<WORDS> {
    fn new(bytes: usize) -> Option<Table<WORDS>> {
        let sets = (bytes / size_of::<Entry<WORDS>>() / WAYS).max(16);
        Some(Table { entries: zeroed(sets * WAYS, Pages::Small)? })
    }

    /// The entries where `key` may live.
    fn set(&self, key: u64) -> &[Entry<WORDS>] {
        let sets = (self.entries.len() / WAYS) as u128;
        let start = ((u128::from(key) * sets) >> 64) as usize * WAYS;
        &self.entries[start..start + WAYS]
    }

    fn get(&self, key: u64, priors: &mut [f32]) -> Option<Value> {
        self.set(key).iter().find_map(|entry| entry.read(key, priors))
    }

    fn insert(&self, key: u64, value: &Value, priors: &[f32], generation: u8) -> bool {
        let set = self.set(key);
        let own = set.iter().find(|entry| entry.holds(key));
        let empty = || set.iter().find(|entry| entry.is_empty());
        let stale = || set.iter().find(|entry| entry.generation() != generation);
        let Some(place) = own.or_else(empty).or_else(stale) else { return false };
        place.write(key, value, priors, generation);
        true
    }
}

impl<const WORDS: usize> Entry<WORDS> {
    fn is_empty(&self) -> bool {
        self.0[1].load(Relaxed) == 0
    }

    fn generation(&self) -> u8 {
        (self.0[1].load(Relaxed) >> 56) as u8
    }

    fn used_words(count: usize) -> usize {
        HEADER + count.div_ceil(PRIORS_PER_WORD)
    }

    fn holds(&self, key: u64) -> bool {
        let count = (self.0[1].load(Relaxed) >> 48 & 0xff) as usize;
        let words = Self::used_words(count).min(WORDS);
        self.0[..words].iter().fold(0, |sum, word| sum ^ word.load(Relaxed)) == key && key != 0
    }

    fn read(&self, key: u64, priors: &mut [f32]) -> Option<Value> {
        let header = self.0[1].load(Relaxed);
        if (header >> 48 & 0xff) as usize != priors.len() {
            return None;
        }
        let mut check = self.0[0].load(Relaxed) ^ header;
        let words = &self.0[HEADER..Self::used_words(priors.len())];
        for (word, chunk) in words.iter().zip(priors.chunks_mut(PRIORS_PER_WORD)) {
            let mut bits = word.load(Relaxed);
            check ^= bits;
            for prior in chunk {
                *prior = decode_prior(bits as u16);
                bits >>= 16;
            }
        }
        (check == key).then(|| decode_value(header))
    }

    fn write(&self, key: u64, value: &Value, priors: &[f32], generation: u8) {
        let header =
            encode_value(value) | (priors.len() as u64) << 48 | u64::from(generation) << 56;
        let mut check = key ^ header;
        for (word, chunk) in self.0[HEADER..].iter().zip(priors.chunks(PRIORS_PER_WORD)) {
            let bits = chunk
                .iter()
                .enumerate()
                .fold(0, |bits, (i, p)| bits | u64::from(encode_prior(*p)) << (16 * i));
            check ^= bits;
            word.store(bits, Relaxed);
        }
        self.0[1].store(header, Relaxed);
        self.0[0].store(check, Relaxed);
    }
}

/// Win and draw in 16 bits each, moves left in the next 16 (0: none).
fn encode_value(value: &Value) -> u64 {
    let unit = |x: f32| (x.clamp(0.0, 1.0) * 65535.0).round() as u64;
    let plies = value.moves_left.map_or(0, |m| 1 + (m.clamp(0.0, 6000.0) * 10.0) as u64);
    unit(value.win) | unit(value.draw) << 16 | plies << 32
}

fn decode_value(header: u64) -> Value {
    let unit = |bits: u64| (bits & 0xffff) as f32 / 65535.0;
    let (win, draw) = (unit(header), unit(header >> 16));
    let plies = header >> 32 & 0xffff;
    Value {
        win,
        draw,
        loss: (1.0 - win - draw).max(0.0),
        moves_left: (plies > 0).then(|| (plies - 1) as f32 / 10.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: Value = Value { win: 0.5, draw: 0.3, loss: 0.2, moves_left: Some(41.5) };

    #[test]
    fn entries_read_back_for_any_move_count() {
        let cache = EvalCache::new(1 << 16).unwrap();
        for count in [1, 4, 5, 56, 57, 218] {
            let priors: Vec<f32> = (0..count).map(|i| i as f32 / 300.0).collect();
            let mut read = vec![0.0; count];
            let key = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(count as u64);
            cache.insert(key, &VALUE, &priors);
            let value = cache.get(key, &mut read).unwrap();
            assert!((value.q() - VALUE.q()).abs() < 1e-4);
            assert_eq!(value.moves_left, VALUE.moves_left);
            assert!(read.iter().zip(&priors).all(|(a, b)| (a - b).abs() < 1e-3));
            assert!(cache.get(key ^ 1, &mut read).is_none());
        }
    }

    #[test]
    fn clearing_forgets_everything() {
        let cache = EvalCache::new(1 << 16).unwrap();
        cache.insert(77, &VALUE, &[0.25; 8]);
        cache.clear();
        assert!(cache.get(77, &mut [0.0; 8]).is_none());
        cache.insert(77, &VALUE, &[0.25; 8]);
        assert!(cache.get(77, &mut [0.0; 8]).is_some());
    }

    #[test]
    fn a_torn_entry_is_a_miss() {
        let cache = EvalCache::new(1 << 16).unwrap();
        cache.insert(77, &VALUE, &[0.25; 8]);
        cache.small.set(77)[0].0[2].fetch_xor(1, Relaxed);
        assert!(cache.get(77, &mut [0.0; 8]).is_none());
    }

    #[test]
    fn a_search_keeps_its_own_entries_and_replaces_older_ones() {
        let cache = EvalCache::new(1 << 16).unwrap();
        let mut insert = |key| cache.insert(key, &VALUE, &[0.5; 2]).stored;
        // Small keys all fall into the first set.
        assert!((2..6).all(&mut insert));
        assert!(!insert(6), "the set is full");
        assert!((2..6).all(|key| cache.get(key, &mut [0.0; 2]).is_some()));
        cache.new_generation();
        assert!(cache.insert(6, &VALUE, &[0.5; 2]).stored);
        assert!(cache.get(6, &mut [0.0; 2]).is_some());
    }
}
