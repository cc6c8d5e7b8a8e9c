//! Samples that are shuffled together: the parts of some row groups in, one
//! random order over all their samples out.

use super::part::{Part, Sample};
use engine::search::Random;

#[derive(Default)]
pub struct Block {
    parts: Vec<Part>,
    /// Part and sample.
    order: Vec<(u32, u32)>,
}

impl Block {
    pub fn new(parts: Vec<Part>, mut random: Random) -> Block {
        let mut order = Vec::with_capacity(parts.iter().map(|part| part.samples.len()).sum());
        for (number, part) in parts.iter().enumerate() {
            order.extend((0..part.samples.len() as u32).map(|sample| (number as u32, sample)));
        }
        random.shuffle(&mut order);
        Block { parts, order }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Row groups it was made of.
    pub fn groups(&self) -> usize {
        self.parts.len()
    }

    /// A sample by its place in the order, with the part it belongs to.
    pub fn sample(&self, at: usize) -> (&Part, &Sample) {
        let (part, sample) = self.order[at];
        let part = &self.parts[part as usize];
        (part, &part.samples[sample as usize])
    }
}
