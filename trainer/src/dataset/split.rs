//! Training or validation: a record's group in, its side of the split out.

use super::random::{Purpose, random};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    Train,
    Validation,
}

impl Split {
    /// Where a group belongs when a share of all groups is kept for validation.
    /// Nothing else enters, no seed either: runs never see each other's
    /// validation positions, and a larger share contains a smaller one.
    pub fn of(group: u64, validation: f32) -> Split {
        let unit = random(Purpose::Split, &[group]).unit();
        if unit < f64::from(validation) { Split::Validation } else { Split::Train }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_kept_and_grows_by_inclusion() {
        let kept = |share| -> Vec<u64> {
            (0..10_000).filter(|g| Split::of(*g, share) == Split::Validation).collect()
        };
        let (small, large) = (kept(0.05), kept(0.2));
        assert!((430..570).contains(&small.len()), "{}", small.len());
        assert!((1880..2120).contains(&large.len()), "{}", large.len());
        assert!(small.iter().all(|group| large.contains(group)));
        assert!(kept(0.0).is_empty());
        assert_eq!(kept(1.0).len(), 10_000);
    }

    #[test]
    fn the_split_is_fixed_for_all_time() {
        let side: Vec<u64> = (0..40).filter(|g| Split::of(*g, 0.1) == Split::Validation).collect();
        // Any other answer would let trained positions into validation.
        assert_eq!(side, [11, 18, 24, 28]);
    }
}
