//! Positions kept from training, one at a time, for whoever wants the
//! positions themselves rather than planes.

use super::error::DatasetError;
use super::filter::Filter;
use super::part::{Part, Recipe, Sample};
use super::settings::DatasetSettings;
use super::source::Source;
use super::split::Split;
use engine::chess::Ply;
use engine::encode::Encoder;
use std::collections::VecDeque;

/// The validation side of the settings' sources taken as one, in a fixed order
/// that mixes the shards.
pub struct HeldOut {
    source: Source,
    recipe: Recipe,
    groups: VecDeque<u32>,
    part: Part,
    next: usize,
}

/// A position and what should be said of it.
pub struct HeldOutPosition<'a> {
    /// As many boards as the encoder sees, the position's own last.
    pub plies: &'a [Ply],
    /// A share for each legal move, in the order in which shakmaty makes them;
    /// all 0 without a target.
    pub policy: &'a [f32],
    /// Win, draw and loss for the mover.
    pub wdl: Option<[f32; 3]>,
}

impl HeldOut {
    pub fn open(settings: &DatasetSettings, encoder: Encoder) -> Result<HeldOut, DatasetError> {
        settings.check()?;
        let paths: Vec<_> =
            settings.sources.iter().flat_map(|source| source.paths.clone()).collect();
        let source = Source::open(&paths)?;
        let filter = Filter::new(settings, Split::Validation, source.newest_generation()?);
        let groups = source.order(0, 0).into();
        let recipe = Recipe { filter, targets: settings.targets.clone(), encoder };
        Ok(HeldOut { source, recipe, groups, part: Part::default(), next: 0 })
    }

    /// `None` after the last one.
    pub fn next_position(&mut self) -> Result<Option<HeldOutPosition<'_>>, DatasetError> {
        while self.next == self.part.samples.len() {
            let Some(group) = self.groups.pop_front() else { return Ok(None) };
            self.part = self.source.read(group, 0, &self.recipe)?;
            self.next = 0;
        }
        let sample: &Sample = &self.part.samples[self.next];
        self.next += 1;
        Ok(Some(HeldOutPosition {
            plies: self.part.positions(sample),
            policy: self.part.policy(sample),
            wdl: sample.wdl,
        }))
    }
}
